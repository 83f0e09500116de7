#pragma once
// Convolutions of floats with long filters of three rows by Winograd's algorithm F(2, 3) along the rows:
// two rows of outputs take four convolutions of single rows instead of six. They run on the loops of
// tiled_conv.h. Rounding errors, values that are not finite, and filters of integers are as in winograd.h.
// Stateless; runs on the step's threads.
#include "ops/nn/conv/tiled_conv.h"

namespace tensh::ops {

// Computes the convolution and returns true, if it has such a filter and this is expected to be faster.
// Otherwise does nothing.
bool RunWinogradRows(KernelCtx& c, const TiledConv& conv);

}  // namespace tensh::ops
