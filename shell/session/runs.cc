#include "shell/session/runs.h"

#include "shell/session/recording.h"
#include "shell/tensorflow/graph/last_run.h"

namespace tensh::shell {
namespace {

constexpr size_t kPrunedListed = 1000;
constexpr size_t kMaxRecent = 32;
constexpr size_t kMaxKeptReport = 256 << 10;  // bytes

}  // namespace

uint64_t Runs::number() { return tf::Last().number; }

void Runs::Skip() { seen_ = number(); }

Value Runs::Fetched(uint64_t graph, tsh_output of) const {
  for (const FetchedValue& each : fetched_)
    if (each.graph == graph && each.of.node == of.node && each.of.index == of.index)
      return each.value;
  return Value();
}

void Runs::NoteTyped(std::string request, std::string target) {
  typed_ = number();
  typed_request_ = std::move(request);
  typed_target_ = std::move(target);
}

void Runs::NodesRemoved(size_t kept) {
  last_.kept = kept;
  std::erase_if(fetched_, [kept](const FetchedValue& each) { return each.of.node >= kept; });
}

void Runs::Clear() {
  Skip();
  last_ = last_traced_ = {};
  recent_.clear();
  fetched_.clear();
  ++era_;
}

void Runs::CatchUp() {
  if (number() == seen_) return;
  Skip();
  ExplainedRun run;
  run.report = tf::ExplainLast(kPrunedListed, &run.target, &run.request);
  if (run.report.empty()) return;
  std::string recorded = RecordedReport();
  const bool ran = !recorded.empty();
  if (ran) run.report = std::move(recorded);
  run.graph = tf::Last().graph.id();
  run.typed = typed_ == number();
  if (run.typed) run.request = typed_request_, run.target = typed_target_;
  Add(std::move(run), ran);
}

void Runs::Add(ExplainedRun run, bool ran) {
  Skip();
  if (ran) last_traced_ = run;
  if (run.report.size() <= kMaxKeptReport) {
    if (recent_.size() >= kMaxRecent) recent_.erase(recent_.begin());
    recent_.push_back(run);
  }
  last_ = std::move(run);
}

SideRuns::SideRuns() : before_(tf::Last().paused) { tf::Last().paused = true; }

SideRuns::~SideRuns() { tf::Last().paused = before_; }

}  // namespace tensh::shell
