// ClipByValue. The bounds are scalars or have the shape of the input.
#include "ops/op_file.h"
#include "ops/support/bounds_bins.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {

Status CheckClipBounds(const Tensor& x, const Tensor& low, const Tensor& high) {
  for (const Tensor* bound : {&low, &high})
    if (bound->rank() != 0 && !(bound->shape() == x.shape()))
      return InvalidArgument(
          "clip_value_min and clip_value_max must be either of the same shape as "
          "input, or a scalar. input shape: ",
          x.shape(), " clip_value_min shape: ", low.shape(),
          " clip_value_max shape: ", high.shape());
  return {};
}

namespace {

struct Clip {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    const Tensor& low = c.in(1);
    const Tensor& high = c.in(2);
    const Shape shape = x.shape();
    TENSH_RETURN_IF_ERROR(CheckClipBounds(x, low, high));
    const T* in = x.data<T>();
    const T* lo = low.data<T>();
    const T* hi = high.data<T>();
    const bool lo_moves = low.rank() != 0, hi_moves = high.rank() != 0;
    const int64_t n = x.num_elements();
    TENSH_OUTPUT(y, c.Output(0, shape));
    T* out = y->data<T>();
    for (int64_t i = 0; i < n; ++i) {
      const T least = lo[lo_moves * i], most = hi[hi_moves * i];
      const T v = most < in[i] ? most : in[i];  // keeps NaN
      out[i] = v < least ? least : v;
    }
    return {};
  }
};

// The gradient flows where the value is within the bounds.
Status ClipGrad(GradScope& g) {
  Out x = g.x(0), dy = g.dy();
  Out zeros = GradZerosLike(g, dy);
  Out below = g.Op("Less", {x, g.x(1)}), above = g.Op("Greater", {x, g.x(2)});
  Out outside = g.Op("LogicalOr", {below, above});
  const Shape shape = g.shape(x);
  auto bound_grad = [&](Out mask, int i) {
    const Out part = g.Op("Select", {mask, dy, zeros});
    if (shape.IsFullyKnown() && g.shape(g.x(i)) == shape) return part;
    const Out bound = ShapeOf(g, g.x(i));
    const Out axes = g.Op("BroadcastGradientArgs", {ShapeOf(g, x), bound});
    return g.Op("Reshape", {g.Op("Sum", {part, g.Output(axes, 1)}), bound});
  };
  Out dx = g.Op("Select", {outside, zeros, dy});
  Out dmin = bound_grad(below, 1);
  return g.Return({dx, dmin, bound_grad(above, 2)});
}

}  // namespace

TENSH_OPS(math_elementwise_clip_by_value) {
  r.Op({.name = "ClipByValue",
        .inputs = "t: T, clip_value_min: T, clip_value_max: T",
        .outputs = "output: T",
        .attrs = TENSH_NUMBERS,
        .doc = "Clips t to [clip_value_min, clip_value_max], elementwise. t: real numbers. "
               "clip_value_min, clip_value_max: scalars, or one bound for each element. T: the "
               "element type.",
        .shape = SameAsInput<0>,
        .grad = ClipGrad,
        .elementwise = Elementwise::kBroadcast,
        .examples =
            {{"tf.raw_ops.ClipByValue(t=[1., 5., 9.], clip_value_min=2., clip_value_max=6.)",
              "[2. 5. 6.]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t>(Clip{});
}

}  // namespace tensh::ops
