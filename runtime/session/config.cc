#include "runtime/session/config.h"

#include <atomic>

namespace tensh {

namespace {
std::atomic<bool> g_optimize{true};
}  // namespace

void OptimizePlans(bool on) { g_optimize.store(on, std::memory_order_relaxed); }
bool OptimizesPlans() { return g_optimize.load(std::memory_order_relaxed); }

void (*adjust_session_config)(SessionConfig& config) = nullptr;

}  // namespace tensh
