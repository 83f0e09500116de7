// Sigmoid and Tanh, with their gradient ops. The digits are those of TensorFlow; see vec_math.h.
#include "ops/math/elementwise/vec_math.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

struct Sigmoid {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if constexpr (kIsComplex<T>)
      return MapUnary<T>(
          c, [](T x) { return T{1} / (T{1} + std::exp(-x)); }, 60);
    else
      return MapVector<T, VecSigmoid>(c);
  }
};
struct Tanh {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if constexpr (kIsComplex<T>)
      return MapUnary<T>(
          c, [](T x) { return std::tanh(x); }, 60);
    else
      return MapVector<T, VecTanh>(c);
  }
};
struct SigmoidGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    // Multiplies in the order of TensorFlow's vector loop. Its loop over the remaining elements
    // multiplies dy by y first.
    return MapBinary<T>(c, [](T y, T dy) { return dy * (y * (T{1} - y)); });
  }
};
struct TanhGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](T y, T dy) { return dy * (T{1} - y * y); });
  }
};

Status SigmoidBackward(GradScope& g) {
  return g.Return({g.Op("SigmoidGrad", {Conj(g, g.y(0)), g.dy()})});
}
Status TanhBackward(GradScope& g) {
  return g.Return({g.Op("TanhGrad", {Conj(g, g.y(0)), g.dy()})});
}

Status SigmoidGradBackward(GradScope& g) {
  Out y = Conj(g, g.x(0)), dy = g.dy();
  Out gb = g.Mul(dy, Conj(g, g.x(1)));
  Out twice = g.Mul(g.Mul(g.Like(2, gb, "mul_1/x"), gb), y);
  return g.Return({GradSub(g, gb, twice), g.Op("SigmoidGrad", {y, dy})});
}
Status TanhGradBackward(GradScope& g) {
  Out y = Conj(g, g.x(0)), dy = g.dy();
  Out minus_twice = g.Mul(dy, g.Like(-2, dy, "mul/y"));
  return g.Return({g.Mul(g.Mul(minus_twice, Conj(g, g.x(1))), y), g.Op("TanhGrad", {y, dy})});
}

OpSpec Forward(OpText name, std::string doc, GradFn grad, Example example) {
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

TENSH_OPS(math_elementwise_sigmoid_tanh) {
  r.Op(Forward("Sigmoid", "1 / (1 + exp(-x)), elementwise.", SigmoidBackward,
               {"tf.sigmoid([0., 1.])", "[0.5       0.7310586]"}))
      .Cpu<float, double, Complex64, Complex128>(Sigmoid{});
  r.Op(Forward("Tanh", "The hyperbolic tangent, elementwise.", TanhBackward,
               {"tf.tanh([0., 1.])", "[0.        0.7615942]"}))
      .Cpu<float, double, Complex64, Complex128>(Tanh{});
  r.Op(Backward("SigmoidGrad", "The gradient of Sigmoid: dy * y * (1 - y).", SigmoidGradBackward,
                {"sigmoid_grad([0.5], [1.])", "[0.25]"}))
      .Cpu<float, double, Complex64, Complex128>(SigmoidGrad{});
  r.Op(Backward("TanhGrad", "The gradient of Tanh: dy * (1 - y * y).", TanhGradBackward,
                {"tanh_grad([0.5], [1.])", "[0.75]"}))
      .Cpu<float, double, Complex64, Complex128>(TanhGrad{});
}

}  // namespace tensh::ops
