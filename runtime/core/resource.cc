#include "runtime/core/resource.h"

namespace tensh {

Status Uninitialized(const Variable& variable) {
  return FailedPrecondition("Attempting to use uninitialized value ", variable.name)
      .WithReason(Reason::kUninitialized)
      .WithHint("run tf.global_variables_initializer()");
}

}  // namespace tensh
