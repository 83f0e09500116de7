// Square: x * x, elementwise.
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct Square {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return WrapMul(x, x); });
  }
};

// The gradient is dy * (2 * x), as two Mul nodes like in TensorFlow.
Status SquareGrad(GradScope& g) {
  Out x = Conj(g, g.x(0));
  Out two_x = g.Op("Mul", {x, g.Like(2, x)});
  return g.Return({g.Op("Mul", {g.dy(), two_x})});
}

}  // namespace

TENSH_OPS(math_elementwise_square) {
  r.Op({.name = "Square",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, "
                 "uint32, uint64, complex64, complex128}",
        .doc = "x * x, elementwise. x: numbers of type T. T: the element type.",
        .shape = SameAsInput<0>,
        .grad = SquareGrad,
        .elementwise = Elementwise::kSameShape,
        .examples = {{"tf.square([1., -2.])", "[1. 4.]"}, {"tf.square(3)", "9"}}})
      .Cpu<float, double, int32_t, int64_t, int8_t, int16_t, uint8_t, uint64_t, Complex64,
           Complex128>(Square{});
}

}  // namespace tensh::ops
