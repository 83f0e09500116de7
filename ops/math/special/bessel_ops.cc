// Bessel functions of the first and second kind, modified Bessel functions, and related integrals:
// Dawson's, Fresnel's, the exponential integral and the dilogarithm.
#include <cmath>

#include "ops/math/special/special_functions.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

#define TENSH_BESSEL_KERNEL(NAME, EXPRESSION)        \
  struct NAME##Kernel {                              \
    template <class T>                               \
    Status operator()(KernelCtx& c) const {          \
      return MapUnary<T>(                            \
          c,                                         \
          [](T v) {                                  \
            const double x = static_cast<double>(v); \
            return static_cast<T>(EXPRESSION);       \
          },                                         \
          80);                                       \
    }                                                \
  }
TENSH_BESSEL_KERNEL(BesselI0, BesselI0e(x) * std::exp(std::abs(x)));
TENSH_BESSEL_KERNEL(BesselI1, BesselI1e(x) * std::exp(std::abs(x)));
TENSH_BESSEL_KERNEL(BesselJ0, ::j0(x));
TENSH_BESSEL_KERNEL(BesselJ1, ::j1(x));
TENSH_BESSEL_KERNEL(BesselY0, BesselY(0, x));
TENSH_BESSEL_KERNEL(BesselY1, BesselY(1, x));
TENSH_BESSEL_KERNEL(BesselK0, BesselKe(0, x) * std::exp(-x));
TENSH_BESSEL_KERNEL(BesselK1, BesselKe(1, x) * std::exp(-x));
TENSH_BESSEL_KERNEL(BesselK0e, BesselKe(0, x));
TENSH_BESSEL_KERNEL(BesselK1e, BesselKe(1, x));
TENSH_BESSEL_KERNEL(Dawsn, Dawson(x));
TENSH_BESSEL_KERNEL(Expint, ExponentialIntegral(x));
TENSH_BESSEL_KERNEL(FresnelCos, FresnelC(x));
TENSH_BESSEL_KERNEL(FresnelSin, FresnelS(x));
TENSH_BESSEL_KERNEL(Spence, Dilogarithm(x));
#undef TENSH_BESSEL_KERNEL

Status Times(GradScope& g, Out slope) { return g.Return({g.Mul(g.dy(), slope)}); }
Out Of(GradScope& g, const char* op) { return g.Op(op, {g.x(0)}); }

// Returns op(x) - y / x, or `at_zero` where x is 0. This is the recurrence for the derivative of a
// Bessel function of order 1.
Out Recurrence(GradScope& g, const char* op, double at_zero) {
  Out x = g.x(0), zero = g.Like(0, x, "Equal/y");
  Out slope = GradSub(g, Of(g, op), g.Op("RealDiv", {g.y(0), x}, {}, "truediv"));
  Out half = g.Mul(g.Like(at_zero, x, "mul/x"), g.Op("OnesLike", {x}));
  return g.Op("SelectV2", {g.Op("Equal", {x, zero}), half, slope});
}

// For the slope of I1 at 0, TensorFlow uses 1, although the correct value is 1/2.
Status I0Grad(GradScope& g) { return Times(g, Of(g, "BesselI1")); }
Status I1Grad(GradScope& g) { return Times(g, Recurrence(g, "BesselI0", 1)); }
Status J0Grad(GradScope& g) { return Times(g, g.Op("Neg", {Of(g, "BesselJ1")})); }
Status J1Grad(GradScope& g) { return Times(g, Recurrence(g, "BesselJ0", 0.5)); }
Status Y0Grad(GradScope& g) { return Times(g, g.Op("Neg", {Of(g, "BesselY1")})); }
Status Y1Grad(GradScope& g) {
  return Times(g, GradSub(g, Of(g, "BesselY0"), GradDiv(g, g.y(0), g.x(0))));
}
Status K0Grad(GradScope& g) { return Times(g, g.Op("Neg", {Of(g, "BesselK1")})); }
Status K1Grad(GradScope& g) {
  Out k0 = g.Op("Neg", {Of(g, "BesselK0")});
  return Times(g, GradSub(g, k0, GradDiv(g, g.y(0), g.x(0))));
}
Status K0eGrad(GradScope& g) { return Times(g, GradSub(g, g.y(0), Of(g, "BesselK1e"))); }
Status K1eGrad(GradScope& g) {
  Out x = g.x(0);
  Out factor = GradSub(g, g.Like(1, x, "sub/x"), g.Op("Reciprocal", {x}));
  return Times(g, GradSub(g, g.Mul(g.y(0), factor), Of(g, "BesselK0e")));
}
Status DawsnGrad(GradScope& g) {
  Out xy = g.Mul(g.Mul(g.Like(2, g.x(0), "mul/x"), g.x(0)), g.y(0));
  return Times(g, GradSub(g, g.Like(1, xy, "sub/x"), xy));
}
Status ExpintGrad(GradScope& g) { return Times(g, GradDiv(g, Of(g, "Exp"), g.x(0))); }

Status FresnelGrad(GradScope& g, const char* wave) {
  Out square = g.Op("Square", {g.x(0)});
  return Times(g, g.Op(wave, {g.Mul(g.Like(1.5707963267948966, square, "mul/x"), square)}));
}
Status FresnelCosGrad(GradScope& g) { return FresnelGrad(g, "Cos"); }
Status FresnelSinGrad(GradScope& g) { return FresnelGrad(g, "Sin"); }

// The slope is log(x) / (1 - x), and -1 at x = 1.
Status SpenceGrad(GradScope& g) {
  Out x = g.x(0), one = g.Like(1, x, "sub/x");
  Out slope = GradDiv(g, Of(g, "Log"), GradSub(g, one, x));
  Out minus = g.Op("Neg", {g.Op("OnesLike", {x})});
  return Times(g, g.Op("SelectV2", {g.Op("Equal", {x, one}), minus, slope}));
}

template <class Kernel>
void Add(OpRegistry& r, const char* name, const char* what, GradFn grad, Kernel kernel,
         const char* x, const char* y) {
  r.Op({.name = name,
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = TENSH_FLOATS,
        .doc = StrCat(what, ", elementwise. x: real numbers. T: the element type."),
        .shape = SameAsInput<0>,
        .grad = grad,
        .elementwise = Elementwise::kSameShape,
        .examples = {{StrCat("tf.raw_ops.", name, "(x=", x, ")"), y}}})
      .template Cpu<float, double>(kernel);
}

}  // namespace

TENSH_OPS(math_special_bessel_ops) {
  Add(r, "BesselI0", "The modified Bessel function of the first kind, of order 0", I0Grad,
      BesselI0Kernel{}, "0.", "1.0");
  Add(r, "BesselI1", "The modified Bessel function of the first kind, of order 1", I1Grad,
      BesselI1Kernel{}, "0.", "0.0");
  Add(r, "BesselJ0", "The Bessel function of the first kind, of order 0", J0Grad, BesselJ0Kernel{},
      "0.", "1.0");
  Add(r, "BesselJ1", "The Bessel function of the first kind, of order 1", J1Grad, BesselJ1Kernel{},
      "0.", "0.0");
  Add(r, "BesselY0", "The Bessel function of the second kind, of order 0", Y0Grad, BesselY0Kernel{},
      "1.", "0.08825696");
  Add(r, "BesselY1", "The Bessel function of the second kind, of order 1", Y1Grad, BesselY1Kernel{},
      "1.", "-0.7812128");
  Add(r, "BesselK0", "The modified Bessel function of the second kind, of order 0", K0Grad,
      BesselK0Kernel{}, "1.", "0.42102444");
  Add(r, "BesselK1", "The modified Bessel function of the second kind, of order 1", K1Grad,
      BesselK1Kernel{}, "1.", "0.60190725");
  Add(r, "BesselK0e", "exp(x) times the modified Bessel function of the second kind, of order 0",
      K0eGrad, BesselK0eKernel{}, "1.", "1.1444631");
  Add(r, "BesselK1e", "exp(x) times the modified Bessel function of the second kind, of order 1",
      K1eGrad, BesselK1eKernel{}, "1.", "1.6361535");
  Add(r, "Dawsn", "Dawson's integral", DawsnGrad, DawsnKernel{}, "0.", "0.0");
  Add(r, "Expint", "The exponential integral", ExpintGrad, ExpintKernel{}, "1.", "1.8951178");
  Add(r, "FresnelCos", "Fresnel's cosine integral", FresnelCosGrad, FresnelCosKernel{}, "0.",
      "0.0");
  Add(r, "FresnelSin", "Fresnel's sine integral", FresnelSinGrad, FresnelSinKernel{}, "0.", "0.0");
  Add(r, "Spence", "Spence's integral, the dilogarithm of 1 - x", SpenceGrad, SpenceKernel{}, "1.",
      "0.0");
}

}  // namespace tensh::ops
