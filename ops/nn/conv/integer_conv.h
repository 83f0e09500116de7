#pragma once
// Convolution of 8-bit integers with constant weights, for kernels that continue with its sums. On CPUs
// that multiply bytes (AVX-512 VNNI), it takes the place of a convolution of the same integers as floats.
#include "ops/nn/conv/window.h"

namespace tensh::ops {

// IntegerRowsFns for Conv2D and for DepthwiseConv2dNative.
std::shared_ptr<const IntegerRows> MatchIntegerConv(const NodesBefore& nodes, uint32_t conv,
                                                    uint32_t high, JoinedKernel& made);
std::shared_ptr<const IntegerRows> MatchIntegerDepthwise(const NodesBefore& nodes, uint32_t conv,
                                                         uint32_t high, JoinedKernel& made);

// Creates the state of DepthwiseConv2dNative.
inline Result<std::unique_ptr<KernelState>> PrepareDepthwise(PrepareCtx& c) {
  TENSH_ASSIGN(std::unique_ptr<KernelState> state, PrepareWindowInParts(c));
  static_cast<WindowAttrs&>(*state).integers = MatchIntegerDepthwise;
  return {std::move(state)};
}

}  // namespace tensh::ops
