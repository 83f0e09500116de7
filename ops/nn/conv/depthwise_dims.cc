#include "ops/nn/conv/depthwise_dims.h"

#include "ops/support/shape_util.h"

namespace tensh::ops {

Status MakeDepthwise(const WindowAttrs& w, const Shape& in, const Shape& filter, DepthwiseDims& d) {
  if (in.rank() != 4) return InvalidArgument("input must be 4-dimensional, got ", in);
  if (filter.rank() != 4) return InvalidArgument("filter must be 4-dimensional: ", filter);
  if (w.strides[WindowAttrs::kBatch] != 1 || w.strides[WindowAttrs::kChannels] != 1)
    return InvalidArgument(
        "Current implementation does not yet support strides in the batch and depth dimensions.");
  d.batch = in[0];
  d.channels = w.Of(in, WindowAttrs::kChannels);
  d.multiplier = filter[3];
  if (d.channels >= 0 && filter[2] >= 0 && d.channels != filter[2])
    return InvalidArgument("input and filter must have the same depth: ", d.channels, " vs ",
                           filter[2]);
  if (d.channels < 0) d.channels = filter[2];
  TENSH_RETURN_IF_ERROR(
      MakeWindow(w, WindowAttrs::kRows, w.Of(in, WindowAttrs::kRows), filter[0], d.rows));
  return MakeWindow(w, WindowAttrs::kColumns, w.Of(in, WindowAttrs::kColumns), filter[1],
                    d.columns);
}

Result<Shape> DepthwiseOutShape(const WindowAttrs& w, const DepthwiseDims& d) {
  int64_t channels = -1;
  if (d.channels >= 0 && d.multiplier >= 0 &&
      __builtin_mul_overflow(d.channels, d.multiplier, &channels))
    return InvalidArgument("too many channels: ", d.channels, " times ", d.multiplier);
  return Shape::Make(w.Make(d.batch, d.rows.out, d.columns.out, channels).dims(), false);
}

Status DepthwiseGradDims(KernelCtx& c, const Shape& in, const Shape& filter, DepthwiseDims& d) {
  const auto& w = c.state<WindowAttrs>();
  const Shape& dy = c.in(2).shape();
  TENSH_RETURN_IF_ERROR(MakeDepthwise(w, in, filter, d));
  TENSH_ASSIGN(Shape want, DepthwiseOutShape(w, d));
  if (!(want == dy))
    return InvalidArgument("DepthwiseConv2DBackprop: out_backprop must have shape ", want, ", got ",
                           dy);
  return {};
}

Result<Shape> DepthwiseSizes(const Tensor& t, const char* name) {
  if (!IsVector(t)) return InvalidArgument(name, " must be 1-dimensional, got shape ", t.shape());
  return ShapeFromTensor(t);
}

}  // namespace tensh::ops
