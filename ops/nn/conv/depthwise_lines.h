#pragma once
// Depthwise convolution of floats on the loops of tiles.h, which compute a vector of channels at once.
// With more than one filter per channel, the channels of an image are first repeated. Large
// convolutions run on the step's threads, on which the results do not depend. Stateless.
#include "ops/nn/conv/depthwise_dims.h"

namespace tensh::ops {

// Outputs are written completely and must not overlap an input. If `output` is not null, it is the
// kernel's output 0, at `out`, which others may take in parts.
Status DepthwiseForward(KernelCtx& c, const DepthwiseDims& d, const float* in, const float* filter,
                        float* out, const Tensor* output);
Status DepthwiseInputGrad(KernelCtx& c, const DepthwiseDims& d, const float* filter,
                          const float* dy, float* dx);
Status DepthwiseFilterGrad(KernelCtx& c, const DepthwiseDims& d, const float* in, const float* dy,
                           float* df);

}  // namespace tensh::ops
