#include "runtime/exec/pool.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "runtime/core/float_mode.h"

namespace tensh {
namespace {

// Few tasks, each a whole partition: one queue is enough. A task may wait, for a queue's room say,
// and what ends the wait may be a task too: one that finds no thread idle gets its own.
class Pool {
 public:
  explicit Pool(size_t keep) : keep_(keep) {}
  void Schedule(std::function<void()> fn) {
    std::unique_lock lock(mu_);
    tasks_.push_back(std::move(fn));
    const bool needs_thread = tasks_.size() > idle_;
    lock.unlock();
    if (needs_thread)
      Start();
    else
      wake_.notify_one();
  }

 private:
  void Start() {
    try {
      std::thread([this] { Work(); }).detach();
    } catch (const std::system_error&) {
      // No more threads: the task is for one that ends its own.
    }
  }

  void Work() {
    const FlushDenormals flush;
    std::unique_lock lock(mu_);
    while (!tasks_.empty() || idle_ < keep_) {
      ++idle_;
      wake_.wait(lock, [&] { return !tasks_.empty(); });
      --idle_;
      auto fn = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      fn();
      lock.lock();
    }
  }

  const size_t keep_;  // idle threads that stay
  std::mutex mu_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;  // guarded by mu_
  size_t idle_ = 0;                          // guarded by mu_
};

}  // namespace

void ScheduleOnPool(std::function<void()> fn) {
  static Pool* pool =
      new Pool(std::max(2u, std::thread::hardware_concurrency()));  // lives as long as the process
  pool->Schedule(std::move(fn));
}

}  // namespace tensh
