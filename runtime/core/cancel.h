#pragma once
// A flag that ends a step early: on Ctrl-C, when its session closes, or at its time limit.
//
// Kernels that compute for a long time poll the flag, and setting it wakes kernels that wait. No
// kernel reads a clock: one thread of the process, which the first time limit starts, sets the
// flags whose limits have passed.
#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "runtime/core/status.h"

namespace tensh {

// Thread-safe, except for the limit, which belongs to the thread that runs the step.
class CancelFlag {
 public:
  // An object that is woken when the flag is set.
  class Waiter {
   public:
    virtual ~Waiter() = default;
    virtual void Wake() = 0;  // Called with the flag's mutex held.
  };
  CancelFlag() = default;
  // Creates a flag that is also set when `other` is set. `other` may be null, and must outlive this
  // flag.
  explicit CancelFlag(CancelFlag* other);
  CancelFlag(const CancelFlag&) = delete;
  ~CancelFlag();

  bool cancelled() const { return why_.load(std::memory_order_relaxed) != kGoesOn; }
  // Must only be called after the flag was set. Returns Cancelled, or DeadlineExceeded if the time
  // limit came first.
  Status Why() const;
  void Set() { Set(kCancelled); }
  void Add(Waiter* waiter);
  void Remove(Waiter* waiter);

  // Sets the flag after `ms` milliseconds, unless EndLimit is called first. At most one limit can
  // be active.
  Status StartLimit(int64_t ms);
  // Ends the limit. If the limit has set the flag, clears the flag again.
  void EndLimit();

 private:
  friend class LimitTimer;
  enum Reason : uint8_t { kGoesOn, kCancelled, kTimeIsOver };
  void Set(Reason why);
  struct Link final : Waiter {
    CancelFlag* flag = nullptr;
    void Wake() override { flag->Set(); }
  };

  CancelFlag* other_ = nullptr;
  Link link_;  // in the list of other_
  std::atomic<uint8_t> why_{kGoesOn};
  int64_t limit_ms_ = 0;  // 0 means no limit.
  std::chrono::steady_clock::time_point until_;
  std::mutex mu_;
  std::vector<Waiter*> waiters_;  // guarded by mu_
};

}  // namespace tensh
