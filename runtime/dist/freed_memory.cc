#include "runtime/dist/freed_memory.h"

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/dist/threads.h"
#include "tensh/tensh_plugin.h"

namespace tensh::dist {
namespace {

constexpr int kMany = 500;
std::atomic<int> calls{0};
std::atomic<bool> were_many{false};

// Frees the memory of tensors that the allocator keeps for reuse, once the steps of other sessions
// have not used it for a while. Returns when nothing is kept. One thread does this.
void ReleaseUnusedTensors() {
  constexpr int64_t kUnusedMs = 3000;
  static std::atomic<bool> running{false};
  if (running.exchange(true)) return;
  while (tsh_release_unused(kUnusedMs) > 0) {
    malloc_trim(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(kUnusedMs));
  }
  running = false;
  malloc_trim(0);
}

}  // namespace

void CallBegins() {
  if (calls.fetch_add(1, std::memory_order_relaxed) == kMany) were_many = true;
}

void CallEnds() {
  if (calls.fetch_sub(1, std::memory_order_relaxed) == 1 && were_many.exchange(false))
    ReturnFreedMemorySoon();
}

void ReturnFreedMemorySoon() {
  static std::atomic<bool> scheduled{false};
  if (scheduled.exchange(true)) return;
  RunOnThread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    scheduled = false;
    malloc_trim(0);
    ReleaseUnusedTensors();
  });
}

}  // namespace tensh::dist
