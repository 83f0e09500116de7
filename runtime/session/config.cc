#include "runtime/session/config.h"

#include <cstdlib>
#include <string_view>

namespace tensh {

void ApplyTestMode(SessionConfig& config) {
  const char* text = std::getenv("TENSH_MODE");
  if (!text) return;
  std::string_view mode = text;
  if (mode == "reference") config.reference = true;
  if (mode != "two-devices") return;
  config.spread = true;
  config.device_count.emplace("CPU", 2);
}

}  // namespace tensh
