// The __traceback__ of an exception: its frames, outermost first, for the module traceback and for
// scripts. The traceback owns a reference to the exception, but not the reverse.
#pragma once

#include "shell/python/values/value.h"

namespace tensh::shell {

// Returns None for an exception that was not raised yet.
Value TracebackOf(const Value& exception);

}  // namespace tensh::shell
