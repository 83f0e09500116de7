#include "ops/op_file.h"

namespace tensh::ops {
namespace {

// The plan binds the reference straight into its slot; this row only lets placement find a kernel.
Status BoundByThePlan(KernelCtx&) { return {}; }

Status VariableShape(ShapeCtx& c) {
  c.Set(0, c.attrs().Get<Shape>("shape"));
  return {};
}

// A scalar in the old Variable op says "unknown".
Status OldVariableShape(ShapeCtx& c) {
  const Shape& shape = c.attrs().Get<Shape>("shape");
  c.Set(0, shape.rank() == 0 ? Shape::Unknown() : shape);
  return {};
}

Status IsInitialized(KernelCtx& c) {
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  Variable& variable = *c.variable(0);
  std::lock_guard lock(variable.mu);
  *out->data<bool>() = static_cast<bool>(variable.value);
  return {};
}

}  // namespace

TENSH_OPS(state_variable) {
  for (const char* name : {"VariableV2", "Variable"})
    r.Op({.name = name,
          .outputs = "ref: Ref(dtype)",
          .attrs = "shape: shape, dtype: type, container: string = '', shared_name: string = ''",
          .doc =
              "Holds a tensor that outlives a step. ref is a reference to it, of the given shape "
              "and dtype; Assign gives it its first value. shared_name, when not empty, is the "
              "name under which sessions' nodes find the same variable; container groups such "
              "names.",
          .shape = name[8] ? VariableShape : OldVariableShape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{"tf.Variable([1., 2.]).shape", "(2,)"}}})
        .CpuAny(BoundByThePlan);
  r.Op({.name = "IsVariableInitialized",
        .inputs = "ref: Ref(dtype)",
        .outputs = "is_initialized: bool",
        .attrs = "dtype: type",
        .doc = "Whether a variable has a value. ref is the variable, of type dtype; is_initialized "
               "is a scalar.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .allows_uninitialized_input = true,
        .examples = {{"tf.is_variable_initialized(tf.Variable(1.))", "False"}}})
      .CpuAny(IsInitialized);
}

}  // namespace tensh::ops
