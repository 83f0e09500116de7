// The names that are there without an import, and the modules of the standard library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/values/value.h"

namespace tensh::shell {

class Interp;

Value StandardBuiltin(std::string_view name);  // Null when there is none.
std::vector<std::string> StandardBuiltinNames();
void RegisterStandardModules(Interp* interp);

}  // namespace tensh::shell
