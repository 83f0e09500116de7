// Placeholder, PlaceholderV2 and PlaceholderWithDefault.
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct Unfed : KernelState {
  std::string message;
  void Read(PrepareCtx& c) {
    const Shape& shape = c.attrs().Get<Shape>("shape");
    message = StrCat("You must feed a value for placeholder tensor '", c.node_name(),
                     "' with dtype ", SignatureName(c.attrs().Type("dtype")));
    if (shape.has_rank()) message += StrCat(" and shape ", shape);
  }
};

// The kernel runs only if the placeholder is not fed; otherwise its slot is the feed.
Status RunUnfed(KernelCtx& c) { return InvalidArgument(c.state<Unfed>().message); }

Status ShapeAttr(ShapeCtx& c) {
  c.Set(0, c.attrs().Get<Shape>("shape"));
  return {};
}

Status PassInput(KernelCtx& c) {
  c.SetOutput(0, c.in(0));
  return {};
}

Status DefaultShape(ShapeCtx& c) {
  const Shape& asked = c.attrs().Get<Shape>("shape");
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(0), asked).status());
  c.Set(0, asked);
  return {};
}

Status DefaultGrad(GradScope& g) { return g.Return({g.dy(0)}); }

}  // namespace

TENSH_OPS(array_placeholder) {
  r.Op({.name = "Placeholder",
        .outputs = "output: dtype",
        .attrs = "dtype: type, shape: shape = {unknown}",
        .doc = "A tensor that must be fed. A step that needs output without a feed fails. dtype is "
               "its type. shape is what a fed value must be compatible with.",
        .shape = ShapeAttr,
        .no_gradient = true,
        .role = OpRole::kPlaceholder,
        .examples = {{"tf.placeholder(tf.float32, [2]).shape", "(2,)"}}})
      .CpuAny(RunUnfed, PrepareFrom<Unfed>);
  r.Alias("PlaceholderV2", "Placeholder");
  r.Op({.name = "PlaceholderWithDefault",
        .inputs = "input: dtype",
        .outputs = "output: dtype",
        .attrs = "dtype: type, shape: shape",
        .doc = "A tensor that may be fed, and otherwise is input. output has type dtype and is "
               "compatible with shape.",
        .shape = DefaultShape,
        .grad = DefaultGrad,
        .role = OpRole::kPlaceholderWithDefault,
        .examples = {{"tf.placeholder_with_default([1, 2], [2])", "[1 2]"}}})
      .CpuAny(PassInput);
}

}  // namespace tensh::ops
