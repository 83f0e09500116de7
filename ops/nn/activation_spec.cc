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

OpSpec ActivationSpec(std::string name, std::string attrs, std::string doc, GradFn grad,
                      Example example) {
  return {.name = std::move(name),
          .inputs = "features: T",
          .outputs = "activations: T",
          .attrs = std::move(attrs),
          .doc = std::move(doc) + " features: real numbers. T: the element type.",
          .shape = SameAsInput<0>,
          .grad = grad,
          .elementwise = Elementwise::kSameShape,
          .examples = {std::move(example)}};
}

OpSpec ActivationGradSpec(std::string name, std::string attrs, std::string doc, std::string second,
                          GradFn grad, Example example) {
  return {.name = std::move(name),
          .inputs = "gradients: T, " + second + ": T",
          .outputs = "backprops: T",
          .attrs = std::move(attrs),
          .doc = std::move(doc) + " gradients: the incoming gradient. " + second +
                 ": the input, or the output, of the forward op. T: the element type.",
          .shape = MergedShape,
          .grad = grad,
          .elementwise = Elementwise::kSameShape,
          .examples = {std::move(example)}};
}

}  // namespace tensh::ops
