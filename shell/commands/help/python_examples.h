// Examples of the functions and classes of Python's own modules, for `help`: from python.examples.
//
// Threads: the interpreter's.
#pragma once

#include <string>
#include <string_view>

#include "shell/python/values/value.h"

namespace tensh::shell {

// Returns the transcript of the example of this function or class, or "" if it has none. Imports only
// modules that have an example of a function of the same name.
std::string PythonExample(const Value& value);

// Imports a module and returns it, or its function or class: "json", "json.dumps". Returns null if the
// module has no examples or the name does not exist.
Value PythonName(std::string_view path);

}  // namespace tensh::shell
