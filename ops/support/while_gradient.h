#pragma once
// The gradient of While. A second loop runs the body again and keeps what every iteration began
// with in lists; a third goes back through them with the gradient of the body.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

Status WhileGradient(GradScope& g);

}  // namespace tensh::ops
