// Unary special functions: error functions, gamma functions, scaled Bessel functions and inverse
// hyperbolic functions.
#include "ops/math/special/special_functions.h"

#include <cmath>

#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

#define TENSH_SPECIAL_KERNEL(NAME, EXPRESSION)                    \
  struct NAME##Kernel {                                           \
    template <class T>                                            \
    Status operator()(KernelCtx& c) const {                       \
      return MapUnary<T>(                                         \
          c, [](T v) { return static_cast<T>(EXPRESSION); }, 30); \
    }                                                             \
  }
TENSH_SPECIAL_KERNEL(Erfc, std::erfc(v));
TENSH_SPECIAL_KERNEL(Asinh, std::asinh(v));
TENSH_SPECIAL_KERNEL(Acosh, std::acosh(v));
TENSH_SPECIAL_KERNEL(Atanh, std::atanh(v));
TENSH_SPECIAL_KERNEL(Digamma, Digamma(static_cast<double>(v)));
TENSH_SPECIAL_KERNEL(Erfinv, Erfinv(static_cast<double>(v)));
TENSH_SPECIAL_KERNEL(Ndtri, Ndtri(static_cast<double>(v)));
TENSH_SPECIAL_KERNEL(BesselI0e, BesselI0e(static_cast<double>(v)));
TENSH_SPECIAL_KERNEL(BesselI1e, BesselI1e(static_cast<double>(v)));
#undef TENSH_SPECIAL_KERNEL

double SafeLogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}
struct LgammaKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(
        c, [](T v) { return static_cast<T>(SafeLogGamma(static_cast<double>(v))); }, 40);
  }
};

// Returns dy * factor * exp(exponent), where the exponent is plus or minus a square.
Out Bell(GradScope& g, double factor, Out exponent) {
  Out bell = g.Op("Exp", {exponent});
  return g.Mul(g.dy(), g.Mul(g.Like(factor, bell), bell));
}

Status ErfcGrad(GradScope& g) {
  return g.Return({Bell(g, -1.1283791670955126, g.Op("Neg", {g.Op("Square", {g.x(0)})}))});
}
Status ErfinvGrad(GradScope& g) {
  return g.Return({Bell(g, 0.886226925452758, g.Op("Square", {g.y(0)}))});
}
Status NdtriGrad(GradScope& g) {
  Out square = g.Op("Square", {g.y(0)});
  Out half = GradDiv(g, square, g.Like(2, square, "truediv/y"));
  return g.Return({Bell(g, 2.5066282746310002, half)});
}
Status LgammaGrad(GradScope& g) { return g.Return({g.Mul(g.dy(), g.Op("Digamma", {g.x(0)}))}); }
Status DigammaGrad(GradScope& g) {
  Out slope = g.Op("Polygamma", {g.Like(1, g.x(0), "Polygamma/a"), g.x(0)});
  return g.Return({g.Mul(g.dy(), slope)});
}
Status AsinhGrad(GradScope& g) {
  return g.Return({GradDiv(g, g.dy(), g.Op("Cosh", {Conj(g, g.y(0))}))});
}
Status AcoshGrad(GradScope& g) {
  return g.Return({GradDiv(g, g.dy(), g.Op("Sinh", {Conj(g, g.y(0))}))});
}
Status AtanhGrad(GradScope& g) {
  Out x2 = g.Op("Square", {Conj(g, g.x(0))});
  Out rest = g.Op("Sub", {g.Like(1, x2), x2});
  return g.Return({g.Mul(g.dy(), g.Op("Reciprocal", {rest}))});
}
Status BesselI0eGrad(GradScope& g) {
  Out turned = g.Mul(g.Op("Sign", {g.x(0)}), g.y(0));
  Out slope = GradSub(g, g.Op("BesselI1e", {g.x(0)}), turned);
  return g.Return({g.Mul(g.dy(), slope)});
}
// The slope at 0 is 0.5; the general formula would divide by 0 there.
Status BesselI1eGrad(GradScope& g) {
  Out x = g.x(0);
  const double epsilon = g.dtype(x) == DType::kDouble ? 2.220446049250313e-16 : 1.1920929e-07;
  Out tiny = g.Op("LessEqual", {g.Op("Abs", {x}), g.Like(epsilon, x, "LessEqual/y")});
  Out one = g.Op("OnesLike", {x});
  Out safe = g.Op("SelectV2", {tiny, one, x});
  Out factor = GradAdd(g, g.Op("Sign", {safe}), g.Op("Reciprocal", {safe}));
  Out slope = GradSub(g, g.Op("BesselI0e", {safe}), g.Mul(g.y(0), factor));
  Out half = g.Mul(one, g.Like(0.5, x, "mul/x"));
  return g.Return({g.Mul(g.dy(), g.Op("SelectV2", {tiny, half, slope}))});
}

OpSpec Spec(OpText name, OpText attrs, std::string doc, GradFn grad, Example example) {
  return {.name = name,
          .inputs = "x: T",
          .outputs = "y: T",
          .attrs = attrs,
          .doc = std::move(doc) + " x: real numbers. T: the element type.",
          .shape = SameAsInput<0>,
          .grad = grad,
          .elementwise = Elementwise::kSameShape,
          .examples = {example}};
}

}  // namespace

TENSH_OPS(math_special_special_ops) {
  r.Op(Spec("Erfc", TENSH_FLOATS, "1 - erf(x), elementwise.", ErfcGrad, {"tf.erfc(0.)", "1.0"}))
      .Cpu<float, double>(ErfcKernel{});
  r.Op(Spec("Erfinv", TENSH_FLOATS, "The inverse of the error function, elementwise.", ErfinvGrad,
            {"tf.erfinv(0.)", "0.0"}))
      .Cpu<float, double>(ErfinvKernel{});
  r.Op(Spec("Ndtri", TENSH_FLOATS, "The quantile function of the normal distribution, elementwise.",
            NdtriGrad, {"tf.ndtri(0.5)", "0.0"}))
      .Cpu<float, double>(NdtriKernel{});
  r.Op(Spec("Lgamma", TENSH_FLOATS,
            "The logarithm of the gamma function's absolute value, elementwise.", LgammaGrad,
            {"tf.lgamma(1.)", "0.0"}))
      .Cpu<float, double>(LgammaKernel{});
  r.Op(Spec("Digamma", TENSH_FLOATS, "The derivative of lgamma, elementwise.", DigammaGrad,
            {"tf.digamma(1.)", "-0.5772157"}))
      .Cpu<float, double>(DigammaKernel{});
  r.Op(Spec("Asinh", TENSH_FLOATS_COMPLEX, "The inverse hyperbolic sine, elementwise.", AsinhGrad,
            {"tf.asinh(0.)", "0.0"}))
      .Cpu<float, double, Complex64, Complex128>(AsinhKernel{});
  r.Op(Spec("Acosh", TENSH_FLOATS_COMPLEX, "The inverse hyperbolic cosine, elementwise.", AcoshGrad,
            {"tf.acosh(1.)", "0.0"}))
      .Cpu<float, double, Complex64, Complex128>(AcoshKernel{});
  r.Op(Spec("Atanh", TENSH_FLOATS_COMPLEX, "The inverse hyperbolic tangent, elementwise.",
            AtanhGrad, {"tf.atanh(0.)", "0.0"}))
      .Cpu<float, double, Complex64, Complex128>(AtanhKernel{});
  r.Op(Spec("BesselI0e", TENSH_FLOATS, "exp(-abs(x)) * I0(x), elementwise, a Bessel function.",
            BesselI0eGrad, {"tf.raw_ops.BesselI0e(x=0.)", "1.0"}))
      .Cpu<float, double>(BesselI0eKernel{});
  r.Op(Spec("BesselI1e", TENSH_FLOATS, "exp(-abs(x)) * I1(x), elementwise, a Bessel function.",
            BesselI1eGrad, {"tf.raw_ops.BesselI1e(x=0.)", "0.0"}))
      .Cpu<float, double>(BesselI1eKernel{});
}

}  // namespace tensh::ops
