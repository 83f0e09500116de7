// Objects as arrays, numbers and lists: those of another interpreter (shell/python/values/foreign.h), those of the
// program that have the method __array__, and sequences such as a TensorShape.
#pragma once

#include "shell/python/values/value.h"

namespace tensh::shell {

// If `v` is such an object, or a list or tuple that contains one at any depth, sets *local to the value in which arrays,
// numbers and lists replace the objects, and returns true. Otherwise returns false.
bool WithoutForeign(const Value& v, Value* local);

}  // namespace tensh::shell
