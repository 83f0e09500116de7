// Steps of a part that are fed and fetched in several RunGraph calls. The step starts with the
// first call and waits for values that are not fed yet. Each call feeds values and waits for its
// fetches.
#include <condition_variable>

#include "runtime/dist/threads.h"
#include "runtime/dist/worker.h"

namespace tensh::dist {

constexpr size_t kMaxPartials = 4096;

struct Worker::PartialStep {
  std::mutex mu;
  std::condition_variable changed;
  bool ended = false;
  Status status;
  tensorflow::StepStats stats;
  const CancelPtr cancel{tsh_cancel_new()};
};

namespace {

// The values that one call waits for. Shared with the step's table, which may outlive the call.
struct Wanted {
  std::mutex mu;
  std::condition_variable changed;
  std::vector<TensorPtr> values;
  size_t missing = 0;
  Status status;

  void Came(size_t i, const Status& said, TensorPtr value) {
    std::lock_guard lock(mu);
    if (status.ok()) status = said;
    values[i] = std::move(value);
    --missing;
    changed.notify_all();
  }
};

Status Receive(StepValues& step, const std::vector<std::string>& keys, PartResult* result) {
  auto wanted = std::make_shared<Wanted>();
  wanted->values.resize(keys.size());
  wanted->missing = keys.size();
  for (size_t i = 0; i < keys.size(); ++i)
    step.Receive(keys[i], [wanted, i](const Status& status, TensorPtr value) {
      wanted->Came(i, status, std::move(value));
    });
  std::unique_lock lock(wanted->mu);  // An abort of the step ends the wait.
  wanted->changed.wait(lock, [&] { return wanted->missing == 0; });
  TENSH_RETURN_IF_ERROR(wanted->status);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!wanted->values[i])
      return InvalidArgument("The tensor returned for ", keys[i], " was not valid.");
    result->names.push_back(keys[i]);
    result->received.push_back(std::move(wanted->values[i]));
  }
  return {};
}

}  // namespace

Status Worker::RunPartial(const std::shared_ptr<Part>& part, PartRun& run,
                          const std::shared_ptr<StepValues>& values, tsh_cancel* cancel,
                          PartResult* result) {
  auto step = BeginPartial(part, run, values);
  if (!step) return ResourceExhausted("the task ", name_, " has ", kMaxPartials, " partial runs");
  for (auto& [key, value] : run.send) TENSH_RETURN_IF_ERROR(values->Send(key, std::move(value)));
  const std::pair<StepValues*, PartialStep*> both(values.get(), step.get());
  WatchPtr watch;
  if (cancel)
    watch.reset(tsh_cancel_watch_new(
        cancel,
        [](void* context) {
          const auto& [table, running] = *static_cast<decltype(both)*>(context);
          table->Abort(Cancelled("the step was cancelled"));
          tsh_cancel_set(running->cancel.get());
        },
        const_cast<std::pair<StepValues*, PartialStep*>*>(&both)));
  Status status = Receive(*values, run.receive, result);
  if (status.ok() && !run.last) return status;
  if (status.ok()) {
    std::unique_lock lock(step->mu);
    step->changed.wait(lock, [&] { return step->ended; });
    status = step->status;
    result->stats = std::move(step->stats);
  }
  EndPartial(run.step);
  return status;
}

std::shared_ptr<Worker::PartialStep> Worker::BeginPartial(
    const std::shared_ptr<Part>& part, const PartRun& run,
    const std::shared_ptr<StepValues>& values) {
  std::shared_ptr<PartialStep> step;
  Worker& owner = original_ ? *original_ : *this;
  {
    std::lock_guard lock(owner.mu_);
    auto& known = owner.partials_[{run.step, run.graph}];
    if (known) return known;
    if (owner.partials_.size() > kMaxPartials) {
      owner.partials_.erase({run.step, run.graph});
      return nullptr;
    }
    step = known = std::make_shared<PartialStep>();
  }
  RunOnThread([this, keep = weak_from_this().lock(), step, part, values, id = run.step,
               trace = run.trace] {
    PartRun all{.session = {}, .graph = {}, .step = id, .trace = trace, .send = {}, .receive = {}};
    PartResult result;
    Status status = RunPart(*part, all, values, step->cancel.get(), &result);
    if (!status.ok()) values->Abort(status);
    std::lock_guard lock(step->mu);
    step->ended = true;
    step->status = std::move(status);
    step->stats = std::move(result.stats);
    step->changed.notify_all();
  });
  return step;
}

// Abandons steps that have not ended yet.
void Worker::EndPartial(int64_t id) {
  if (original_) return original_->EndPartial(id);
  std::vector<std::shared_ptr<PartialStep>> gone;
  {
    std::lock_guard lock(mu_);
    auto it = partials_.lower_bound({id, ""});
    while (it != partials_.end() && it->first.first == id) {
      gone.push_back(std::move(it->second));
      it = partials_.erase(it);
    }
  }
  for (const auto& step : gone) tsh_cancel_set(step->cancel.get());
}

}  // namespace tensh::dist
