#pragma once
// How work that takes minutes, deep within plain functions, ends with its step. Kernels whose loops
// have the KernelCtx at hand look at cancelled() instead.
#include "runtime/core/cancel.h"
#include "runtime/core/step_cancelled.h"

namespace tensh::ops {

// While it lives, this thread works for the flag's step. The flag may be null.
class StopsWith {
 public:
  explicit StopsWith(const CancelFlag* flag) : before_(current_) { current_ = flag; }
  ~StopsWith() { current_ = before_; }
  StopsWith(const StopsWith&) = delete;
  static bool cancelled() { return current_ && current_->cancelled(); }

 private:
  static inline thread_local const CancelFlag* current_ = nullptr;
  const CancelFlag* const before_;
};

inline void StopIfCancelled() {
  if (__builtin_expect(StopsWith::cancelled(), 0)) ThrowStepCancelled();
}

}  // namespace tensh::ops
