#pragma once
// The process's compute threads: one blocking pool (it never spins), made on first use, shared by
// the partitions of large steps. Intra-op work has its own pool in the device.
#include <functional>

namespace tensh {

// Runs fn on a pool thread. fn must not wait for other scheduled work.
void ScheduleOnPool(std::function<void()> fn);

}  // namespace tensh
