// IsNan, IsInf and IsFinite.
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

struct IsNan {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) -> bool { return std::isnan(x); });
  }
};
struct IsInf {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) -> bool { return std::isinf(x); });
  }
};
struct IsFinite {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) -> bool { return std::isfinite(x); });
  }
};

OpSpec Spec(OpText name, std::string doc, Example example) {
  return {.name = name,
          .inputs = "x: T",
          .outputs = "y: bool",
          .attrs = TENSH_FLOATS,
          .doc = std::move(doc) + " x: real numbers. T: their type.",
          .shape = SameAsInput<0>,
          .no_gradient = true,
          .elementwise = Elementwise::kSameShape,
          .examples = {example}};
}

}  // namespace

TENSH_OPS(math_elementwise_is_finite) {
  r.Op(Spec("IsNan", "True for elements that are NaN.",
            {"tf.is_nan([1., float('nan')])", "[False  True]"}))
      .Cpu<float, double>(IsNan{});
  r.Op(Spec("IsInf", "True for elements that are infinite.",
            {"tf.is_inf([1., float('inf')])", "[False  True]"}))
      .Cpu<float, double>(IsInf{});
  r.Op(Spec("IsFinite", "True for elements that are neither infinite nor NaN.",
            {"tf.is_finite([1., float('inf')])", "[ True False]"}))
      .Cpu<float, double>(IsFinite{});
}

}  // namespace tensh::ops
