#pragma once
// Kernels, shape functions and gradients shared by the convolution ops for images and volumes. The
// state of a node is its WindowAttrs. Stateless.
#include "ops/nn/conv/conv_gemm.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {

// Volumes have no groups. As in TensorFlow, this is checked by the kernels, not by the shape
// functions.
Status CheckVolumeDepth(const WindowAttrs& w, const ConvDims& d);
Result<Shape> ConvOutShape(const WindowAttrs& w, const ConvDims& d);
// Computes the dimensions of the convolution whose gradient is wanted, and checks them against the
// shape `dy` of the incoming gradient. `label` is the op's name for error messages.
Status ConvGradDims(const WindowAttrs& w, const Shape& in, const Shape& filter, const Shape& dy,
                    const char* label, ConvDims& d);
// Returns an error for grouped convolutions: like TensorFlow, the CPU has no gradients of them.
Status RefuseGroups(const ConvDims& d, const char* label);
// Return the shape spelled out by the `sizes` input of a gradient. Two numbers are rows and
// columns.
Result<Shape> ConvInputSizes(const Tensor& sizes, const Shape& filter, const Shape& dy,
                             const char* label);
Result<Shape> ConvFilterSizes(const Tensor& sizes, const char* label);

// ---- kernels ----

struct ConvForward {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    const Tensor &in = c.in(0), &filter = c.in(1);
    ConvDims d;
    TENSH_RETURN_IF_ERROR(MakeConv(w, in.shape(), filter.shape(), d));
    TENSH_RETURN_IF_ERROR(CheckVolumeDepth(w, d));
    TENSH_ASSIGN(Shape shape, ConvOutShape(w, d));
    TENSH_OUTPUT(out, c.Output(0, shape));
    return Convolve(c, d, in.data<T>(), filter.data<T>(), out->data<T>(), out);
  }
};

// Inputs: the convolution's input (or its sizes), the filter, the incoming gradient.
template <bool sizes>
struct ConvInputGrad {
  template <class T>
  static Status Run(KernelCtx& c, const char* label) {
    const auto& w = c.state<WindowAttrs>();
    const Tensor &filter = c.in(1), &dy = c.in(2);
    Shape in = c.in(0).shape();
    if constexpr (sizes) {
      TENSH_ASSIGN(in, ConvInputSizes(c.in(0), filter.shape(), dy.shape(), label));
    }
    ConvDims d;
    TENSH_RETURN_IF_ERROR(ConvGradDims(w, in, filter.shape(), dy.shape(), label, d));
    TENSH_RETURN_IF_ERROR(RefuseGroups(d, label));
    TENSH_OUTPUT(dx, c.Output(0, in));
    return ConvolveInputGrad(c, d, filter.data<T>(), dy.data<T>(), dx->data<T>(), dx);
  }
};

// Inputs: the convolution's input, the filter (or its sizes), the incoming gradient.
template <bool sizes>
struct ConvFilterGrad {
  template <class T>
  static Status Run(KernelCtx& c, const char* label) {
    const auto& w = c.state<WindowAttrs>();
    const Tensor &in = c.in(0), &dy = c.in(2);
    Shape filter = c.in(1).shape();
    if constexpr (sizes) {
      TENSH_ASSIGN(filter, ConvFilterSizes(c.in(1), label));
    }
    ConvDims d;
    TENSH_RETURN_IF_ERROR(ConvGradDims(w, in.shape(), filter, dy.shape(), label, d));
    TENSH_RETURN_IF_ERROR(RefuseGroups(d, label));
    TENSH_OUTPUT(df, c.Output(0, filter));
    return ConvolveFilterGrad(c, d, in.data<T>(), dy.data<T>(), df->data<T>());
  }
};

// ---- shapes ----

Status ConvShape(ShapeCtx& c);
Status ConvInputSizesShape(ShapeCtx& c);
Status ConvFilterSizesShape(ShapeCtx& c);

}  // namespace tensh::ops
