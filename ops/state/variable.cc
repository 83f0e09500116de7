// Variable, VariableV2 and IsVariableInitialized.
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

// Never runs, because the plan binds the reference directly to its slot. The registration only lets
// placement find a kernel.
Status BoundByThePlan(KernelCtx&) { return {}; }

Status VariableShape(ShapeCtx& c) {
  c.Set(0, c.attrs().Get<Shape>("shape"));
  return {};
}

// In the old op Variable, a scalar shape means that the shape is unknown.
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
          .doc = "A variable: a tensor that outlives a step. ref is a reference to it, of the "
                 "given shape and dtype; Assign initializes it. If shared_name is not empty, nodes "
                 "with the same shared_name in the same container refer to the same variable.",
          .shape = name[8] ? VariableShape : OldVariableShape,
          .no_gradient = true,
          .stateful = true,
          .role = OpRole::kVariable,
          .never_waits = true,
          .examples = {{"tf.assign(tf.Variable([1., 2.]), [3., 4.])", "[3. 4.]"}}})
        .CpuAny(BoundByThePlan);
  r.Op({.name = "IsVariableInitialized",
        .inputs = "ref: Ref(dtype)",
        .outputs = "is_initialized: bool",
        .attrs = "dtype: type",
        .doc = "True if a variable has a value. ref is the variable, of type dtype; is_initialized "
               "is a scalar.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .allows_uninitialized_input = true,
        .examples = {{"tf.is_variable_initialized(tf.Variable(1.))", "False"}}})
      .CpuAny(IsInitialized);
}

}  // namespace tensh::ops
