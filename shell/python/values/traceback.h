// The __traceback__ of an exception: its frames, outermost first, for the module traceback and for
// scripts. The traceback holds the exception; the exception does not hold the traceback.
#pragma once

#include "shell/python/values/value.h"

namespace tensh::shell {

// Returns None for an exception that was not raised yet.
Value TracebackOf(const Value& exception);

}  // namespace tensh::shell
