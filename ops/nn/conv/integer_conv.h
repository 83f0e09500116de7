#pragma once
// Convolution of 8-bit integers with constant weights, for kernels that continue with its sums. On CPUs
// that multiply bytes (AVX-512 VNNI), it takes the place of a convolution of the same integers as floats.
#include "ops/nn/conv/window.h"

namespace tensh::ops {

// An IntegerRowsFn for Conv2D.
std::shared_ptr<const IntegerRows> MatchIntegerConv(const NodesBefore& nodes, uint32_t conv,
                                                    uint32_t high, JoinedKernel& made);

}  // namespace tensh::ops
