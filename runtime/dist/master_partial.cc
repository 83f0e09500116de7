// Partial runs of a master's session: PartialRunSetup, and RunStep with the handle that it
// returned.
#include "runtime/dist/master_session.h"
#include "runtime/dist/wire/messages.h"

namespace tensh::dist {
namespace {

constexpr size_t kMaxPartials = 4096;

// Returns false if the graph has no such output.
bool FindOutput(const tsh_graph* graph, const std::string& text, tsh_output* out) {
  TensorName name;
  if (!ParseTensorName(text, &name)) return false;
  *out = {tsh_graph_find(graph, name.node.c_str()), name.port};
  return out->node != TSH_NO_NODE && out->index < tsh_node_num_outputs(graph, out->node);
}

}  // namespace

Status MasterSession::PartialRunSetup(const tensorflow::PartialRunSetupRequest& request,
                                      const StepLimits& limits, std::string* handle) {
  const std::vector<std::string> feeds(request.feed().begin(), request.feed().end());
  TENSH_ASSIGN(auto signature, Resolve(feeds, request.fetch(), request.target()));
  tsh_run run{};
  run.feeds = signature->feeds.data();
  run.n_feeds = signature->feeds.size();
  run.fetches = signature->fetches.data();
  run.n_fetches = signature->fetches.size();
  run.targets = signature->targets.data();
  run.n_targets = signature->targets.size();
  PartialStep made;
  if (cluster_) {
    TENSH_ASSIGN(made.cluster, cluster_->SetUpPartial(run, InCluster(limits, 0)));
  } else {
    Said said;
    PartialPtr here(tsh_partial_new(session_.get(), &run, said));
    if (!here) return said.Take();
    made.here = std::move(here);
  }
  std::lock_guard lock(mu_);
  if (closed_) return Aborted("Session ", handle_, " is not found.");
  if (partials_.size() >= kMaxPartials)
    return ResourceExhausted("the session has ", kMaxPartials, " partial runs under way");
  *handle = StrCat(handle_, ";", next_callable_++);
  partials_[*handle] = std::move(made);
  return {};
}

Status MasterSession::PartialRun(const tensorflow::RunStepRequest& request,
                                 const StepLimits& limits, tensorflow::RunStepResponse* response) {
  PartialStep partial;
  {
    std::lock_guard lock(mu_);
    auto found = partials_.find(request.partial_run_handle());
    if (found == partials_.end())
      return InvalidArgument("Must run 'setup' before performing partial runs!");
    partial = found->second;
  }
  if (request.target_size()) return InvalidArgument("a partial run has no targets");
  std::vector<tsh_output> feeds, fetches;
  Values values;
  std::vector<tsh_tensor*> raw_values;
  FilledOfRequest filled;
  for (const auto& feed : request.feed()) {
    if (!FindOutput(graph_.get(), feed.name(), &feeds.emplace_back()))
      return InvalidArgument("The feed ", feed.name(), " was not specified in partial_run_setup.");
    TENSH_RETURN_IF_ERROR(filled.Add(feed.tensor()));
    TENSH_ASSIGN(TensorPtr value, DecodeTensor(feed.tensor()));
    raw_values.push_back(value.get());
    values.push_back(std::move(value));
  }
  for (const std::string& fetch : request.fetch())
    if (!FindOutput(graph_.get(), fetch, &fetches.emplace_back()))
      return InvalidArgument("The fetch ", fetch, " was not specified in partial_run_setup.");
  tsh_run run{};
  run.feeds = feeds.data();
  run.n_feeds = feeds.size();
  run.values = raw_values.data();
  run.fetches = fetches.data();
  run.n_fetches = fetches.size();
  run.timeout_ms = limits.timeout_ms;
  Values fetched;
  Status status;
  if (partial.cluster) {
    status = cluster_->RunPartial(*partial.cluster, run,
                                  InCluster(limits, request.options().timeout_in_ms()), &fetched);
  } else {
    std::vector<tsh_tensor*> raw(fetches.size(), nullptr);
    Said said;
    tsh_partial_run_with(partial.here.get(), &run, limits.cancel, raw.data(), said);
    for (tsh_tensor* t : raw) fetched.emplace_back(t);
    status = worker_->NameLimits(said.Take());
  }
  if (partial.Done()) {
    std::lock_guard lock(mu_);
    partials_.erase(request.partial_run_handle());
  }
  TENSH_RETURN_IF_ERROR(std::move(status));
  for (size_t i = 0; i < fetched.size(); ++i) {
    auto* out = response->add_tensor();
    out->set_name(request.fetch(static_cast<int>(i)));
    TENSH_RETURN_IF_ERROR(EncodeTensor(fetched[i].get(), out->mutable_tensor()));
  }
  return {};
}

}  // namespace tensh::dist
