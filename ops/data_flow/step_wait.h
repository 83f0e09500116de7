#pragma once
// Waits in a kernel for the effect of another step, on a condition variable. The wait also ends if
// the kernel's step is cancelled or times out, or the session is closed.
#include <condition_variable>
#include <mutex>

#include "runtime/core/kernel.h"

namespace tensh::ops {

// Usage: construct it before locking `mu`, and destroy it after unlocking, because Wake locks `mu`.
//   StepWait wait(c, mu, changed);
//   std::unique_lock lock(mu);
//   TENSH_RETURN_IF_ERROR(wait.Until(lock, [&] { return … }));
class StepWait : public CancelFlag::Waiter {
 public:
  StepWait(KernelCtx& c, std::mutex& mu, std::condition_variable& changed)
      : cancel_(c.cancel()), mu_(mu), changed_(changed) {
    if (cancel_) cancel_->Add(this);
  }
  ~StepWait() override {
    if (cancel_) cancel_->Remove(this);
  }
  StepWait(const StepWait&) = delete;

  void Wake() override {
    // A thread that saw the flag unset while holding the lock is waiting by the time the lock is
    // acquired here, so it gets the notification.
    { std::lock_guard lock(mu_); }
    changed_.notify_all();
  }

  template <class Ready>
  Status Until(std::unique_lock<std::mutex>& lock, Ready ready) {
    while (!ready()) {
      if (cancel_ && cancel_->cancelled()) return cancel_->Why();
      changed_.wait(lock);
    }
    return {};
  }

 private:
  CancelFlag* cancel_;
  std::mutex& mu_;
  std::condition_variable& changed_;
};

}  // namespace tensh::ops
