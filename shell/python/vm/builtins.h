// Python's builtin names, which exist without an import, and the modules of the standard library.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/python/values/native.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

class Interp;

Value StandardBuiltin(std::string_view name);  // Returns null if no such builtin exists.
std::vector<std::string> StandardBuiltinNames();
std::span<const FunctionRow> TextRunners();  // eval, exec and compile
void RegisterStandardModules(Interp* interp);

}  // namespace tensh::shell
