#include "runtime/dist/cluster_step.h"

#include <chrono>

#include "runtime/dist/step_exchange.h"

namespace tensh::dist {
namespace {

constexpr auto kLastCall = std::chrono::milliseconds(500);
constexpr char kCancelled[] = "the step was cancelled";

// True for a failure that is probably a consequence of another part's failure, which then takes
// precedence.
bool Derived(const Status& s) {
  return s.code() == Code::kAborted || s.code() == Code::kCancelled ||
         s.code() == Code::kUnavailable;
}

}  // namespace

PartRun& ClusterSession::Step::Add(size_t p) {
  PartRun run{.session = cutting_->session,
              .graph = cutting_->parts[p].graph,
              .step = id_,
              .request_id = RandomId(),
              .send = {},
              .receive = {}};
  calls_.push_back({p, std::move(run), {}});
  return calls_.back().run;
}

Status ClusterSession::Step::Run(const StepLimits& limits) {
  WatchPtr watch;
  if (limits.cancel)
    watch.reset(tsh_cancel_watch_new(
        limits.cancel, [](void* self) { static_cast<Step*>(self)->GiveUp(kCancelled); }, this));
  running_ = calls_.size();
  for (size_t c = 0; c < calls_.size(); ++c)
    cutting_->parts[calls_[c].part].task->Run(
        std::move(calls_[c].run), cancel_.get(),
        [self = shared_from_this(), c](Status status, PartResult result) {
          self->Ended(c, std::move(status), std::move(result));
        });
  Wait(limits.until());
  watch.reset();
  std::lock_guard lock(mu_);
  return status_;
}

void ClusterSession::Step::Cleanup() {
  for (const auto& part : cutting_->parts) part.task->Cleanup(id_);
}

void ClusterSession::Step::GiveUp(const char* why) {
  std::lock_guard lock(mu_);
  if (status_.ok()) status_ = Cancelled(why);
  given_up_ = true;
  changed_.notify_all();
}

void ClusterSession::Step::TakeFetched(std::vector<TensorPtr>* fetched) {
  for (Call& call : calls_) {
    PartResult& result = call.result;
    for (const auto& [index, key] : cutting_->parts[call.part].fetches) {
      size_t at = 0;
      while (at < result.names.size() && result.names[at] != key) ++at;
      if (at < result.received.size() && result.received[at])
        (*fetched)[index].reset(tsh_tensor_ref(result.received[at].get()));
    }
  }
}

void ClusterSession::Step::TakeStats(tensorflow::StepStats* stats) {
  for (Call& call : calls_) stats->MergeFrom(call.result.stats);
}

void ClusterSession::Step::Ended(size_t c, Status status, PartResult result) {
  std::lock_guard lock(mu_);
  if (status.ok()) calls_[c].result = std::move(result);
  const bool better = !status.ok() && (status_.ok() || (derived_ && !Derived(status)));
  if (better && !given_up_) {
    derived_ = Derived(status);
    status_ = std::move(status);
  }
  calls_[c].ended = true;
  --running_;
  changed_.notify_all();
}

void ClusterSession::Step::Wait(Clock::time_point until) {
  std::unique_lock lock(mu_);
  const auto probe_period = ProbePeriod();
  Clock::time_point probe = Clock::now() + probe_period;
  bool cancelled = false;
  while (running_ > 0) {
    if (!status_.ok() && !cancelled) {
      cancelled = true;
      // A part that was lost or is late need not acknowledge the end.
      if (given_up_) probe = std::min(probe, Clock::now() + kLastCall);
      lock.unlock();
      tsh_cancel_set(cancel_.get());
      lock.lock();
      continue;
    }
    changed_.wait_until(lock, cancelled ? probe : std::min(until, probe));
    if (running_ == 0 || cancelled) {
      if (cancelled && Clock::now() >= probe) return;  // Parts that do not answer are abandoned.
      continue;
    }
    if (Clock::now() >= until && status_.ok()) {
      status_ = DeadlineExceeded("Timed out waiting for notification");
      given_up_ = true;
    } else if (Clock::now() >= probe) {
      probe = Clock::now() + probe_period;
      lock.unlock();
      ProbeAll();
      lock.lock();
    }
  }
}

std::chrono::milliseconds ClusterSession::Step::ProbePeriod() const {
  std::chrono::milliseconds period = std::chrono::seconds(5);
  for (const auto& part : cutting_->parts) period = std::min(period, part.task->probe_period());
  return period;
}

void ClusterSession::Step::ProbeAll() {
  for (size_t c = 0; c < calls_.size(); ++c) {
    {
      std::lock_guard lock(mu_);
      if (calls_[c].ended) continue;
    }
    const auto& task = cutting_->parts[calls_[c].part].task;
    task->Probe(begun_, [self = shared_from_this(), c, name = task->name()](bool answers) {
      if (answers) return;
      std::lock_guard lock(self->mu_);
      if (self->calls_[c].ended || self->given_up_) return;
      if (self->status_.ok()) self->status_ = Unavailable("the task ", name, " no longer answers");
      self->given_up_ = true;
      self->changed_.notify_all();
    });
  }
}

}  // namespace tensh::dist
