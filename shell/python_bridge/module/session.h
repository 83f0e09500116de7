// The type Session of the Python module: steps of a graph.
#pragma once

#include "shell/python_bridge/python_api.h"

namespace tensh::shell::module {

bool AddSessionType(PyObject* module);

}  // namespace tensh::shell::module
