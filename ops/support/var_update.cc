#include "ops/support/var_update.h"

namespace tensh::ops {

Status Uninitialized(const Variable& variable) {
  return FailedPrecondition("Attempting to use uninitialized value ", variable.name);
}

Status NoVariable() {
  return InvalidArgument("Trying to access a resource that is not a variable");
}

}  // namespace tensh::ops
