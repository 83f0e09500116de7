#pragma once
// The process's compute threads: one blocking pool (it never spins), made on first use, shared by
// the partitions of large steps, and as large as tasks that wait want it. Intra-op work has its own
// pool in the device.
#include <functional>

namespace tensh {

// Runs fn on a pool thread, at once: it may wait for other scheduled work.
void ScheduleOnPool(std::function<void()> fn);

}  // namespace tensh
