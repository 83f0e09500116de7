// The bridge in a process of Python: the modules of the shell as Python's modules (tensh.compat), and Python's
// packages in the program that the package runs.
#pragma once

#include "shell/python_bridge/python_api.h"

namespace tensh::shell::module {

// Returns the module of the shell with a name, such as "tensorflow", whose functions, classes and values are
// proxies. Returns null with an exception if it does not exist. The first call starts the shell.
PyObject* ImportShellModule(PyObject* self, PyObject* args);
// Lets scripts of RunTensh import packages of this Python.
void OfferPackages();

}  // namespace tensh::shell::module
