#include "ops/support/var_update.h"

namespace tensh::ops {

Status Uninitialized(const Variable& variable) {
  return FailedPrecondition("Attempting to use uninitialized value ", variable.name);
}

Status NoVariable() {
  return InvalidArgument("Trying to access a resource that is not a variable");
}

Result<Tensor> ReadForOutput(KernelCtx& c) {
  Variable* variable = c.variable(0);
  if (!variable) return NoVariable();
  Tensor value = variable->Read();
  if (!value) return Uninitialized(*variable);
  if (value.dtype() != c.out_dtype(0))
    return InvalidArgument("Trying to read variable with wrong dtype. Expected ",
                           SignatureName(c.out_dtype(0)), " got ", SignatureName(value.dtype()));
  return value;
}

}  // namespace tensh::ops
