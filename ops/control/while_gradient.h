#pragma once
// The gradient of While. One new loop repeats the forward pass and saves the values at the start of
// every iteration in lists. Another walks these lists backwards and applies the gradient of the
// body.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

Status WhileGradient(GradScope& g);

}  // namespace tensh::ops
