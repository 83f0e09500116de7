#include "runtime/core/cancel.h"

#include <algorithm>
#include <condition_variable>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace tensh {

// The thread that watches the clock. Most steps end in time, so removing a limit does not wake it.
// Adding a limit wakes it only if that limit ends before the next time at which it would look.
class LimitTimer {
 public:
  static LimitTimer& Get() {
    // Never destroyed, because its thread runs until the process ends.
    static auto* timer = new LimitTimer;
    return *timer;
  }

  Status Add(CancelFlag& flag) {
    std::lock_guard lock(mu_);
    if (!started_) {
      try {
        std::thread([this] { Work(); }).detach();
      } catch (const std::system_error&) {
        return Status(Code::kResourceExhausted,
                      "cannot start the thread for the step's time limit");
      }
      started_ = true;
    }
    flags_.insert({flag.until_, &flag});
    if (flag.until_ < looks_at_) wake_.notify_one();
    return {};
  }

  // After this returns, the timer does not set the flag.
  void Remove(CancelFlag& flag) {
    std::lock_guard lock(mu_);
    flags_.erase({flag.until_, &flag});
  }

 private:
  using Clock = std::chrono::steady_clock;

  void Work() {
    std::unique_lock lock(mu_);
    for (;;) {
      while (!flags_.empty() && flags_.begin()->first <= Clock::now()) {
        flags_.begin()->second->Set(CancelFlag::kTimeIsOver);
        flags_.erase(flags_.begin());
      }
      looks_at_ = flags_.empty() ? Clock::time_point::max() : flags_.begin()->first;
      if (flags_.empty())
        wake_.wait(lock);
      else
        wake_.wait_until(lock, looks_at_);
    }
  }

  std::mutex mu_;  // Locked before the mutex of any flag.
  std::condition_variable wake_;
  bool started_ = false;
  Clock::time_point looks_at_ = Clock::time_point::max();
  std::set<std::pair<Clock::time_point, CancelFlag*>> flags_;
};

CancelFlag::CancelFlag(CancelFlag* other) : other_(other) {
  if (!other) return;
  link_.flag = this;
  other->Add(&link_);
  if (other->cancelled()) Set();
}

CancelFlag::~CancelFlag() {
  if (other_) other_->Remove(&link_);
  EndLimit();
}

void CancelFlag::Set(Reason why) {
  uint8_t goes_on = kGoesOn;
  why_.compare_exchange_strong(goes_on, why, std::memory_order_relaxed);
  std::lock_guard lock(mu_);
  for (Waiter* waiter : waiters_) waiter->Wake();
}

Status CancelFlag::Why() const {
  if (other_ && other_->cancelled()) return other_->Why();
  if (why_.load(std::memory_order_relaxed) == kCancelled)
    return Cancelled("the step was cancelled");
  return DeadlineExceeded("Timed out waiting for notification: the step ran longer than ",
                          limit_ms_, " ms");
}

void CancelFlag::Add(Waiter* waiter) {
  std::lock_guard lock(mu_);
  waiters_.push_back(waiter);
}

void CancelFlag::Remove(Waiter* waiter) {
  std::lock_guard lock(mu_);
  waiters_.erase(std::find(waiters_.begin(), waiters_.end(), waiter));
}

Status CancelFlag::StartLimit(int64_t ms) {
  constexpr int64_t kForever = int64_t{1} << 40;  // A larger value would overflow the clock.
  limit_ms_ = std::min(ms, kForever);
  until_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms_);
  return LimitTimer::Get().Add(*this);
}

void CancelFlag::EndLimit() {
  if (!limit_ms_) return;
  LimitTimer::Get().Remove(*this);
  limit_ms_ = 0;
  uint8_t over = kTimeIsOver;
  why_.compare_exchange_strong(over, kGoesOn, std::memory_order_relaxed);
}

}  // namespace tensh
