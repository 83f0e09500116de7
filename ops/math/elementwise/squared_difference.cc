// SquaredDifference: (x - y) squared, with broadcasting.
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct SquaredDifference {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](T x, T y) {
      const T d = WrapSub(x, y);
      return WrapMul(d, Conjugate(d));
    });
  }
};

Status SquaredDifferenceGrad(GradScope& g) {
  Out twice = g.Op("Mul", {g.Like(2, g.dy(), "scalar"), g.dy()});
  Out dx = g.Mul(twice, GradSub(g, g.x(0), g.x(1)));
  return g.ReturnBroadcast(dx, g.Op("Neg", {dx}));
}

}  // namespace

TENSH_OPS(math_elementwise_squared_difference) {
  r.Op({.name = "SquaredDifference",
        .inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
        .doc = "(x - y) squared, elementwise, with broadcasting. x, y: numbers of type T. T: the "
               "element type.",
        .shape = BroadcastInputs,
        .grad = SquaredDifferenceGrad,
        .commutative = true,
        .examples = {{"tf.squared_difference([1., 5.], 3.)", "[4. 4.]"}}})
      .Cpu<float, double, int32_t, int64_t, Complex64, Complex128>(SquaredDifference{});
}

}  // namespace tensh::ops
