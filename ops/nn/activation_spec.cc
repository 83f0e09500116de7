#include "ops/nn/activation_spec.h"

namespace tensh::ops {
namespace {

Status MergedShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape shape, Shape::Merge(c.in(0), c.in(1)));
  c.Set(0, shape);
  return {};
}

}  // namespace

void AlphaState::Read(PrepareCtx& c) { alpha = c.attrs().Float("alpha"); }

Out WhereBelowZero(GradScope& g) {
  Out y = g.x(1);
  Out below = g.Op("Less", {y, g.Like(0, y, "Less/y")});
  Out product = g.Mul(g.dy(), g.x(0));
  return g.Op("Select", {below, product, g.Op("ZerosLike", {y}, {}, "zeros_like")});
}

OpSpec ActivationSpec(OpText name, OpText attrs, std::string doc, GradFn grad, Example example) {
  return {.name = name,
          .inputs = "features: T",
          .outputs = "activations: T",
          .attrs = attrs,
          .doc = std::move(doc) + " features: real numbers. T: the element type.",
          .shape = SameAsInput<0>,
          .grad = grad,
          .elementwise = Elementwise::kSameShape,
          .examples = {example}};
}

OpSpec ActivationGradSpec(OpText name, OpText attrs, OpText doc, OpText second, GradFn grad,
                          Example example) {
  return {.name = name,
          .inputs = StrCat("gradients: T, ", second, ": T"),
          .outputs = "backprops: T",
          .attrs = attrs,
          .doc = StrCat(doc, " gradients: the incoming gradient. ", second,
                        ": the input, or the output, of the forward op. T: the element type."),
          .shape = MergedShape,
          .grad = grad,
          .elementwise = Elementwise::kSameShape,
          .examples = {example}};
}

}  // namespace tensh::ops
