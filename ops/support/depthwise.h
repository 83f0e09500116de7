#pragma once
// What depthwise convolutions read and check before they compute: the same on every device.
// Stateless.
#include "ops/support/window.h"

namespace tensh::ops {

// Channel k of the input makes channels k * multiplier … of the output.
struct DepthwiseDims {
  int64_t batch = 0, channels = 0, multiplier = 0;
  WindowDim rows, columns;
  constexpr int64_t out_channels() const { return channels * multiplier; }
};

Status MakeDepthwise(const WindowAttrs& w, const Shape& in, const Shape& filter, DepthwiseDims& d);
Result<Shape> DepthwiseOutShape(const WindowAttrs& w, const DepthwiseDims& d);
// Of a node whose input 2 is the gradient that arrives, which must fit.
Status DepthwiseGradDims(KernelCtx& c, const Shape& in, const Shape& filter, DepthwiseDims& d);
// The shape that an input spells.
Result<Shape> DepthwiseSizes(const Tensor& t, const char* name);

}  // namespace tensh::ops
