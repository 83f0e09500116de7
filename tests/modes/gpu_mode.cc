// Chooses the GPUs of a test binary that this file is linked into, by $TENSH_MODE:
// cpu       none, also on a machine with a GPU
// gpu       the GPUs of the machine; without one, every session that may have one fails
// fake-gpu  the double of a GPU (docs/gpu.md), which must be there as well
// Otherwise the binary has the GPUs of the machine, like tensh.
#include <cstdlib>
#include <string_view>

#include "runtime/api/plugin_paths.h"

namespace tensh::api {
namespace {

[[maybe_unused]] const bool installed = [] {
  const char* text = std::getenv("TENSH_MODE");
  const std::string_view mode = text ? text : "";
  if (mode == "cpu") gpu_plugin = {"libtensh_cuda_not_in_this_mode.so", false};
  if (mode == "gpu") gpu_plugin.required = true;
  if (mode == "fake-gpu") gpu_plugin = {"libtensh_cuda_fake.so", false, true};
  return true;
}();

}  // namespace
}  // namespace tensh::api
