#include "runtime/dist/threads.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <latch>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/dist/fair_queue.h"

namespace tensh::dist {
namespace {

// A pool of a few threads. All of them may wait for other steps, so a thread is added if no queued
// task has been started recently. Threads that are idle for a while end.
class Threads {
 public:
  using Task = FairQueue::Task;
  void Run(Task fn, const void* client, bool one_of_many) {
    std::lock_guard lock(mu_);
    tasks_.Push(std::move(fn), client);
    // The threads that are awake take the tasks of a client with many of them one after the other. Waking a
    // thread for each would cost the caller, a thread of gRPC, more than the rest of the request.
    const bool suffices = one_of_many && threads_ - idle_ >= cores_;
    if (tasks_.size() <= idle_ && !suffices)
      wake_.notify_one();
    else if (threads_ < few_ && !suffices)
      Add();
    else if (!watched_)
      Watch();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kMoment = std::chrono::microseconds(2000);
  static constexpr auto kExcused = std::chrono::milliseconds(50);
  static constexpr size_t kMost = 20'000;
  const size_t cores_ = std::max(1u, std::thread::hardware_concurrency());
  const size_t few_ = std::max<size_t>(8, 2 * cores_);

  void Add() {
    ++threads_;
    try {
      std::thread([this] { Work(); }).detach();
      // The system allows no more threads; the existing ones must suffice.
    } catch (const std::system_error&) {
      --threads_;
    }
  }

  void Watch() {
    watched_ = true;
    try {
      std::thread([this] { LookAfter(); }).detach();
    } catch (const std::system_error&) {
      watched_ = false;
    }
  }

  void LookAfter() {
    std::unique_lock lock(mu_);
    for (auto changed = Clock::now(); !tasks_.empty();) {
      const uint64_t begun = begun_;
      lock.unlock();
      const bool busy = WasBusyFor(kMoment);
      lock.lock();
      if (begun != begun_) changed = Clock::now();
      if (begun != begun_ || tasks_.empty() || threads_ >= kMost) continue;
      // The threads may compute, or wait for a processor. More of them would only delay the others.
      if (busy && Clock::now() - changed < kExcused) continue;
      // Tasks that are one of many have not woken the idle threads.
      if (idle_ > 0) {
        wake_.notify_all();
        continue;
      }
      // Adds many threads at once, so that ten thousand waiting tasks are not started one at a
      // time.
      const size_t more = std::min({tasks_.size(), threads_, kMost - threads_});
      for (size_t i = 0; i < more; ++i) Add();
    }
    watched_ = false;
  }

  // Waits for this time. Returns true if the process computed meanwhile, or had to wait for a
  // processor.
  static bool WasBusyFor(std::chrono::microseconds time) {
    const std::clock_t used = std::clock();
    const Clock::time_point begin = Clock::now();
    std::this_thread::sleep_for(time);
    return Clock::now() - begin > 2 * time ||
           (std::clock() - used) * (1'000'000 / CLOCKS_PER_SEC) > time.count() / 2;
  }

  void Work() {
    std::unique_lock lock(mu_);
    for (;;) {
      ++idle_;
      const bool found =
          wake_.wait_for(lock, std::chrono::seconds(10), [&] { return !tasks_.empty(); });
      --idle_;
      if (!found) break;
      Task fn = tasks_.Pop();
      ++begun_;
      lock.unlock();
      fn();
      fn = nullptr;
      lock.lock();
    }
    --threads_;
  }

  std::mutex mu_;
  std::condition_variable wake_;
  FairQueue tasks_;
  size_t idle_ = 0, threads_ = 0;
  uint64_t begun_ = 0;
  bool watched_ = false;
};

}  // namespace

Status CheckDescriptors() {
  constexpr size_t kDescriptors = 8;
  std::vector<int> open;
  while (open.size() < kDescriptors) {
    const int fd = eventfd(0, EFD_CLOEXEC);
    if (fd < 0) break;
    open.push_back(fd);
  }
  for (const int fd : open) close(fd);
  if (open.size() == kDescriptors) return {};
  return ResourceExhausted("the system allows ", open.size(), " more open files, but gRPC needs ",
                           kDescriptors, " (ulimit -n)");
}

Status CheckThreads() {
  constexpr int kThreads = 8;
  std::latch all(1);
  std::vector<std::thread> threads;
  bool allowed = true;
  try {
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&] { all.wait(); });
  } catch (const std::system_error&) {
    allowed = false;
  }
  all.count_down();
  for (std::thread& thread : threads) thread.join();
  if (allowed) return {};
  return ResourceExhausted("the system allows no more threads, which gRPC needs (ulimit -u)");
}

void RunOnThread(std::function<void()> fn, const void* client, bool one_of_many) {
  static auto* threads = new Threads;  // Never destroyed.
  threads->Run(std::move(fn), client, one_of_many);
}

}  // namespace tensh::dist
