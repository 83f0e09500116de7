#pragma once
// How a kernel waits for what another step does: on a condition variable, woken also when its own
// step is cancelled, its session closes or its time is over.
#include <condition_variable>
#include <mutex>

#include "runtime/core/kernel.h"

namespace tensh::ops {

// Made before the lock on `mu` is taken and gone after it is given back:
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
    { std::lock_guard lock(mu_); }  // whoever looked at the flag before it was set waits by now
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
