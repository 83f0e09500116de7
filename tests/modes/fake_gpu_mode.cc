// Replaces the plug-in of the GPU by its double (docs/gpu.md) in a test binary that this file is linked
// into, if $TENSH_MODE is fake-gpu.
#include <cstdlib>
#include <string_view>

#include "runtime/api/plugin_paths.h"

namespace tensh::api {
namespace {

[[maybe_unused]] const bool installed = [] {
  const char* mode = std::getenv("TENSH_MODE");
  if (mode && std::string_view(mode) == "fake-gpu") gpu_plugin = {"libtensh_cuda_fake.so", false};
  return true;
}();

}  // namespace
}  // namespace tensh::api
