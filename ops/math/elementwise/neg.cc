// Neg. The negative of the smallest integer wraps to itself.
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/op_types.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct Neg {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return WrapNeg(x); });
  }
};

Status NegGrad(GradScope& g) { return g.Return({g.Op("Neg", {g.dy()})}); }

}  // namespace

TENSH_OPS(math_elementwise_neg) {
  r.Op({.name = "Neg",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = TENSH_SIGNED_COMPLEX,
        .doc = "-x, elementwise. x: numbers of type T. T: the element type; the smallest integer "
               "is unchanged.",
        .shape = SameAsInput<0>,
        .grad = NegGrad,
        .elementwise = Elementwise::kSameShape,
        .examples = {{"tf.negative([1., -2.])", "[-1.  2.]"}, {"tf.negative(3)", "-3"}}})
      .Cpu<float, double, int32_t, int64_t, int8_t, int16_t, Complex64, Complex128>(Neg{});
}

}  // namespace tensh::ops
