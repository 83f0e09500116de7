#pragma once
// The first failure of a step. Any thread may report one; later ones are ignored.
#include <atomic>
#include <mutex>

#include "runtime/core/cancel.h"
#include "runtime/core/status.h"

namespace tensh {

class StepError {
 public:
  // The first failure sets the flag, which ends kernels that wait for other nodes of the step. Must
  // be called before the step begins.
  void CancelOnFailure(CancelFlag* flag) { cancel_ = flag; }
  void Set(Status status) {
    {
      std::lock_guard lock(mu_);
      if (status_.ok()) status_ = std::move(status);
      failed_.store(true);
    }
    if (cancel_) cancel_->Set();
  }
  // Cheap enough to call after every instruction.
  bool failed() const { return __builtin_expect(failed_.load(std::memory_order_relaxed), 0); }
  Status Get() {
    std::lock_guard lock(mu_);
    return status_;
  }

 private:
  std::atomic<bool> failed_{false};
  CancelFlag* cancel_ = nullptr;
  std::mutex mu_;
  Status status_;  // guarded by mu_
};

}  // namespace tensh
