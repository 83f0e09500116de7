#pragma once
// Input checks of the depthwise convolution ops, shared by the kernels of all devices. Stateless.
#include "ops/nn/conv/window.h"

namespace tensh::ops {

// Channel k of the input produces the output channels k * multiplier to (k + 1) * multiplier - 1.
struct DepthwiseDims {
  int64_t batch = 0, channels = 0, multiplier = 0;
  WindowDim rows, columns;
  constexpr int64_t out_channels() const { return channels * multiplier; }
};

Status MakeDepthwise(const WindowAttrs& w, const Shape& in, const Shape& filter, DepthwiseDims& d);
Result<Shape> DepthwiseOutShape(const WindowAttrs& w, const DepthwiseDims& d);
// Computes the dimensions for a node whose input 2 is the incoming gradient. Returns an error if
// the gradient does not fit.
Status DepthwiseGradDims(KernelCtx& c, const Shape& in, const Shape& filter, DepthwiseDims& d);
// Returns the shape that tensor `t` spells out.
Result<Shape> DepthwiseSizes(const Tensor& t, const char* name);

}  // namespace tensh::ops
