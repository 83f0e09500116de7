// Sqrt, Rsqrt and Reciprocal, with TensorFlow's fused gradient ops.
#include <cmath>

#include "ops/math/elementwise/complex_functions.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

struct Sqrt {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return std::sqrt(x); });
  }
};
struct Rsqrt {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return T{1} / std::sqrt(x); });
  }
};
struct Reciprocal {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return T{1} / x; });
  }
};
// Returns a * b, but zero if b is zero, even if a is infinite or NaN.
template <class T>
T MulNoNan(T a, T b) {
  return b == T{} ? T{} : a * b;
}

// Bytes in one of TensorFlow's vectors. For shorter arrays TensorFlow divides in another order,
// which changes the last digit.
constexpr int64_t kVectorBytes = 32;

struct SqrtGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if (c.in(0).num_elements() < kVectorBytes / static_cast<int64_t>(sizeof(T)))
      return MapBinary<T>(c,
                          [](T y, T dy) { return dy == T{} ? T{} : T{0.5} * dy / Conjugate(y); });
    return MapBinary<T>(c, [](T y, T dy) { return MulNoNan(T{0.5} / Conjugate(y), dy); });
  }
};
struct RsqrtGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](T given, T dy) {
      const T y = Conjugate(given);
      return MulNoNan(T{-0.5} * (y * y), MulNoNan(y, dy));
    });
  }
};
struct ReciprocalGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](T given, T dy) {
      const T y = Conjugate(given);
      return MulNoNan(-(y * y), dy);
    });
  }
};

// Each gradient is a fused op of (y, dy).
Status SqrtBackward(GradScope& g) { return g.Return({g.Op("SqrtGrad", {g.y(0), g.dy()})}); }
Status RsqrtBackward(GradScope& g) { return g.Return({g.Op("RsqrtGrad", {g.y(0), g.dy()})}); }
Status ReciprocalBackward(GradScope& g) {
  return g.Return({g.Op("ReciprocalGrad", {g.y(0), g.dy()})});
}

Status SqrtGradBackward(GradScope& g) {
  Out ratio = GradDiv(g, g.dy(), g.x(0));
  Out dy = g.Mul(g.Op("Neg", {Conj(g, ratio)}), g.y(0));
  return g.Return({dy, g.Mul(g.Like(0.5, ratio, "mul_1/x"), ratio)});
}
Status RsqrtGradBackward(GradScope& g) {
  Out y = Conj(g, g.x(0)), b = g.x(1), dy = g.dy();
  Out scaled = g.Mul(g.Mul(g.Like(-1.5, dy, "mul/x"), Conj(g, dy)), b);
  Out da = g.Mul(scaled, g.Op("Square", {y}));
  return g.Return({da, g.Op("RsqrtGrad", {y, dy})});
}
Status ReciprocalGradBackward(GradScope& g) {
  Out y = Conj(g, g.x(0)), b = g.x(1), dy = g.dy();
  Out da = g.Mul(g.Mul(g.Mul(Conj(g, dy), g.Like(-2, dy, "mul/y")), b), y);
  return g.Return({da, g.Op("ReciprocalGrad", {y, dy})});
}

OpSpec Unary(OpText name, OpText attrs, std::string doc, GradFn grad, Example example) {
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

OpSpec Backward(OpText name, std::string doc, GradFn grad, Example example) {
  return {.name = name,
          .inputs = "y: T, dy: T",
          .outputs = "z: T",
          .attrs = TENSH_FLOATS_COMPLEX,
          .doc = std::move(doc) +
                 " y: the forward result. dy: the incoming gradient. T: the element type.",
          .shape = SameAsInput<0>,
          .grad = grad,
          .elementwise = Elementwise::kSameShape,
          .examples = {example}};
}

}  // namespace

TENSH_OPS(math_elementwise_roots) {
  r.Op(Unary("Sqrt", TENSH_FLOATS_COMPLEX, "The square root, elementwise; NaN below zero.",
             SqrtBackward, {"tf.sqrt([4., 9.])", "[2. 3.]"}))
      .Cpu<float, double, Complex64, Complex128>(Sqrt{});
  r.Op(Unary("Rsqrt", TENSH_FLOATS_COMPLEX, "One over the square root, elementwise.", RsqrtBackward,
             {"tf.rsqrt([4., 0.25])", "[0.5 2. ]"}))
      .Cpu<float, double, Complex64, Complex128>(Rsqrt{});
  r.Op(Unary("Reciprocal", TENSH_SIGNED_COMPLEX, "1 / x, elementwise.", ReciprocalBackward,
             {"tf.reciprocal([4., 0.5])", "[0.25 2.  ]"}))
      .Cpu<float, double, Complex64, Complex128>(Reciprocal{});
  r.Alias("Inv", "Reciprocal");
  r.Op(Backward("SqrtGrad", "The gradient of Sqrt: dy * 0.5 / y.", SqrtGradBackward,
                {"sqrt_grad([2.], [1.])", "[0.25]"}))
      .Cpu<float, double, Complex64, Complex128>(SqrtGrad{});
  r.Op(Backward("RsqrtGrad", "The gradient of Rsqrt: dy * -0.5 * y**3.", RsqrtGradBackward,
                {"rsqrt_grad([2.], [1.])", "[-4.]"}))
      .Cpu<float, double, Complex64, Complex128>(RsqrtGrad{});
  r.Op(Backward("ReciprocalGrad", "The gradient of Reciprocal: -dy * y * y.",
                ReciprocalGradBackward, {"reciprocal_grad([0.5], [1.])", "[-0.25]"}))
      .Cpu<float, double, Complex64, Complex128>(ReciprocalGrad{});
  r.Alias("InvGrad", "ReciprocalGrad");
}

}  // namespace tensh::ops
