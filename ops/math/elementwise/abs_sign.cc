// Abs and Sign. The absolute value of the smallest integer wraps to itself.
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct Abs {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) {
      if constexpr (std::is_floating_point_v<T>) return std::fabs(x);
      return x < T{0} ? WrapNeg(x) : x;
    });
  }
};

// The sign of NaN is NaN.
struct Sign {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if constexpr (kIsComplex<T>)
      return MapUnary<T>(c, [](T x) { return x == T{0} ? x : x / std::abs(x); });
    else
      return MapUnary<T>(c, [](T x) {
        return x != x ? x : static_cast<T>(static_cast<T>(x > T{0}) - static_cast<T>(x < T{0}));
      });
  }
};

Status AbsGrad(GradScope& g) { return g.Return({g.Mul(g.dy(), g.Op("Sign", {g.x(0)}))}); }
Status SignGrad(GradScope& g) { return g.Return({GradZerosLike(g, g.x(0))}); }

}  // namespace

TENSH_OPS(math_elementwise_abs_sign) {
  r.Op({.name = "Abs",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = TENSH_SIGNED,
        .doc = "The absolute value, elementwise. x: real numbers. T: the element type; the "
               "smallest integer is unchanged.",
        .shape = SameAsInput<0>,
        .grad = AbsGrad,
        .elementwise = Elementwise::kSameShape,
        .examples = {{"tf.abs([1., -2.])", "[1. 2.]"}, {"tf.abs(-3)", "3"}}})
      .Cpu<float, double, int32_t, int64_t, int8_t, int16_t>(Abs{});
  r.Op({.name = "Sign",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = TENSH_SIGNED_COMPLEX,
        .doc = "-1, 0 or 1 as x is negative, zero or positive, elementwise. x: numbers. T: the "
               "element "
               "type.",
        .shape = SameAsInput<0>,
        .grad = SignGrad,
        .elementwise = Elementwise::kSameShape,
        .examples = {{"tf.sign([-2., 0., 5.])", "[-1.  0.  1.]"}}})
      .Cpu<float, double, int32_t, int64_t, int8_t, int16_t, Complex64, Complex128>(Sign{});
}

}  // namespace tensh::ops
