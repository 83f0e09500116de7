// Floor, Ceil, Round and Rint.
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

struct Floor {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return std::floor(x); });
  }
};

struct Ceil {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return std::ceil(x); });
  }
};

// std::rint follows the current rounding mode, which by default rounds half to even.
struct Round {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) {
      if constexpr (std::is_integral_v<T>)
        return x;
      else
        return std::rint(x);
    });
  }
};

Status NoneGrad(GradScope& g) { return g.Return({Out()}); }

OpSpec Rounding(OpText name, OpText attrs, std::string doc, Example example) {
  return {.name = name,
          .inputs = "x: T",
          .outputs = "y: T",
          .attrs = attrs,
          .doc = std::move(doc) + " x: numbers. T: the element type.",
          .shape = SameAsInput<0>,
          .grad = NoneGrad,
          .elementwise = Elementwise::kSameShape,
          .examples = {example}};
}

}  // namespace

TENSH_OPS(math_elementwise_rounding) {
  r.Op(Rounding("Floor", TENSH_FLOATS,
                "The largest integer that is not greater than x, elementwise.",
                {"tf.floor([1.5, -1.5])", "[ 1. -2.]"}))
      .Cpu<float, double>(Floor{});
  r.Op(Rounding("Ceil", TENSH_FLOATS, "The smallest integer that is not less than x, elementwise.",
                {"tf.ceil([1.5, -1.5])", "[ 2. -1.]"}))
      .Cpu<float, double>(Ceil{});
  r.Op(Rounding("Round", TENSH_SIGNED_COMPLEX,
                "The nearest integer, elementwise; halves are rounded to even.",
                {"tf.round([0.5, 1.5, -2.4])", "[ 0.  2. -2.]"}))
      .Cpu<float, double, int32_t, int64_t>(Round{});
  r.Op(Rounding("Rint", "T: {bfloat16, half, float, double}",
                "The nearest integer, elementwise; halves are rounded to even.",
                {"tf.rint([0.5, 1.5])", "[0. 2.]"}))
      .Cpu<float, double>(Round{});
}

}  // namespace tensh::ops
