#include "runtime/session/partial_run.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <unordered_set>

#include "runtime/base/one_at_a_time.h"
#include "runtime/core/step_number.h"

namespace tensh {
namespace {

// Passes feeds to the step and fetches out of it, by key.
class Mailbox : public Exchange {
 public:
  Status Send(const std::string& key, const Tensor& value) override {
    std::lock_guard lock(mu_);
    out_[key] = value;
    return {};
  }
  void Receive(const std::string& key, Done done) override {
    std::lock_guard lock(mu_);
    waiting_.emplace(key, std::move(done));
  }
  void Abort(const Status& why) override {
    std::unordered_map<std::string, Done> waiting;
    {
      std::lock_guard lock(mu_);
      waiting.swap(waiting_);
    }
    for (auto& [key, done] : waiting) done(why, Tensor());
  }

  void Feed(const std::string& key, const Tensor& value) {
    Done done;
    {
      std::lock_guard lock(mu_);
      auto found = waiting_.find(key);
      if (found == waiting_.end()) return;
      done = std::move(found->second);
      waiting_.erase(found);
    }
    done({}, value);
  }
  Tensor Sent(const std::string& key) {
    std::lock_guard lock(mu_);
    auto found = out_.find(key);
    return found == out_.end() ? Tensor() : found->second;
  }

 private:
  std::mutex mu_;
  std::unordered_map<std::string, Done> waiting_;
  std::unordered_map<std::string, Tensor> out_;
};

class DirectPartialRun : public PartialRun {
 public:
  DirectPartialRun(std::shared_ptr<const Plan> plan, std::shared_ptr<PartialPlan> code,
                   StepGate& gate)
      : plan_(std::move(plan)),
        code_(std::move(code)),
        gate_(gate),
        limit_(gate.NewCpuLimit()),
        fed_(plan_->stages.signature.feeds.size()),
        fetched_(plan_->stages.signature.fetches.size()),
        step_(code_->plan, &cancel_, &mail_) {}

  Status Run(std::span<const Output> feeds, std::span<const Tensor> values,
             std::span<const Output> fetches, std::span<Tensor> fetched, int64_t timeout_ms,
             CancelFlag* cancel) override {
    switch (calls_.Wait(timeout_ms, [&] { return cancel && cancel->cancelled(); })) {
      case OneAtATime::kCancelled:
        return cancel->Why();
      case OneAtATime::kLate:
        return DeadlineExceeded("another call of this partial run took longer than ", timeout_ms,
                                " ms");
      case OneAtATime::kTurn:
        break;
    }
    const OneAtATime::Turn turn(&calls_);
    if (done_) return InvalidArgument("Must run 'setup' before performing partial runs!");
    const CancelOfCall of_call(cancel, &cancel_);
    TENSH_RETURN_IF_ERROR(gate_.Enter(cancel_, timeout_ms));  // keeps the graph alive
    const GateLeaver leaver{gate_, cancel_};
    const auto run = [&] { return RunIn(feeds, values, fetches, fetched); };
    Status status = limit_ ? limit_->Run(cancel_, run) : run();
    if (!status.ok())
      for (Tensor& t : fetched) t = Tensor();
    return status;
  }

  bool done() const override { return done_; }

 private:
  // Sets the flag of the run when that of a call is set, as long as the call lasts.
  class CancelOfCall : private CancelFlag::Waiter {
   public:
    CancelOfCall(CancelFlag* call, CancelFlag* run) : call_(call), run_(run) {
      if (!call_) return;
      call_->Add(this);
      if (call_->cancelled()) run_->Set();
    }
    ~CancelOfCall() override {
      if (call_) call_->Remove(this);
    }
    CancelOfCall(const CancelOfCall&) = delete;

   private:
    void Wake() override { run_->Set(); }
    CancelFlag *const call_, *const run_;
  };

  Status RunIn(std::span<const Output> feeds, std::span<const Tensor> values,
               std::span<const Output> fetches, std::span<Tensor> fetched) {
    if (plan_->dropped)
      return FailedPrecondition(
          "the nodes of this run were removed, because the command that created them was rolled "
          "back");
    std::vector<size_t> fed, wanted;
    TENSH_RETURN_IF_ERROR(FindFeeds(feeds, values, fed));
    TENSH_RETURN_IF_ERROR(FindFetches(fetches, wanted));
    TENSH_RETURN_IF_ERROR(CheckReach(fed, wanted));
    Status status = GoOn(fed, values);
    for (size_t i = 0; i < wanted.size() && status.ok(); ++i) {
      fetched[i] = Fetched(wanted[i]);
      if (!fetched[i])
        status = InvalidArgument("The tensor returned for ", NameOf(fetches[i]), " was not valid.")
                     .WithNode(plan_->stages.graph.name(fetches[i].node))
                     .WithHint("it is on a branch that was not taken");
    }
    for (size_t f : fed) fed_[f] = true;
    for (size_t f : wanted) fetched_[f] = true;
    done_ = !status.ok() || (AllOf(fed_) && AllOf(fetched_));
    return status;
  }

  static bool AllOf(const std::vector<bool>& flags) {
    return std::find(flags.begin(), flags.end(), false) == flags.end();
  }
  std::string NameOf(const Output& o) const {
    return StrCat(plan_->stages.graph.name(o.node), ":", o.index);
  }
  std::string NameOf(ValueId v) const {
    return NameOf(Output{plan_->stages.graph.node_of(v), plan_->stages.graph.index_of(v)});
  }
  // Returns the index of an output in `values`, or values.size() if it is not one of them.
  size_t Find(const std::vector<ValueId>& values, const Output& o) const {
    const Graph& g = plan_->stages.graph;
    if (Index(o.node) >= g.size() || o.index >= g.num_outputs(o.node)) return values.size();
    return static_cast<size_t>(std::find(values.begin(), values.end(), g.output(o.node, o.index)) -
                               values.begin());
  }

  Status FindFeeds(std::span<const Output> feeds, std::span<const Tensor> values,
                   std::vector<size_t>& found) const {
    const auto& known = plan_->stages.signature.feeds;
    for (size_t i = 0; i < feeds.size(); ++i) {
      const size_t f = Find(known, feeds[i]);
      if (f == known.size())
        return InvalidArgument("The feed ", NameOf(feeds[i]),
                               " was not specified in partial_run_setup.");
      if (fed_[f] || std::find(found.begin(), found.end(), f) != found.end())
        return InvalidArgument("The feed ", NameOf(feeds[i]), " has already been fed.");
      TENSH_RETURN_IF_ERROR(CheckFed(plan_->stages.graph, known[f], values[i]));
      found.push_back(f);
    }
    return {};
  }

  Status FindFetches(std::span<const Output> fetches, std::vector<size_t>& found) const {
    const auto& known = plan_->stages.signature.fetches;
    for (const Output& o : fetches) {
      const size_t f = Find(known, o);
      if (f == known.size())
        return InvalidArgument("The fetch ", NameOf(o), " was not specified in partial_run_setup.");
      if (fetched_[f])
        return InvalidArgument("The fetch ", NameOf(o), " has already been fetched.");
      found.push_back(f);
    }
    return {};
  }

  // Returns InvalidArgument if a wanted fetch depends on a feed that has not been given.
  Status CheckReach(const std::vector<size_t>& fed, const std::vector<size_t>& wanted) const {
    const Graph& g = plan_->stages.graph;
    std::unordered_set<uint32_t> pending, seen;
    for (size_t f = 0; f < fed_.size(); ++f)
      if (!fed_[f] && std::find(fed.begin(), fed.end(), f) == fed.end())
        pending.insert(Index(plan_->stages.signature.feeds[f]));
    if (pending.empty()) return {};
    std::vector<NodeId> stack;
    auto visit = [&](NodeId n) {
      if (plan_->stages.pruned.position.Find(Index(n)) != UINT32_MAX &&
          seen.insert(Index(n)).second)
        stack.push_back(n);
    };
    for (size_t f : wanted) visit(g.node_of(plan_->stages.signature.fetches[f]));
    while (!stack.empty()) {
      const NodeId n = stack.back();
      stack.pop_back();
      for (uint32_t i = 0; i < g.num_inputs(n); ++i) {
        const ValueId v = g.input(n, i);
        if (pending.contains(Index(v)))
          return InvalidArgument("Fetch ", NameOf(v),
                                 " can't be computed from the feeds that have been fed so far.");
        if (plan_->stages.pruned.fed.Find(Index(v)) == UINT32_MAX) visit(g.node_of(v));
      }
      for (uint32_t i = 0; i < g.num_controls(n); ++i) visit(g.control(n, i));
    }
    return {};
  }

  Status GoOn(const std::vector<size_t>& fed, std::span<const Tensor> values) {
    // The step requests its feeds before any of them is delivered; only requested feeds can be.
    TENSH_RETURN_IF_ERROR(step_.Advance());
    for (size_t i = 0; i < fed.size(); ++i)
      for (const CutEnd& end : code_->cut->feeds)
        if (end.index == fed[i]) mail_.Feed(end.key, values[i]);
    return step_.Advance();
  }

  Tensor Fetched(size_t fetch) {
    for (const CutEnd& end : code_->cut->fetches)
      if (end.index == fetch) return mail_.Sent(end.key);
    return {};
  }

  const std::shared_ptr<const Plan> plan_;
  const std::shared_ptr<PartialPlan> code_;
  StepGate& gate_;
  const std::unique_ptr<CpuLimit> limit_;  // of all calls together; may be null
  OneAtATime calls_;
  std::vector<bool> fed_, fetched_;  // by index in the signature
  std::atomic<bool> done_{false};
  Mailbox mail_;
  CancelFlag cancel_;
  const StepNumberEnder number_{&cancel_};
  PausingStep step_;  // last, so that it is destroyed before the members it uses
};

}  // namespace

Status CheckFed(const Graph& graph, ValueId feed, const Tensor& value) {
  const DType wanted = BaseType(graph.dtype(feed));
  if (value.dtype() != wanted)
    return InvalidArgument("the value fed for ", graph.ValueName(feed), " is ", Name(value.dtype()),
                           "; it must be ", Name(wanted));
  const Shape& shape = graph.shape(feed);
  if (!shape.IsCompatibleWith(value.shape()))
    return InvalidArgument("the value fed for ", graph.ValueName(feed), " has shape ",
                           value.shape(), "; it must be ", shape);
  return {};
}

Result<std::shared_ptr<PartialPlan>> MakePartialPlan(const Stages& stages,
                                                     const CompileOptions& options) {
  for (ValueId v : stages.signature.fetches)
    if (stages.pruned.fed.Find(Index(v)) != UINT32_MAX)
      return InvalidArgument(stages.graph.ValueName(v), " is both fed and fetched.");
  auto made = std::make_shared<PartialPlan>();
  TENSH_ASSIGN(made->cut, CutByTask(stages, *options.devices));
  if (made->cut->parts.size() != 1)
    return InvalidArgument("Must specify at least one target to fetch or execute.");
  const Graph& graph = *made->cut->parts[0].graph;
  RunSignature all;
  for (uint32_t i = 0; i < graph.size(); ++i) all.targets.push_back(NodeId{i});
  TENSH_ASSIGN(made->plan, Compile(graph, std::move(all), options));
  return made;
}

std::unique_ptr<PartialRun> StartPartialRun(std::shared_ptr<const Plan> plan,
                                            std::shared_ptr<PartialPlan> code, StepGate& gate) {
  return std::make_unique<DirectPartialRun>(std::move(plan), std::move(code), gate);
}

}  // namespace tensh
