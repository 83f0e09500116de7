// Exp, Log, Log1p and Expm1. The digits are those of TensorFlow; see vec_math.h.
#include "ops/math/elementwise/complex_functions.h"
#include "ops/math/elementwise/vec_math.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

struct Exp {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if constexpr (kIsComplex<T>)
      return MapUnary<T>(
          c, [](T x) { return std::exp(x); }, 40);
    else
      return MapVector<T, VecExp>(c);
  }
};
struct Log {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if constexpr (kIsComplex<T>)
      return MapUnary<T>(
          c, [](T x) { return std::log(x); }, 40);
    else
      return MapVector<T, VecLog>(c);
  }
};
struct Log1p {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if constexpr (kIsComplex<T>)
      return MapUnary<T>(
          c, [](T x) { return ComplexLog1p(x); }, 60);
    else
      return MapVector<T, VecLog1p>(c);
  }
};
struct Expm1 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if constexpr (kIsComplex<T>)
      return MapUnary<T>(
          c, [](T x) { return ComplexExpm1(x); }, 60);
    else
      return MapVector<T, VecExpm1>(c);
  }
};

Status ExpGrad(GradScope& g) { return g.Return({g.Mul(g.dy(), Conj(g, g.y(0)))}); }
Status LogGrad(GradScope& g) {
  return g.Return({g.Mul(g.dy(), g.Op("Reciprocal", {Conj(g, g.x(0))}))});
}
Status Log1pGrad(GradScope& g) {
  Out x = Conj(g, g.x(0));
  Out x1 = GradAdd(g, g.Like(1, x, "add/x"), x);
  return g.Return({g.Mul(g.dy(), g.Op("Reciprocal", {x1}))});
}
Status Expm1Grad(GradScope& g) { return g.Return({g.Mul(g.dy(), g.Op("Exp", {Conj(g, g.x(0))}))}); }

OpSpec Spec(OpText name, std::string doc, GradFn grad, Example example) {
  return {.name = name,
          .inputs = "x: T",
          .outputs = "y: T",
          .attrs = TENSH_FLOATS_COMPLEX,
          .doc = std::move(doc) + " x: numbers. T: the element type.",
          .shape = SameAsInput<0>,
          .grad = grad,
          .elementwise = Elementwise::kSameShape,
          .examples = {example}};
}

}  // namespace

TENSH_OPS(math_elementwise_exp_log) {
  r.Op(Spec("Exp", "e to the power of x, elementwise.", ExpGrad,
            {"tf.exp([0., 1.])", "[1.        2.7182817]"}))
      .Cpu<float, double, Complex64, Complex128>(Exp{});
  r.Op(Spec("Log", "The natural logarithm, elementwise; NaN below zero.", LogGrad,
            {"tf.log([1., 2.])", "[0.        0.6931472]"}))
      .Cpu<float, double, Complex64, Complex128>(Log{});
  r.Op(Spec("Log1p", "log(1 + x), elementwise, accurate for small x.", Log1pGrad,
            {"tf.log1p([0., 1.])", "[0.        0.6931472]"}))
      .Cpu<float, double, Complex64, Complex128>(Log1p{});
  r.Op(Spec("Expm1", "exp(x) - 1, elementwise, accurate for small x.", Expm1Grad,
            {"tf.expm1([0., 1.])", "[0.        1.7182817]"}))
      .Cpu<float, double, Complex64, Complex128>(Expm1{});
}

}  // namespace tensh::ops
