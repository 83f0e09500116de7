#include "ops/support/var_update.h"

namespace tensh::ops {

Status Uninitialized(const Variable& variable) {
  return FailedPrecondition("Attempting to use uninitialized value ", variable.name);
}

Status MakeUnique(Variable& variable) {
  Tensor copy = variable.value.DeepCopy();
  if (!copy)
    return ResourceExhausted("OOM when copying variable ", variable.name, " of shape ",
                             variable.value.shape(), " for an update");
  variable.value = std::move(copy);
  return {};
}

}  // namespace tensh::ops
