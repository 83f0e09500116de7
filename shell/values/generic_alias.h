// list[int], dict[str, int]: what annotations write. Calling one makes what its class makes.
#pragma once

#include "shell/values/value.h"

namespace tensh::shell {

// Null when the class takes no parameters.
Value MakeGenericAlias(const Value& cls, const Value& parameters);

}  // namespace tensh::shell
