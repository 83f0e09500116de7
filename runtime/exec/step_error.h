#pragma once
// The first failure of a step. Any thread may report one; later ones are ignored.
#include <atomic>
#include <mutex>

#include "runtime/core/status.h"

namespace tensh {

class StepError {
 public:
  void Set(Status status) {
    std::lock_guard lock(mu_);
    if (status_.ok()) status_ = std::move(status);
    failed_.store(true);
  }
  // Cheap enough to call after every instruction.
  bool failed() const { return __builtin_expect(failed_.load(std::memory_order_relaxed), 0); }
  Status Get() {
    std::lock_guard lock(mu_);
    return status_;
  }

 private:
  std::atomic<bool> failed_{false};
  std::mutex mu_;
  Status status_;  // guarded by mu_
};

}  // namespace tensh
