#include "runtime/exec/pool.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "runtime/base/cores.h"
#include "runtime/core/device/float_mode.h"

namespace tensh {
namespace {

// One queue is enough, because tasks are few and large: each is a whole partition. A task may wait,
// for example for space in a queue, and another task may end the wait. Therefore a task that finds
// no idle thread gets a new one.
class Pool {
 public:
  explicit Pool(size_t keep) : keep_(keep) {}
  bool Schedule(std::function<void()> fn) {
    {
      std::lock_guard lock(mu_);
      if (tasks_.size() < idle_) {
        tasks_.push_back(std::move(fn));
        wake_.notify_one();
        return true;
      }
    }
    try {
      std::thread([this, fn = std::move(fn)]() mutable { Work(std::move(fn)); }).detach();
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

 private:
  void Work(std::function<void()> fn) {
    const FlushDenormals flush;
    fn();
    fn = nullptr;
    std::unique_lock lock(mu_);
    while (!tasks_.empty() || idle_ < keep_) {
      ++idle_;
      wake_.wait(lock, [&] { return !tasks_.empty(); });
      --idle_;
      fn = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      fn();
      fn = nullptr;
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

bool ScheduleOnPool(std::function<void()> fn) {
  static Pool* pool = new Pool(
      std::max<size_t>(2, static_cast<size_t>(AvailableCores())));  // lives as long as the process
  return pool->Schedule(std::move(fn));
}

}  // namespace tensh
