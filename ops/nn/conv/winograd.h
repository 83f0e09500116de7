#pragma once
// Convolutions of floats with filters of 3 x 3 or 5 x 5 and stride 1 by Winograd's algorithm, and the
// gradients for their filters. F(2 x 2, 3 x 3) takes 16 multiplications for four neighbouring outputs and
// each pair of channels instead of 36. Patches of 4 x 4 pixels and the filter are transformed by sums;
// products of matrices, one for each of the 16 elements, follow; and their results are transformed back.
//
// A filter of 5 x 5 is the sum of filters of 3 x 3, 3 x 2, 2 x 3 and 2 x 2, whose products add up to the
// same 16 elements: 49 multiplications instead of 100, of patches of 6 x 6 pixels. Algorithms for all five
// taps at once take 36, but their rounding errors are about ten times as large.
//
// The error is of the size of that of the direct sum. If a result is not finite, it is computed again
// without the algorithm, which would spread infinities and NaN over neighbouring outputs. A filter of
// integers is not transformed: the direct sums of integers are exact, which quantized nets need. The
// order of each sum depends on the extents alone. Stateless; runs on the step's threads.
#include "ops/nn/conv/conv_gemm.h"
#include "ops/nn/conv/tiled_conv.h"

namespace tensh::ops {

// True if all elements of the filter are integers.
bool HasIntegers(const TiledConv& conv);

// Computes the convolution and returns true, if it has such a filter and this is expected to be faster.
// Otherwise does nothing.
bool RunWinograd(KernelCtx& c, const TiledConv& conv);

// Likewise, for ConvolveFilterGrad. If it returns false, df is unspecified.
bool RunWinogradFilterGrad(KernelCtx& c, const ConvDims& d, const float* in, const float* dy,
                           float* df);

}  // namespace tensh::ops
