#include "devices/cuda/cuda_timer.h"

#include <utility>

namespace tensh::cuda {

Result<Event> TimedEvents::Take(Driver& driver) {
  {
    std::lock_guard lock(mu_);
    if (!free_.empty()) {
      const Event event = free_.back();
      free_.pop_back();
      return event;
    }
  }
  return driver.NewEvent(true);
}

void TimedEvents::Give(Event event) {
  std::lock_guard lock(mu_);
  free_.push_back(event);
}

CudaTimer::CudaTimer(CudaStream& stream, TimedEvents& events) : stream_(stream), events_(events) {
  status_ = Begin();
}

CudaTimer::~CudaTimer() {
  for (const Pending& pending : pending_) events_.Give(pending.event);
  if (known_) events_.Give(known_);
}

// The clock is read before the event is recorded. A mark on an idle stream then has the time at which
// it was made, although the GPU reaches it some microseconds later.
Status CudaTimer::Begin() {
  Driver& driver = stream_.driver();
  if (!stream_.stream()) return {};  // the GPU was not started yet
  TENSH_RETURN_IF_ERROR(driver.Use(stream_.gpu()));
  TENSH_RETURN_IF_ERROR(driver.Wait(stream_.stream()));
  TENSH_ASSIGN(known_, events_.Take(driver));
  known_at_ = Clock::now();
  return driver.Record(known_, stream_.stream());
}

size_t CudaTimer::Mark() {
  const size_t mark = times_.size();
  times_.push_back(Clock::now());
  if (status_.ok()) status_ = Record(mark);
  return mark;
}

Status CudaTimer::Record(size_t mark) {
  if (!known_) return Begin();
  TENSH_RETURN_IF_ERROR(stream_.driver().Use(stream_.gpu()));
  TENSH_ASSIGN(const Event event, events_.Take(stream_.driver()));
  pending_.push_back({mark, event});
  TENSH_RETURN_IF_ERROR(stream_.driver().Record(event, stream_.stream()));
  return pending_.size() < kPending ? Status() : Resolve();
}

Status CudaTimer::Resolve() {
  if (pending_.empty()) return {};
  Driver& driver = stream_.driver();
  TENSH_RETURN_IF_ERROR(driver.Use(stream_.gpu()));
  TENSH_RETURN_IF_ERROR(driver.Await(pending_.back().event));
  // Short intervals are added up, because CUDA rounds them to 24 bits.
  for (const Pending& pending : pending_) {
    TENSH_ASSIGN(const double ns, driver.Elapsed(known_, pending.event));
    known_at_ += std::chrono::nanoseconds(static_cast<int64_t>(ns));
    times_[pending.mark] = known_at_;
    events_.Give(std::exchange(known_, pending.event));
  }
  pending_.clear();
  return {};
}

Result<std::vector<DeviceTimer::Clock::time_point>> CudaTimer::Times() {
  TENSH_RETURN_IF_ERROR(status_);
  TENSH_RETURN_IF_ERROR(Resolve());
  return times_;
}

}  // namespace tensh::cuda
