#pragma once
// Decides which partitions of a step run, and in which thread. A partition that waits for a value
// holds no thread; the sender of the value makes it ready again. Ready partitions run one after
// another in the caller's thread, or, in a threaded step, each in a thread of the pool. If the system
// allows no more threads, the caller's thread runs the remaining ones.
//
// Shared by the threads of one step.
#include <condition_variable>
#include <mutex>
#include <vector>

#include "runtime/core/cpu_limit.h"
#include "runtime/exec/step.h"
#include "runtime/exec/step_error.h"

namespace tensh {

// Runs a partition until it ends, has to wait, or fails.
class PartRunner {
 public:
  enum class Outcome { kDone, kWaiting, kFailed };
  virtual Outcome RunPart(uint16_t part) = 0;

 protected:
  ~PartRunner() = default;
};

class Turns : private CancelFlag::Waiter {
 public:
  // All arguments must outlive the step.
  Turns(PartRunner& runner, size_t parts, const StepOptions& options, StepError& error)
      : runner_(runner),
        options_(options),
        error_(error),
        meter_(CpuMeter::OfThread()),
        unfinished_(parts) {}

  // Must be called before the first partition runs.
  void UseThreads() { threaded_ = true; }
  // Must be called before the first Expect. A cancelled step then stops waiting for arrivals.
  void BeginArrivals();

  // Makes a partition ready that has not begun or that waits. May be called by any thread.
  void Ready(uint16_t part);
  // Runs a partition that has not begun, now.
  void RunFirst(uint16_t part);
  // Runs ready partitions until every partition has ended. After a failure, abandons those that
  // wait. When it returns, no other thread is inside the step, unless a step that pauses waits for
  // arrivals.
  void Drain();
  // True if partitions wait for arrivals, after a Drain.
  bool waits();

  // Announces a value that another process will send. Drain waits for it.
  void Expect();
  void Arrived();
  // Returns when everything that was expected has arrived. Must be the last call.
  void EndArrivals();

 private:
  void Advance(uint16_t part);
  bool Cancelled();
  void Wake() override;

  PartRunner& runner_;
  const StepOptions& options_;
  StepError& error_;
  CpuMeter* const meter_;  // null if the step has no limit of processor time
  bool threaded_ = false, expects_ = false;
  std::mutex mu_;
  std::condition_variable wake_;
  std::vector<uint16_t> ready_;  // guarded by mu_; the last one runs first
  size_t unfinished_;            // guarded by mu_: partitions that have not ended
  size_t active_ = 0;            // guarded by mu_: partitions that run or are ready
  size_t arriving_ = 0;          // guarded by mu_: values expected and not arrived
};

}  // namespace tensh
