#pragma once
// The processor time of a step: of the threads that work for it, while they do; and a limit on it.
//
// A thread counts for a meter as long as it holds a CpuMeter::Use. Work that is handed to other
// threads, such as a block of a parallel kernel, carries the meter of the thread that hands it over.
// A thread that waits uses no processor time, whatever it waits for.
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/cancel.h"

namespace tensh {

// Thread-safe.
class CpuMeter {
 public:
  CpuMeter() = default;
  CpuMeter(const CpuMeter&) = delete;

  // Counts the time of this thread from construction to destruction. `meter` may be null, and must
  // outlive the object. Does nothing if the thread already counts for this meter.
  class Use {
   public:
    explicit Use(CpuMeter* meter);
    ~Use() {
      if (meter_) End();
    }
    Use(const Use&) = delete;

   private:
    void End();
    CpuMeter* meter_;
    CpuMeter* before_ = nullptr;
  };

  // Returns the meter that this thread counts for, or null.
  static CpuMeter* OfThread();
  // Returns the nanoseconds that were counted so far, including those of threads that still work.
  int64_t UsedNs();

 private:
  struct Running {
    clockid_t clock;
    int64_t begin_ns;
  };
  void Begin();
  void End();

  std::mutex mu_;
  std::vector<Running> running_;  // Guarded by mu_.
  int64_t ended_ns_ = 0;          // Guarded by mu_: the time of uses that have ended.
};

// The limit that a server puts on the processor time of each step.
struct CpuLimitRule {
  int64_t ms = 0;  // 0 means no limit.
  std::string by;  // Names the owner of the limit in errors: "of the task …".
};

// The limit of one step. A thread of the process, which the first limit starts, looks at the clocks.
class CpuLimit {
 public:
  explicit CpuLimit(CpuLimitRule rule) : rule_(std::move(rule)) {}
  ~CpuLimit() { End(); }
  CpuLimit(const CpuLimit&) = delete;

  // Runs body(), which returns a Status, in this thread. When the step has used its time, sets the flag;
  // body() should then end, and its failure becomes DeadlineExceeded. A step of several calls calls this
  // several times, one at a time, and the times add up.
  template <class Body>
  Status Run(CancelFlag& cancel, Body body) {
    TENSH_RETURN_IF_ERROR(Begin(cancel));
    Status status;
    {
      const CpuMeter::Use counts(&meter_);
      status = body();
    }
    End();
    return status.ok() || !passed_ ? status : Why();
  }

 private:
  friend class CpuWatch;
  using Clock = std::chrono::steady_clock;
  Status Begin(CancelFlag& cancel);
  void End();
  Status Why() const;
  Clock::time_point NextLook(Clock::time_point now);

  const CpuLimitRule rule_;
  CpuMeter meter_;
  CancelFlag* cancel_ = nullptr;  // Set while the limit is watched.
  Clock::time_point look_at_;     // When the watching thread looks again; its own.
  std::atomic<bool> passed_{false};
};

}  // namespace tensh
