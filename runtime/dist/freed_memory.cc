#include "runtime/dist/freed_memory.h"

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/dist/threads.h"

namespace tensh::dist {

void ReturnFreedMemorySoon() {
  static std::atomic<bool> scheduled{false};
  if (scheduled.exchange(true)) return;
  RunOnThread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    scheduled = false;
    malloc_trim(0);
  });
}

}  // namespace tensh::dist
