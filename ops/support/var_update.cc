#include "ops/support/var_update.h"

namespace tensh::ops {

Status Uninitialized(const Variable& variable) {
  return FailedPrecondition("Attempting to use uninitialized value ", variable.name);
}

}  // namespace tensh::ops
