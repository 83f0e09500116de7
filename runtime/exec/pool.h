#pragma once
// The compute threads of the process: one pool, created when it is first used and shared by the
// partitions of large steps. Idle threads block; they never spin. If every thread is busy, a task
// gets a new one. Work within a kernel uses a separate pool, which belongs to the device.
#include <functional>

namespace tensh {

// Runs `fn` on a pool thread. It starts at once, so it may wait for other scheduled work. If every
// thread is busy and the system cannot start another, returns false without running it.
bool ScheduleOnPool(std::function<void()> fn);

}  // namespace tensh
