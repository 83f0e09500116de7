#pragma once
// Where plug-ins lie.
#include <string>
#include <vector>

namespace tensh::api {

// Beside the binary (or libtensh.so) this code is in, then ../lib/tensh of it.
std::vector<std::string> PluginPaths(const char* name);

}  // namespace tensh::api
