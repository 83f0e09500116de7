#include "runtime/dist/threads.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace tensh::dist {
namespace {

class Threads {
 public:
  void Run(std::function<void()> fn) {
    std::lock_guard lock(mu_);
    tasks_.push_back(std::move(fn));
    if (tasks_.size() <= idle_)
      wake_.notify_one();
    else
      std::thread([this] { Work(); }).detach();
  }

 private:
  void Work() {
    std::unique_lock lock(mu_);
    for (;;) {
      ++idle_;
      const bool found =
          wake_.wait_for(lock, std::chrono::seconds(10), [&] { return !tasks_.empty(); });
      --idle_;
      if (!found) return;
      auto fn = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      fn();
      fn = nullptr;
      lock.lock();
    }
  }
  std::mutex mu_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  size_t idle_ = 0;
};

}  // namespace

void RunOnThread(std::function<void()> fn) {
  static auto* threads = new Threads;  // lives as long as the process
  threads->Run(std::move(fn));
}

}  // namespace tensh::dist
