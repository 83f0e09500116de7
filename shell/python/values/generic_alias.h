// Parameterized types as written in annotations: list[int], dict[str, int]. Calling such a type
// calls its class.
#pragma once

#include "shell/python/values/value.h"

namespace tensh::shell {

// Returns null if the class takes no parameters.
Value MakeGenericAlias(const Value& cls, const Value& parameters);

}  // namespace tensh::shell
