// Const: a constant tensor, given as an attribute.
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

// Never runs, because the plan binds the value of a Const directly to its slot. The registration
// only lets placement find a kernel.
Status BoundByThePlan(KernelCtx&) { return {}; }

Status ConstShape(ShapeCtx& c) {
  DType type = c.attrs().Get<Tensor>("value").dtype(), dtype = c.attrs().Type("dtype");
  if (type != dtype)
    return InvalidArgument("Type mismatch between value (", SignatureName(type), ") and dtype (",
                           SignatureName(dtype), ")");
  c.Set(0, c.attrs().Get<Tensor>("value").shape());
  return {};
}

}  // namespace

TENSH_OPS(array_const) {
  r.Op({.name = "Const",
        .outputs = "output: dtype",
        .attrs = "value: tensor, dtype: type",
        .doc = "A constant tensor, known when the graph is built. output is the attribute value, "
               "of type dtype.",
        .shape = ConstShape,
        .no_gradient = true,
        .role = OpRole::kConst,
        .examples = {{"tf.constant([1., 2.])", "[1. 2.]"}}})
      .CpuAny(BoundByThePlan);
}

}  // namespace tensh::ops
