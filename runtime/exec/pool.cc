#include "runtime/exec/pool.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/core/float_mode.h"

namespace tensh {
namespace {

// Few tasks, each a whole partition: one queue is enough.
class Pool {
 public:
  explicit Pool(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) std::thread([this] { Work(); }).detach();
  }
  void Schedule(std::function<void()> fn) {
    {
      std::lock_guard lock(mu_);
      tasks_.push_back(std::move(fn));
    }
    wake_.notify_one();
  }

 private:
  [[noreturn]] void Work() {
    const FlushDenormals flush;
    for (;;) {
      std::unique_lock lock(mu_);
      wake_.wait(lock, [&] { return !tasks_.empty(); });
      auto fn = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      fn();
    }
  }
  std::mutex mu_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
};

}  // namespace

void ScheduleOnPool(std::function<void()> fn) {
  static Pool* pool =
      new Pool(std::max(2u, std::thread::hardware_concurrency()));  // lives as long as the process
  pool->Schedule(std::move(fn));
}

}  // namespace tensh
