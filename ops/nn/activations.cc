// Selu, Softsign and LeakyRelu, with their gradients.
#include <cmath>

#include "ops/math/elementwise/vec_math.h"
#include "ops/nn/activation_spec.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

// The constants of Klambauer et al., "Self-Normalizing Neural Networks".
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kScaleAlpha = 1.7580993408473768599;  // scale * alpha, rounded once

struct VecSelu {
  template <class T>
  static constexpr bool kVector = true;
  template <class T>
  TENSH_ALWAYS_INLINE static T Vector(T x) {
    const T below = static_cast<T>(kScaleAlpha) * (vec::Exp(x) - T{1});
    return vec::Pick(x < T{0}, below, static_cast<T>(kSeluScale) * x);
  }
  template <class T>
  static T Libm(T x) {
    return x < T{0} ? static_cast<T>(kScaleAlpha) * (std::exp(x) - T{1})
                    : static_cast<T>(kSeluScale) * x;
  }
};
struct Selu {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapVector<T, VecSelu>(c);
  }
};
struct Softsign {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return x / (std::abs(x) + T{1}); });
  }
};

// Computed from the output y: below zero, the slope scale * alpha * exp(x) is y + scale * alpha.
struct SeluGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapGradient<T>(c, [](T dy, T y) {
      return y < T{0} ? dy * (y + static_cast<T>(kScaleAlpha)) : dy * static_cast<T>(kSeluScale);
    });
  }
};
struct SoftsignGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapGradient<T>(c, [](T dy, T x) {
      const T s = T{1} + std::abs(x);
      return dy / (s * s);
    });
  }
};

// out[i] = alpha * dy[i] if in[i] is negative, and dy[i] otherwise.
template <class T>
struct LeakyRow {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* dy, const T* in, T alpha, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const T given = dy[i], less = given * alpha;
      out[i] = in[i] > T{0} ? given : less;
    }
  }
};

struct LeakyRelu {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const T alpha = static_cast<T>(c.state<AlphaState>().alpha);
    const Tensor& x = c.in(0);
    const T* in = x.data<T>();
    TENSH_OUTPUT(y, c.Forward(0, 0, x.shape()));
    T* out = y->data<T>();
    c.ParallelFor(y->num_elements(), 0.4, [=](int64_t begin, int64_t end) {
      RunRow<T, LeakyRow<T>>(end - begin, out + begin, in + begin, in + begin, alpha);
    });
    return {};
  }
};
struct LeakyReluGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const T alpha = static_cast<T>(c.state<AlphaState>().alpha);
    TENSH_RETURN_IF_ERROR(CheckSameShape(c));
    const Tensor &grad = c.in(0), &x = c.in(1);
    const T *dy = grad.data<T>(), *in = x.data<T>();
    TENSH_OUTPUT(y, c.Forward(0, 0, x.shape()));
    T* out = y->data<T>();
    c.ParallelFor(y->num_elements(), 0.4, [=](int64_t begin, int64_t end) {
      RunRow<T, LeakyRow<T>>(end - begin, out + begin, dy + begin, in + begin, alpha);
    });
    return {};
  }
};

Status SeluBackward(GradScope& g) { return g.Return({g.Op("SeluGrad", {g.dy(), g.y(0)})}); }
Status SoftsignBackward(GradScope& g) { return g.Return({g.Op("SoftsignGrad", {g.dy(), g.x(0)})}); }
Status SeluGradBackward(GradScope& g) {
  Out d = g.Op("SeluGrad", {g.dy(), g.x(1)});
  return g.Return({d, WhereBelowZero(g)});
}
Status LeakyBackward(GradScope& g) {
  return g.Return({g.Op("LeakyReluGrad", {g.dy(), g.x(0)}, {{"alpha", g.attrs().Float("alpha")}})});
}
Status LeakyGradBackward(GradScope& g) {
  Out x = g.x(1);
  Out d = g.Op("LeakyReluGrad", {g.dy(), x}, {{"alpha", g.attrs().Float("alpha")}});
  return g.Return({d, g.Op("ZerosLike", {x}, {}, "zeros_like")});
}

constexpr char kLeakyAttrs[] = "alpha: float = 0.2, T: {half, bfloat16, float, double} = float";

}  // namespace

TENSH_OPS(nn_activations) {
  constexpr KernelOptions kAlpha = {.prepare = PrepareFrom<AlphaState>};
  r.Op(ActivationSpec("Selu", TENSH_FLOATS,
                      "scale * alpha * (exp(features) - 1) below zero, scale * features above, "
                      "with the constants that preserve mean and variance.",
                      SeluBackward, {"tf.nn.selu([0., 1.])", "[0.       1.050701]"}))
      .Cpu<float, double>(Selu{});
  r.Op(ActivationGradSpec("SeluGrad", TENSH_FLOATS, "The gradient of Selu.", "outputs",
                          SeluGradBackward,
                          {"tf.raw_ops.SeluGrad(gradients=[1.], outputs=[2.])", "[1.050701]"}))
      .Cpu<float, double>(SeluGrad{});
  r.Op(ActivationSpec("Softsign", TENSH_FLOATS, "features / (abs(features) + 1), elementwise.",
                      SoftsignBackward, {"tf.nn.softsign([-1., 3.])", "[-0.5   0.75]"}))
      .Cpu<float, double>(Softsign{});
  r.Op(ActivationGradSpec("SoftsignGrad", TENSH_FLOATS, "The gradient of Softsign.", "features",
                          nullptr,
                          {"tf.raw_ops.SoftsignGrad(gradients=[1.], features=[1.])", "[0.25]"}))
      .Cpu<float, double>(SoftsignGrad{});
  r.Op(ActivationSpec(
           "LeakyRelu", kLeakyAttrs,
           "features above zero, alpha * features below, elementwise. alpha: the slope below zero.",
           LeakyBackward, {"tf.nn.leaky_relu([-1., 2.])", "[-0.2  2. ]"}))
      .Cpu<float, double>(LeakyRelu{}, kAlpha);
  r.Op(ActivationGradSpec(
           "LeakyReluGrad", kLeakyAttrs, "The gradient of LeakyRelu. alpha: the slope below zero.",
           "features", LeakyGradBackward,
           {"tf.raw_ops.LeakyReluGrad(gradients=[1., 1.], features=[-1., 2.], alpha=0.5)",
            "[0.5 1. ]"}))
      .Cpu<float, double>(LeakyReluGrad{}, kAlpha);
}

}  // namespace tensh::ops
