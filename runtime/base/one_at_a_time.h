#pragma once
// Lets one call at a time use an object. A call that waits for its turn gives up at its time limit, or
// when it is cancelled, although the call before it may last for ever. Thread-safe.
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace tensh {

class OneAtATime {
 public:
  enum Outcome { kTurn, kCancelled, kLate };
  // A turn. It ends with the object.
  class Turn {
   public:
    explicit Turn(OneAtATime* of) : of_(of) {}
    ~Turn() {
      std::lock_guard lock(of_->mu_);
      of_->taken_ = false;
      of_->free_.notify_one();
    }
    Turn(const Turn&) = delete;

   private:
    OneAtATime* const of_;
  };

  // Waits for the end of the turn before. After kTurn the caller must make a Turn. A timeout of 0 is
  // none. `cancelled` is polled.
  Outcome Wait(int64_t timeout_ms, const std::function<bool()>& cancelled) {
    using Clock = std::chrono::steady_clock;
    const auto begun = Clock::now();
    std::unique_lock lock(mu_);
    while (!free_.wait_for(lock, std::chrono::milliseconds(20), [&] { return !taken_; })) {
      const auto waited =
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun);
      if (cancelled()) return kCancelled;
      if (timeout_ms > 0 && waited.count() >= timeout_ms) return kLate;
    }
    taken_ = true;
    return kTurn;
  }

 private:
  std::mutex mu_;
  std::condition_variable free_;
  bool taken_ = false;
};

}  // namespace tensh
