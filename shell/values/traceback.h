// An exception's __traceback__: where it came from, the outermost frame first, as the module
// traceback and scripts ask for it. It holds the exception; the exception does not hold it.
#pragma once

#include "shell/values/value.h"

namespace tensh::shell {

Value TracebackOf(const Value& exception);  // None for an exception that was not raised yet

}  // namespace tensh::shell
