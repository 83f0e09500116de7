#include "runtime/session/config.h"

namespace tensh {

void (*adjust_session_config)(SessionConfig& config) = nullptr;

}  // namespace tensh
