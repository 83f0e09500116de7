#pragma once
// Shapes of variables in shape functions. Stateless.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Returns the shape of the variable in input i, which is a reference to it or a handle.
inline Shape VariableShapeAt(ShapeCtx& c, int i) {
  return c.in_dtype(i) == DType::kResource ? c.ConstantAsShape(i) : c.in(i);
}

}  // namespace tensh::ops
