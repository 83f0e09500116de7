#include "ops/op_file.h"

namespace tensh::ops {
namespace {

// The plan binds the value of a Const straight into its slot; this row only lets placement find a
// kernel.
Status BoundByThePlan(KernelCtx&) noexcept { return {}; }

Status ConstShape(ShapeCtx& c) {
  const Tensor& value = c.attrs().Get<Tensor>("value");
  if (value.dtype() != c.attrs().Type("dtype"))
    return InvalidArgument("Type mismatch between value (", SignatureName(value.dtype()),
                           ") and dtype (", SignatureName(c.attrs().Type("dtype")), ")");
  c.Set(0, value.shape());
  return {};
}

}  // namespace

TENSH_OPS(array_const) {
  r.Op({.name = "Const",
        .outputs = "output: dtype",
        .attrs = "value: tensor, dtype: type",
        .doc = "A tensor whose value is known when the graph is built. output is the attribute "
               "value, of type dtype.",
        .shape = ConstShape,
        .no_gradient = true,
        .examples = {{"tf.constant([1., 2.])", "[1. 2.]"}}})
      .CpuAny(BoundByThePlan);
}

}  // namespace tensh::ops
