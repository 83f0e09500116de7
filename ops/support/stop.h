#pragma once
// Cancellation of long work deep inside plain functions, by a thread-local flag. Kernels whose
// loops have the KernelCtx at hand check its cancelled() instead.
#include <exception>

#include "runtime/core/cancel.h"
#include "runtime/core/step_cancelled.h"

namespace tensh::ops {

// Declares that this thread works for the flag's step while the object exists. The flag may be
// null.
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

// Throws if the step was cancelled, except while another exception unwinds the stack: some of Eigen's
// destructors contain assertions, which eigen_stop.h replaces by this check.
inline void StopIfCancelled() {
  if (__builtin_expect(StopsWith::cancelled(), 0) && std::uncaught_exceptions() == 0)
    ThrowStepCancelled();
}

}  // namespace tensh::ops
