#pragma once
// What ends a step before its end: Ctrl-C, the closing of its session, its time limit. Kernels that
// work long look at the flag, those that wait are woken by it, and nobody looks at a clock: one
// thread of the process, begun with the first limit, sets the flags whose time is over.
#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "runtime/core/status.h"

namespace tensh {

// Thread-safe, but for the limit: that belongs to who runs the step.
class CancelFlag {
 public:
  class Waiter {
   public:
    virtual ~Waiter() = default;
    virtual void Wake() = 0;  // called with the flag's mutex held
  };
  CancelFlag() = default;
  CancelFlag(const CancelFlag&) = delete;
  ~CancelFlag() { EndLimit(); }

  bool cancelled() const { return why_.load(std::memory_order_relaxed) != kGoesOn; }
  // Once it is: Cancelled, or DeadlineExceeded where the time was over first.
  Status Why() const;
  void Set() { Set(kCancelled); }
  void Add(Waiter* waiter);
  void Remove(Waiter* waiter);

  // Sets it in `ms` from now, unless the limit is ended by then. One limit at a time.
  Status StartLimit(int64_t ms);
  // That the time was over is forgotten with it.
  void EndLimit();

 private:
  friend class LimitTimer;
  enum Reason : uint8_t { kGoesOn, kCancelled, kTimeIsOver };
  void Set(Reason why);

  std::atomic<uint8_t> why_{kGoesOn};
  int64_t limit_ms_ = 0;  // 0: none
  std::chrono::steady_clock::time_point until_;
  std::mutex mu_;
  std::vector<Waiter*> waiters_;  // guarded by mu_
};

}  // namespace tensh
