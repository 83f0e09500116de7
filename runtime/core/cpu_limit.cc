#include "runtime/core/cpu_limit.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/base/cores.h"

namespace tensh {
namespace {

thread_local CpuMeter* current = nullptr;

// Returns 0 if the clock cannot be read.
int64_t ReadNs(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Returns the clock of this thread, which other threads can read, too.
clockid_t OwnClock() {
  clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
  (void)pthread_getcpuclockid(pthread_self(), &clock);
  return clock;
}

}  // namespace

CpuMeter* CpuMeter::OfThread() { return current; }

CpuMeter::Use::Use(CpuMeter* meter) : meter_(meter == current ? nullptr : meter) {
  if (!meter_) return;
  meter_->Begin();
  before_ = current;
  current = meter_;
}

void CpuMeter::Use::End() {
  current = before_;
  meter_->End();
}

void CpuMeter::Begin() {
  const clockid_t clock = OwnClock();
  const int64_t begin_ns = ReadNs(clock);
  std::lock_guard lock(mu_);
  running_.push_back({clock, begin_ns});
}

void CpuMeter::End() {
  const clockid_t clock = OwnClock();
  const int64_t end_ns = ReadNs(clock);
  std::lock_guard lock(mu_);
  for (Running& thread : running_) {
    if (thread.clock != clock) continue;
    ended_ns_ += end_ns - thread.begin_ns;
    thread = running_.back();
    running_.pop_back();
    return;
  }
}

int64_t CpuMeter::UsedNs() {
  std::lock_guard lock(mu_);
  int64_t used = ended_ns_;
  for (const Running& thread : running_) {
    const int64_t now_ns = ReadNs(thread.clock);
    if (now_ns > thread.begin_ns) used += now_ns - thread.begin_ns;
  }
  return used;
}

// The thread that watches the clocks. Removing a limit does not wake it. Adding one wakes it only if it
// must look at that limit before the next time at which it would look.
class CpuWatch {
 public:
  static CpuWatch& Get() {
    static auto* watch =
        new CpuWatch;  // Never destroyed, because its thread runs until the process ends.
    return *watch;
  }

  Status Add(CpuLimit& limit, CancelFlag& cancel) {
    std::lock_guard lock(mu_);
    if (!started_) {
      try {
        std::thread([this] { Work(); }).detach();
      } catch (const std::system_error&) {
        return ResourceExhausted("cannot start the thread for the step's limit of processor time");
      }
      started_ = true;
    }
    limit.cancel_ = &cancel;
    limit.look_at_ = limit.NextLook(Clock::now());
    looks_.insert({limit.look_at_, &limit});
    if (limit.look_at_ < looks_at_) wake_.notify_one();
    return {};
  }

  // After this returns, the flag of the limit is not set.
  void Remove(CpuLimit& limit) {
    std::lock_guard lock(mu_);
    looks_.erase({limit.look_at_, &limit});
    limit.cancel_ = nullptr;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void Work() {
    std::unique_lock lock(mu_);
    for (;;) {
      for (const auto now = Clock::now(); !looks_.empty() && looks_.begin()->first <= now;) {
        CpuLimit& limit = *looks_.begin()->second;
        looks_.erase(looks_.begin());
        limit.look_at_ = limit.NextLook(now);
        if (limit.look_at_ > now) {
          looks_.insert({limit.look_at_, &limit});
        } else {
          limit.passed_ = true;
          limit.cancel_->Set();
        }
      }
      looks_at_ = looks_.empty() ? Clock::time_point::max() : looks_.begin()->first;
      if (looks_.empty())
        wake_.wait(lock);
      else
        wake_.wait_until(lock, looks_at_);
    }
  }

  std::mutex mu_;  // Locked before the mutex of any flag or meter.
  std::condition_variable wake_;
  bool started_ = false;
  Clock::time_point looks_at_ = Clock::time_point::max();
  std::set<std::pair<Clock::time_point, CpuLimit*>> looks_;
};

Status CpuLimit::Begin(CancelFlag& cancel) { return CpuWatch::Get().Add(*this, cancel); }

void CpuLimit::End() {
  if (cancel_) CpuWatch::Get().Remove(*this);
}

Status CpuLimit::Why() const {
  return DeadlineExceeded("the step used more than ", rule_.ms, " ms of processor time, the limit ",
                          rule_.by);
}

// Returns when the limit could have passed, or `now` if it has. The threads of a step use at most as many
// cores as there are. A fiftieth of the limit keeps a step that waits close to its limit from being looked
// at all the time.
CpuLimit::Clock::time_point CpuLimit::NextLook(Clock::time_point now) {
  const std::chrono::nanoseconds limit = std::chrono::milliseconds(rule_.ms);
  const std::chrono::nanoseconds left = limit - std::chrono::nanoseconds(meter_.UsedNs());
  if (left.count() <= 0) return now;
  return now + std::max(left / AvailableCores(), limit / 50);
}

}  // namespace tensh
