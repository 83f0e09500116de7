// The start of the bridge in a process where CPython already runs: the Python package.
#pragma once

#include "shell/python_bridge/host/host.h"

namespace tensh::shell::bridge {

// If it is not null, the first import of a package calls it instead of loading CPython and the plug-in.
extern Start inside;

}  // namespace tensh::shell::bridge
