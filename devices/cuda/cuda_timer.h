#pragma once
// Times of a GPU's queue, measured by events. The GPU reaches an event when the work before it is
// complete, which may be long after the kernels were launched.
#include <mutex>
#include <vector>

#include "devices/cuda/cuda_device.h"

namespace tensh::cuda {

// Timed events for reuse. Thread-safe.
class TimedEvents {
 public:
  Result<Event> Take(Driver& driver);
  void Give(Event event);

 private:
  std::mutex mu_;
  std::vector<Event> free_;  // guarded by mu_
};

class CudaTimer : public DeviceTimer {
 public:
  // Waits for the stream, so that its clock can be compared with the host's.
  CudaTimer(CudaStream& stream, TimedEvents& events);
  ~CudaTimer() override;
  size_t Mark() override;
  Result<std::vector<Clock::time_point>> Times() override;

 private:
  static constexpr size_t kPending = 4096;  // events, before the timer waits for them
  struct Pending {
    size_t mark;
    Event event;
  };
  Status Begin();
  Status Record(size_t mark);
  Status Resolve();

  CudaStream& stream_;
  TimedEvents& events_;
  Status status_;  // the first failure
  // The last event whose time is known; null until the GPU was started.
  Event known_ = nullptr;
  Clock::time_point known_at_;
  std::vector<Clock::time_point> times_;  // of the marks; those of pending_ are provisional
  std::vector<Pending> pending_;
};

}  // namespace tensh::cuda
