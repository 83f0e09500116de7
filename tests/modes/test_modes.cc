// The modes in which tests replay scripts. A mode must not change what a script prints. This file
// is linked into tensh_modes, which is otherwise tensh, and reads $TENSH_MODE:
// two-devices  two CPUs if the script does not say how many, and nodes spread over them
// reference    the reference evaluator in place of compiled programs
// reparse      each statement is printed and parsed again before it runs
// cpu, gpu, fake-gpu   see gpu_mode.cc
#include <cstdlib>
#include <string_view>

#include "runtime/session/config.h"
#include "shell/python/vm/interp.h"
#include "tests/support/reference.h"

namespace tensh {
namespace {

std::string_view Mode() {
  const char* text = std::getenv("TENSH_MODE");
  return text ? text : "";
}

void ApplyMode(SessionConfig& config) {
  const std::string_view mode = Mode();
  if (mode == "reference") config.evaluator = RunReference;
  if (mode != "two-devices") return;
  config.spread = true;
  config.device_count.emplace("CPU", 2);
}

// The main function is tensh's own, so the hooks are set before it starts.
[[maybe_unused]] const bool installed = [] {
  adjust_session_config = ApplyMode;
  shell::Interp::reparse = Mode() == "reparse";
  return true;
}();

}  // namespace
}  // namespace tensh
