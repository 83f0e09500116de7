#include <cmath>

#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct ToleranceState : KernelState {
  float tolerance = 0;
  void Read(PrepareCtx& c) { tolerance = c.attrs().Float("tolerance"); }
};

struct ApproximateEqual {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &x = c.in(0), &y = c.in(1);
    if (!(x.shape() == y.shape()))
      return InvalidArgument("x and y must be of the same shape. x shape: ", x.shape(),
                             ". y shape: ", y.shape());
    TENSH_OUTPUT(z, c.Output(0, x.shape()));
    const T tolerance = static_cast<T>(c.state<ToleranceState>().tolerance);
    bool* out = z->data<bool>();
    for (int64_t i = 0; i < x.num_elements(); ++i)
      out[i] = std::abs(x.data<T>()[i] - y.data<T>()[i]) <= tolerance;
    return {};
  }
};

// The shape of x, as in TensorFlow, even if more is known of the shape of y.
Status ShapeOfX(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(0), c.in(1)).status());
  c.Set(0, c.in(0));
  return {};
}

}  // namespace

TENSH_OPS(math_elementwise_approximate_equal) {
  r.Op({.name = "ApproximateEqual",
        .inputs = "x: T, y: T",
        .outputs = "z: bool",
        .attrs = StrCat("T: ", kNumberTypes, ", tolerance: float = 1e-05"),
        .doc = "True where the difference of x and y is at most tolerance. x, y: numbers of the "
               "same shape. T: their type.",
        .shape = ShapeOfX,
        .no_gradient = true,
        .commutative = true,
        .examples = {{"tf.raw_ops.ApproximateEqual(x=[1., 2.], y=[1., 3.])", "[ True False]"}}})
      .Cpu<float, double>(ApproximateEqual{}, {.prepare = PrepareFrom<ToleranceState>});
}

}  // namespace tensh::ops
