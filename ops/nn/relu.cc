// Relu, Relu6, Elu and Softplus, with their gradients.
#include <cmath>

#include "ops/math/elementwise/vec_math.h"
#include "ops/nn/activation_spec.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

// NaN stays NaN; -0 becomes 0.
struct Relu {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return x > T{0} || x != x ? x : T{0}; });
  }
};
struct Relu6 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return x > T{6} ? T{6} : x > T{0} || x != x ? x : T{0}; });
  }
};
struct Elu {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapVector<T, VecElu>(c);
  }
};
// log(1 + exp(x)), without overflow for large x and without loss of small results.
struct VecSoftplus {
  template <class T>
  static constexpr bool kVector = std::is_same_v<T, float>;
  template <class T>
  static constexpr T kLimit = T{-2} - (sizeof(T) == 4 ? T(-15.942385) : T(-36.04365338911715));
  TENSH_ALWAYS_INLINE static float Vector(float x) {
    const float e = vec::Exp(x);
    const float y = vec::Pick(x < -kLimit<float>, e, vec::Log1p(e));
    return vec::Pick(x > kLimit<float>, x, y);
  }
  template <class T>
  static T Libm(T x) {
    if (x > kLimit<T>) return x;
    const T e = std::exp(x);
    return x < -kLimit<T> ? e : std::log1p(e);
  }
};
struct Softplus {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapVector<T, VecSoftplus>(c);
  }
};

// Multiplies instead of selecting, so that a NaN gradient stays NaN.
struct ReluGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapGradient<T>(c,
                          [](T dy, T x) { return static_cast<T>(dy * static_cast<T>(x > T{0})); });
  }
};
struct Relu6Grad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    // Two products are vectorized; a condition with && is not.
    return MapGradient<T>(c, [](T dy, T x) {
      return static_cast<T>(dy * static_cast<T>(x > T{0}) * static_cast<T>(x < T{6}));
    });
  }
};
// Computed from the output y: below zero, the slope is exp(x) = y + 1.
struct EluGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapGradient<T>(c, [](T dy, T y) { return y < T{0} ? dy * (y + T{1}) : dy; });
  }
};
struct SoftplusGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_RETURN_IF_ERROR(CheckSameShape(c));
    const T *dy = c.in(0).data<T>(), *x = c.in(1).data<T>();
    const int64_t n = c.in(1).num_elements();
    TENSH_OUTPUT(out, c.Output(0, c.in(1).shape()));
    T* dx = out->data<T>();
    c.ParallelFor(n, 1.0, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) dx[i] = -x[i];
      ApplyVectorRange<T, VecExp>(dx, dx, begin, end, n);
      for (int64_t i = begin; i < end; ++i) dx[i] = dy[i] / (dx[i] + T{1});
    });
    return {};
  }
};

Status ReluBackward(GradScope& g) { return g.Return({g.Op("ReluGrad", {g.dy(), g.y(0)})}); }
Status Relu6Backward(GradScope& g) { return g.Return({g.Op("Relu6Grad", {g.dy(), g.y(0)})}); }
Status EluBackward(GradScope& g) { return g.Return({g.Op("EluGrad", {g.dy(), g.y(0)})}); }
Status SoftplusBackward(GradScope& g) { return g.Return({g.Op("SoftplusGrad", {g.dy(), g.x(0)})}); }

Status ReluGradBackward(GradScope& g) {
  Out x = g.x(1);
  Out d = g.Op("ReluGrad", {g.dy(), x});
  return g.Return({d, g.Op("ZerosLike", {x}, {}, "zeros")});
}

Status Relu6GradBackward(GradScope& g) {
  Out d = g.Op("Relu6Grad", {g.dy(), g.x(1)});
  return g.Return({d, g.Op("ZerosLike", {g.x(1)}, {}, "zeros_like")});
}
Status EluGradBackward(GradScope& g) {
  Out d = g.Op("EluGrad", {g.dy(), g.x(1)});
  return g.Return({d, WhereBelowZero(g)});
}
// The derivative of the sigmoid is 1 / (exp(-x) + 2 + exp(x)).
Status SoftplusGradBackward(GradScope& g) {
  Out x = g.x(1), dy = g.dy();
  Out d = g.Op("SoftplusGrad", {dy, x});
  Out product = g.Mul(dy, g.x(0));
  Out falling = g.Op("Exp", {g.Op("Neg", {x})});
  Out sum = GradAdd(g, falling, g.Like(2, x, "add/y"));
  Out slope = GradAdd(g, sum, g.Op("Exp", {x}, {}, "Exp_1"));
  return g.Return({d, GradDiv(g, product, slope)});
}

}  // namespace

TENSH_OPS(nn_relu) {
  r.Op(ActivationSpec("Relu", TENSH_REALS, "max(features, 0), elementwise.", ReluBackward,
                      {"tf.nn.relu([-1., 2.])", "[0. 2.]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t>(Relu{});
  r.Op(ActivationSpec("Relu6", TENSH_REALS, "min(max(features, 0), 6), elementwise.", Relu6Backward,
                      {"tf.nn.relu6([-1., 2., 9.])", "[0. 2. 6.]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t>(Relu6{});
  r.Op(ActivationSpec("Elu", TENSH_FLOATS,
                      "exp(features) - 1 below zero, features above, elementwise.", EluBackward,
                      {"tf.nn.elu([0., 2.])", "[0. 2.]"}))
      .Cpu<float, double>(Elu{});
  r.Op(ActivationSpec("Softplus", TENSH_FLOATS, "log(1 + exp(features)), elementwise.",
                      SoftplusBackward, {"tf.nn.softplus(0.)", "0.6931472"}))
      .Cpu<float, double>(Softplus{});
  r.Op(ActivationGradSpec("ReluGrad", TENSH_REALS, "The gradient of Relu.", "features",
                          ReluGradBackward, {"relu_grad([1., 1.], [-1., 3.])", "[0. 1.]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t>(ReluGrad{});
  r.Op(ActivationGradSpec("Relu6Grad", TENSH_REALS, "The gradient of Relu6.", "features",
                          Relu6GradBackward,
                          {"relu6_grad([1., 1., 1.], [-1., 3., 7.])", "[0. 1. 0.]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t>(Relu6Grad{});
  r.Op(ActivationGradSpec("EluGrad", TENSH_FLOATS, "The gradient of Elu.", "outputs",
                          EluGradBackward, {"elu_grad([1., 1.], [-0.5, 2.])", "[0.5 1. ]"}))
      .Cpu<float, double>(EluGrad{});
  r.Op(ActivationGradSpec("SoftplusGrad", TENSH_FLOATS, "The gradient of Softplus.", "features",
                          SoftplusGradBackward, {"softplus_grad([1.], [0.])", "[0.5]"}))
      .Cpu<float, double>(SoftplusGrad{});
}

}  // namespace tensh::ops
