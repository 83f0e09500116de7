// Products and quotients that are 0 if a factor or the divisor is 0, even if the other operand is
// infinite or NaN.
#include <cmath>

#include "ops/math/binary_op.h"
#include "ops/math/elementwise/complex_functions.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

TENSH_BINARY_KERNEL(Xdivy, x == T{0} ? T{0} : x / y);
TENSH_BINARY_KERNEL(Xlogy, x == T{0} ? T{0} : x * std::log(y));
TENSH_BINARY_KERNEL(Xlog1py, x == T{0} ? T{0} : x * Log1pOf(y));
TENSH_BINARY_KERNEL(DivNoNan, y == T{0} ? T{0} : x / y);
TENSH_BINARY_KERNEL(MulNoNan, y == T{0} ? T{0} : x * y);

// Returns 1 where x is not 0, and 0 elsewhere.
Out NotZero(GradScope& g) {
  Out x = g.x(0);
  Out differs = g.Op("NotEqual", {x, g.Like(0, x, "NotEqual/y")});
  return GradCast(g, differs, g.dtype(x));
}

Status XdivyGrad(GradScope& g) {
  Out dx = g.Op("Xdivy", {NotZero(g), g.x(1)});
  Out dy = g.Op("Xdivy", {g.Op("Neg", {g.x(0)}), g.Op("Square", {g.x(1)})});
  return g.ReturnBroadcast(g.Mul(dx, g.dy()), g.Mul(dy, g.dy()));
}
Status XlogyGrad(GradScope& g) {
  Out dx = g.Op("Xlogy", {NotZero(g), g.x(1)});
  return g.ReturnBroadcast(g.Mul(dx, g.dy()), g.Mul(g.Op("Xdivy", {g.x(0), g.x(1)}), g.dy()));
}
Status Xlog1pyGrad(GradScope& g) {
  Out dx = g.Op("Xlog1py", {NotZero(g), g.x(1)});
  Out more = GradAdd(g, g.x(1), g.Like(1, g.x(1), "add/y"));
  return g.ReturnBroadcast(g.Mul(dx, g.dy()), g.Mul(g.Op("Xdivy", {g.x(0), more}), g.dy()));
}
Status DivNoNanGrad(GradScope& g) {
  Out dx = g.Op("DivNoNan", {g.dy(), Conj(g, g.x(1))}, {}, "div_no_nan");
  Out slope =
      g.Op("DivNoNan", {g.Op("Neg", {Conj(g, g.x(0))}), Conj(g, g.x(1))}, {}, "div_no_nan_1");
  slope = g.Op("DivNoNan", {slope, Conj(g, g.x(1))}, {}, "div_no_nan_2");
  return g.ReturnBroadcast(dx, g.Mul(g.dy(), slope));
}
Status MulNoNanGrad(GradScope& g) {
  Out dx = g.Op("MulNoNan", {g.dy(), g.x(1)}, {}, "mul_no_nan");
  return g.ReturnBroadcast(dx, g.Op("MulNoNan", {g.x(0), g.dy()}, {}, "mul_no_nan_1"));
}

}  // namespace

TENSH_OPS(math_elementwise_no_nan_products) {
  r.Op(BinarySpec("Xdivy", TENSH_FLOATS_COMPLEX, "0 where x is 0, otherwise x / y, elementwise.",
                  XdivyGrad, {"tf.math.xdivy([0., 6.], [0., 2.])", "[0. 3.]"}))
      .Cpu<float, double, Complex64, Complex128>(XdivyKernel{});
  r.Op(BinarySpec("Xlogy", TENSH_FLOATS_COMPLEX,
                  "0 where x is 0, otherwise x * log(y), elementwise.", XlogyGrad,
                  {"tf.math.xlogy([0., 6.], [0., 1.])", "[0. 0.]"}))
      .Cpu<float, double, Complex64, Complex128>(XlogyKernel{});
  r.Op(BinarySpec("Xlog1py", TENSH_FLOATS_COMPLEX,
                  "0 where x is 0, otherwise x * log1p(y), elementwise.", Xlog1pyGrad,
                  {"tf.math.xlog1py([0., 6.], [-1., 0.])", "[0. 0.]"}))
      .Cpu<float, double, Complex64, Complex128>(Xlog1pyKernel{});
  r.Op(BinarySpec("DivNoNan", TENSH_FLOATS_COMPLEX, "0 where y is 0, otherwise x / y, elementwise.",
                  DivNoNanGrad, {"tf.div_no_nan([1., 6.], [0., 2.])", "[0. 3.]"}))
      .Cpu<float, double, Complex64, Complex128>(DivNoNanKernel{});
  r.Op(BinarySpec("MulNoNan", TENSH_FLOATS_COMPLEX, "0 where y is 0, otherwise x * y, elementwise.",
                  MulNoNanGrad, {"tf.math.multiply_no_nan([1., 6.], [0., 2.])", "[ 0. 12.]"}))
      .Cpu<float, double, Complex64, Complex128>(MulNoNanKernel{});
}

}  // namespace tensh::ops
