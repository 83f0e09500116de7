#include "runtime/base/cores.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace tensh {

int AvailableCores() {
  cpu_set_t cores;
  // Fails on a machine with more cores than a cpu_set_t can hold, which is 1024.
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace tensh
