// Trigonometric and hyperbolic functions and their inverses.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "ops/math/elementwise/vec_math.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

#define TENSH_LIBM_KERNEL(NAME, FUNCTION)               \
  struct NAME {                                         \
    template <class T>                                  \
    Status operator()(KernelCtx& c) const {             \
      return MapUnary<T>(                               \
          c, [](T x) { return std::FUNCTION(x); }, 10); \
    }                                                   \
  }
TENSH_LIBM_KERNEL(Tan, tan);
TENSH_LIBM_KERNEL(Asin, asin);
TENSH_LIBM_KERNEL(Acos, acos);
TENSH_LIBM_KERNEL(Atan, atan);
TENSH_LIBM_KERNEL(Sinh, sinh);
TENSH_LIBM_KERNEL(Cosh, cosh);
#undef TENSH_LIBM_KERNEL

// The sine or cosine of a float of at most kLargest, by polynomials in double: those of FreeBSD's msun (k_sinf.c and k_cosf.c), whose
// results are nearly always rounded correctly.
template <bool cosine>
struct SineRow {
  static constexpr float kLargest = 1e8f;

  TENSH_ALWAYS_INLINE static float Of(float given) {
    const double x = static_cast<double>(given);
    const double turns = vec::FloorSmall(x * 0.63661977236758134308 + 0.5);  // of a quarter
    const double r = x - turns * 1.57079632673412561417 - turns * 6.07710050650619224932e-11;
    const int32_t quarter = static_cast<int32_t>(turns) + (cosine ? 1 : 0);
    const double r2 = r * r, r4 = r2 * r2;
    const double sin =
        r + r * r2 * (-0.166666666416265235595 + r2 * 0.0083333293858894631756) +
        r * r2 * r4 * (-0.000198393348360966317347 + r2 * 0.0000027183114939898219064);
    const double cos = 1.0 - r2 * 0.499999997251031003120 + r4 * 0.0416666233237390631894 +
                       r4 * r2 * (-0.00138867637746099294692 + r2 * 0.0000243904487962774090654);
    const double y = vec::Pick((quarter & 1) != 0, cos, sin);
    return static_cast<float>(vec::Pick((quarter & 2) != 0, -y, y));
  }
  TENSH_ALWAYS_INLINE static void Run(float* out, const float* in, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = Of(in[i]);
  }
};

// Sets *others to whether any element is larger than `most` or NaN.
struct FindOthers {
  TENSH_ALWAYS_INLINE static void Run(const float* in, int64_t n, float most, bool* others) {
    int32_t found = 0;  // as wide as a float, which vectorizes
    for (int64_t i = 0; i < n; ++i) found |= std::abs(in[i]) <= most ? 0 : 1;
    *others = found != 0;
  }
};

template <bool cosine>
struct Sine {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if constexpr (std::is_same_v<T, float>) {
      const float* in = c.in(0).data<float>();
      TENSH_OUTPUT(y, c.Forward(0, 0, c.in(0).shape()));
      float* out = y->data<float>();
      c.ParallelFor(y->num_elements(), 1.0, [=](int64_t begin, int64_t end) {
        constexpr int64_t kBlock = 1024;
        for (int64_t i = begin; i < end; i += kBlock)
          Block(out + i, in + i, std::min(kBlock, end - i));
      });
      return {};
    } else {
      return MapUnary<T>(
          c, [](T x) { return cosine ? std::cos(x) : std::sin(x); }, 10);
    }
  }
  static void Block(float* out, const float* in, int64_t n) {
    bool others = false;
    Dispatch<FindOthers>(in, n, SineRow<cosine>::kLargest, &others);
    if (!others) return Dispatch<SineRow<cosine>>(out, in, n);
    for (int64_t i = 0; i < n; ++i) out[i] = cosine ? std::cos(in[i]) : std::sin(in[i]);
  }
};

// erf(x) = x * P(x^2) / Q(x^2), with Eigen's coefficients. The result is exactly 1 from the limit on.
struct VecErf {
  template <class T>
  static constexpr bool kVector = std::is_same_v<T, float>;
  TENSH_ALWAYS_INLINE static float Vector(float x) {
    constexpr float kLimit = 3.832506856900711f;
    const float x2 = x * x;
    float p = x2 * 2.1237322e-06f + 2.8619796e-04f;
    p = x2 * p + 3.6580483e-03f;
    p = x2 * p + 5.2433021e-02f;
    p = x2 * p + 1.8741608e-01f;
    p = x2 * p + 1.1283791e+00f;
    float q = x2 * 3.8918573e-05f + 1.1432960e-03f;
    q = x2 * q + 1.4752088e-02f;
    q = x2 * q + 1.1294568e-01f;
    q = x2 * q + 4.9942580e-01f;
    q = x2 * q + 1.0f;
    const float y = x * p / q;
    const float above = vec::Pick(x >= kLimit, 1.0f, y);
    return vec::Pick(x <= -kLimit, -1.0f, above);
  }
  template <class T>
  static T Libm(T x) {
    return std::erf(x);
  }
};

struct Erf {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapVector<T, VecErf>(c);
  }
};

Status SinGrad(GradScope& g) { return g.Return({g.Mul(g.dy(), g.Op("Cos", {Conj(g, g.x(0))}))}); }
Status CosGrad(GradScope& g) {
  Out sin = g.Op("Sin", {Conj(g, g.x(0))});
  return g.Return({g.Mul(g.Op("Neg", {g.dy()}), sin)});
}
Status TanGrad(GradScope& g) {
  Out secant = g.Op("Reciprocal", {g.Op("Cos", {Conj(g, g.x(0))})});
  return g.Return({g.Mul(g.Op("Square", {secant}), g.dy())});
}
// Returns 1 / sqrt(1 - x * x).
Out ArcSlope(GradScope& g) {
  Out x2 = g.Op("Square", {Conj(g, g.x(0))});
  Out rest = g.Op("Sub", {g.Like(1, x2), x2});
  return g.Op("Reciprocal", {g.Op("Sqrt", {rest})});
}
Status AsinGrad(GradScope& g) { return g.Return({g.Mul(g.dy(), ArcSlope(g))}); }
Status AcosGrad(GradScope& g) { return g.Return({g.Mul(g.Op("Neg", {g.dy()}), ArcSlope(g))}); }
Status AtanGrad(GradScope& g) {
  Out x2 = g.Op("Square", {Conj(g, g.x(0))});
  Out slope = g.Op("Reciprocal", {g.Op("AddV2", {g.Like(1, x2), x2}, {}, "Add")});
  return g.Return({g.Mul(g.dy(), slope)});
}
Status SinhGrad(GradScope& g) { return g.Return({g.Mul(g.dy(), g.Op("Cosh", {Conj(g, g.x(0))}))}); }
Status CoshGrad(GradScope& g) { return g.Return({g.Mul(g.dy(), g.Op("Sinh", {Conj(g, g.x(0))}))}); }
Status ErfGrad(GradScope& g) {
  constexpr double kTwoOverRootPi = 1.1283791670955126;
  Out x2 = g.Op("Square", {g.x(0)});
  Out bell = g.Op("Exp", {g.Op("Neg", {x2})});
  return g.Return({g.Mul(g.Mul(g.dy(), g.Like(kTwoOverRootPi, bell)), bell)});
}

OpSpec Spec(OpText name, OpText attrs, std::string doc, GradFn grad, Example example) {
  return {.name = name,
          .inputs = "x: T",
          .outputs = "y: T",
          .attrs = attrs,
          .doc = std::move(doc) + " x: numbers. T: the element type.",
          .shape = SameAsInput<0>,
          .grad = grad,
          .elementwise = Elementwise::kSameShape,
          .examples = {example}};
}

}  // namespace

TENSH_OPS(math_elementwise_trigonometry) {
  r.Op(Spec("Sin", TENSH_FLOATS_COMPLEX, "The sine, elementwise.", SinGrad,
            {"tf.sin([0., 1.])", "[0.         0.84147096]"}))
      .Cpu<float, double, Complex64, Complex128>(Sine<false>{});
  r.Op(Spec("Cos", TENSH_FLOATS_COMPLEX, "The cosine, elementwise.", CosGrad,
            {"tf.cos([0., 1.])", "[1.        0.5403023]"}))
      .Cpu<float, double, Complex64, Complex128>(Sine<true>{});
  r.Op(Spec("Tan", TENSH_SIGNED_COMPLEX, "The tangent, elementwise.", TanGrad,
            {"tf.tan(0.)", "0.0"}))
      .Cpu<float, double, Complex64, Complex128>(Tan{});
  r.Op(Spec("Asin", TENSH_SIGNED_COMPLEX, "The inverse sine, elementwise.", AsinGrad,
            {"tf.asin(0.)", "0.0"}))
      .Cpu<float, double, Complex64, Complex128>(Asin{});
  r.Op(Spec("Acos", TENSH_SIGNED_COMPLEX, "The inverse cosine, elementwise.", AcosGrad,
            {"tf.acos(1.)", "0.0"}))
      .Cpu<float, double, Complex64, Complex128>(Acos{});
  r.Op(Spec("Atan", TENSH_SIGNED_COMPLEX, "The inverse tangent, elementwise.", AtanGrad,
            {"tf.atan(1.)", "0.7853982"}))
      .Cpu<float, double, Complex64, Complex128>(Atan{});
  r.Op(Spec("Sinh", TENSH_FLOATS_COMPLEX, "The hyperbolic sine, elementwise.", SinhGrad,
            {"tf.sinh(0.)", "0.0"}))
      .Cpu<float, double, Complex64, Complex128>(Sinh{});
  r.Op(Spec("Cosh", TENSH_FLOATS_COMPLEX, "The hyperbolic cosine, elementwise.", CoshGrad,
            {"tf.cosh(0.)", "1.0"}))
      .Cpu<float, double, Complex64, Complex128>(Cosh{});
  r.Op(Spec("Erf", TENSH_FLOATS, "The error function, elementwise.", ErfGrad,
            {"tf.erf(0.)", "0.0"}))
      .Cpu<float, double>(Erf{});
}

}  // namespace tensh::ops
