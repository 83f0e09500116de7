#include "runtime/exec/turns.h"

#include "runtime/exec/pool.h"

namespace tensh {

void Turns::BeginArrivals() {
  expects_ = true;
  if (options_.cancel) options_.cancel->Add(this);
}

void Turns::Ready(uint16_t part) {
  std::lock_guard lock(mu_);
  ++active_;
  if (!threaded_ || !ScheduleOnPool([this, part] { Advance(part); })) ready_.push_back(part);
  if (expects_ || threaded_) wake_.notify_all();
}

void Turns::RunFirst(uint16_t part) {
  {
    std::lock_guard lock(mu_);
    ++active_;
  }
  Advance(part);
}

void Turns::Advance(uint16_t part) {
  PartRunner::Outcome outcome;
  {
    const CpuMeter::Use counts(meter_);  // ends before the step, and with it the meter, may end
    outcome = runner_.RunPart(part);
  }
  std::lock_guard lock(mu_);
  --active_;
  if (outcome != PartRunner::Outcome::kWaiting) --unfinished_;
  if (threaded_) wake_.notify_all();
}

// A thread may still be inside the step although every partition has ended: it found a value
// missing, and another thread took over the partition before it left.
void Turns::Drain() {
  std::unique_lock lock(mu_);
  while (unfinished_ > 0 || (threaded_ && active_ > 0)) {
    // A threaded step has ready partitions here if no thread could be started for them.
    if (!ready_.empty() && (threaded_ || !error_.failed())) {
      const uint16_t part = ready_.back();
      ready_.pop_back();
      lock.unlock();
      Advance(part);
      lock.lock();
      continue;
    }
    if (arriving_ > 0 && !error_.failed()) {
      if (options_.pauses) return;
      // Read under the lock, so that the flag cannot be set unnoticed before the wait.
      if (!Cancelled()) wake_.wait(lock);
      continue;
    }
    if (!threaded_ || active_ == 0) {
      if (!error_.failed()) error_.Set(Internal("the step's partitions wait for each other"));
      return;
    }
    wake_.wait(lock);
  }
}

bool Turns::Cancelled() {
  if (error_.failed()) return true;
  if (!options_.cancel || !options_.cancel->cancelled()) return false;
  error_.Set(options_.cancel->Why());
  return true;
}

bool Turns::waits() {
  std::lock_guard lock(mu_);
  return unfinished_ > 0 && !error_.failed();
}

void Turns::Expect() {
  std::lock_guard lock(mu_);
  ++arriving_;
}

void Turns::Arrived() {
  std::lock_guard lock(mu_);
  --arriving_;
  wake_.notify_all();  // with the lock held: the step may end as soon as it is released
}

void Turns::EndArrivals() {
  if (options_.cancel) options_.cancel->Remove(this);
  std::unique_lock lock(mu_);
  wake_.wait(lock, [&] { return arriving_ == 0; });
}

void Turns::Wake() {
  std::lock_guard lock(mu_);
  wake_.notify_all();
}

}  // namespace tensh
