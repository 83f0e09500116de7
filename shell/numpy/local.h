// Values of another interpreter (shell/python/values/foreign.h) as arrays, numbers and lists of the shell.
#pragma once

#include "shell/python/values/value.h"

namespace tensh::shell {

// If `v` is a proxy, or a list or tuple that contains one at any depth, sets *local to the value in which arrays,
// numbers and lists replace the proxies, and returns true. Otherwise returns false.
bool WithoutForeign(const Value& v, Value* local);

}  // namespace tensh::shell
