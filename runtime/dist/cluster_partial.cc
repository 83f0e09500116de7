// Partial runs over the tasks of a cluster. Feeds and fetches are checked here; the tasks keep the
// step between the calls.
#include <algorithm>
#include <atomic>
#include <set>

#include "runtime/base/one_at_a_time.h"
#include "runtime/dist/cluster_step.h"
#include "runtime/dist/step_exchange.h"

namespace tensh::dist {

class ClusterSession::Partial {
 public:
  Partial(tsh_graph* graph, const tsh_run& run, CuttingRef the_cutting)
      : cutting(std::move(the_cutting)), id(RandomId()), graph_(graph) {
    feeds_.assign(run.feeds, run.feeds + run.n_feeds);
    fetches_.assign(run.fetches, run.fetches + run.n_fetches);
    fed_.resize(feeds_.size());
    fetched_.resize(fetches_.size());
  }

  ~Partial() {
    if (!begun || done) return;
    for (const auto& part : cutting->parts) part.task->Cleanup(id);
  }
  Partial(const Partial&) = delete;

  // Finds the feeds and fetches of a call. Does not change the state.
  Status Check(const tsh_run& run, std::vector<size_t>* fed, std::vector<size_t>* wanted) const {
    if (done) return InvalidArgument("Must run 'setup' before performing partial runs!");
    for (size_t i = 0; i < run.n_feeds; ++i)
      TENSH_RETURN_IF_ERROR(Find(feeds_, fed_, run.feeds[i], "feed", "fed", fed));
    for (size_t i = 0; i < run.n_fetches; ++i)
      TENSH_RETURN_IF_ERROR(Find(fetches_, fetched_, run.fetches[i], "fetch", "fetched", wanted));
    return CheckReach(*fed, *wanted);
  }
  void Note(const std::vector<size_t>& fed, const std::vector<size_t>& wanted) {
    for (size_t f : fed) fed_[f] = true;
    for (size_t f : wanted) fetched_[f] = true;
  }
  bool AllWith(const std::vector<size_t>& fed, const std::vector<size_t>& wanted) const {
    return Left(fed_) == fed.size() && Left(fetched_) == wanted.size();
  }

  size_t fetches() const { return fetches_.size(); }

  const CuttingRef cutting;
  const int64_t id;
  OneAtATime calls;
  bool begun = false;
  std::atomic<bool> done{false};

 private:
  using Outputs = std::vector<tsh_output>;
  static size_t Left(const std::vector<bool>& flags) {
    return static_cast<size_t>(std::count(flags.begin(), flags.end(), false));
  }
  std::string NameOf(const tsh_output& o) const {
    return StrCat(tsh_node_name(graph_, o.node), ":", o.index);
  }

  Status Find(const Outputs& known, const std::vector<bool>& used, const tsh_output& o,
              const char* what, const char* past, std::vector<size_t>* found) const {
    size_t f = 0;
    while (f < known.size() && (known[f].node != o.node || known[f].index != o.index)) ++f;
    if (f == known.size())
      return InvalidArgument("The ", what, " ", NameOf(o),
                             " was not specified in partial_run_setup.");
    if (used[f] || std::find(found->begin(), found->end(), f) != found->end())
      return InvalidArgument("The ", what, " ", NameOf(o), " has already been ", past, ".");
    found->push_back(f);
    return {};
  }

  // Checks that the requested fetches do not depend on a feed that is not fed yet.
  Status CheckReach(const std::vector<size_t>& fed, const std::vector<size_t>& wanted) const {
    std::set<std::pair<tsh_node, uint32_t>> given, pending;
    for (size_t f = 0; f < feeds_.size(); ++f) {
      const bool there = fed_[f] || std::find(fed.begin(), fed.end(), f) != fed.end();
      (there ? given : pending).insert({feeds_[f].node, feeds_[f].index});
    }
    std::set<tsh_node> seen;
    std::vector<tsh_node> stack;
    const auto visit = [&](tsh_node n) {
      if (seen.insert(n).second) stack.push_back(n);
    };
    for (size_t f : wanted) visit(fetches_[f].node);
    while (!stack.empty() && !pending.empty()) {
      const tsh_node n = stack.back();
      stack.pop_back();
      for (size_t i = 0; i < tsh_node_num_inputs(graph_, n); ++i) {
        const tsh_output in = tsh_node_input(graph_, n, i);
        if (pending.count({in.node, in.index}))
          return InvalidArgument("Fetch ", NameOf(in),
                                 " can't be computed from the feeds that have been fed so far.");
        if (!given.count({in.node, in.index})) visit(in.node);
      }
      for (size_t i = 0; i < tsh_node_num_controls(graph_, n); ++i)
        visit(tsh_node_control(graph_, n, i));
    }
    return {};
  }

  tsh_graph* const graph_;
  Outputs feeds_, fetches_;
  std::vector<bool> fed_, fetched_;
};

Result<ClusterSession::PartialRef> ClusterSession::SetUpPartial(const tsh_run& run,
                                                                const StepLimits& limits) {
  TENSH_ASSIGN(CuttingRef cutting, Cut(run, limits));
  return PartialRef(std::make_shared<Partial>(graph_, run, std::move(cutting)));
}

bool ClusterSession::PartialDone(const Partial& partial) { return partial.done; }

Status ClusterSession::RunPartial(Partial& partial, const tsh_run& run, const StepLimits& limits,
                                  std::vector<TensorPtr>* fetched) {
  std::atomic<bool> cancelled{false};
  WatchPtr watch;
  if (limits.cancel)
    watch.reset(tsh_cancel_watch_new(
        limits.cancel, [](void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); },
        &cancelled));
  switch (partial.calls.Wait(limits.timeout_ms, [&] { return cancelled.load(); })) {
    case OneAtATime::kCancelled:
      return Cancelled("the step was cancelled");
    case OneAtATime::kLate:
      return DeadlineExceeded("Timed out waiting for notification");
    case OneAtATime::kTurn:
      break;
  }
  const OneAtATime::Turn turn(&partial.calls);
  std::vector<size_t> fed, wanted;
  TENSH_RETURN_IF_ERROR(partial.Check(run, &fed, &wanted));
  const bool last = partial.AllWith(fed, wanted), first = !partial.begun;
  const Cutting& cutting = *partial.cutting;
  auto step = std::make_shared<Step>(partial.cutting, partial.id);
  for (size_t p = 0; p < cutting.parts.size(); ++p) {
    PartRun part;
    for (const auto& [index, key] : cutting.parts[p].feeds) {
      const size_t at = static_cast<size_t>(std::find(fed.begin(), fed.end(), index) - fed.begin());
      if (at < fed.size()) part.send.emplace_back(key, TensorPtr(tsh_tensor_ref(run.values[at])));
    }
    for (const auto& [index, key] : cutting.parts[p].fetches)
      if (std::find(wanted.begin(), wanted.end(), index) != wanted.end())
        part.receive.push_back(key);
    if (!first && !last && part.send.empty() && part.receive.empty()) continue;
    PartRun& call = step->Add(p);
    call.partial = true;
    call.last = last;
    call.send = std::move(part.send);
    call.receive = std::move(part.receive);
  }
  partial.begun = true;
  Status status = RunIn(*step, limits, last);
  partial.Note(fed, wanted);
  partial.done = last || !status.ok();
  TENSH_RETURN_IF_ERROR(std::move(status));
  std::vector<TensorPtr> all(partial.fetches());
  step->TakeFetched(&all);
  fetched->clear();
  for (size_t f : wanted) {
    if (!all[f]) return InvalidArgument("The tensor returned for fetch ", f, " was not valid.");
    fetched->push_back(std::move(all[f]));
  }
  return {};
}

}  // namespace tensh::dist
