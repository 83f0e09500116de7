#include "runtime/dist/master_session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <set>

#include "runtime/dist/partition_graphs.h"
#include "runtime/dist/wire/cost_graph.h"
#include "runtime/dist/wire/messages.h"
#include "runtime/dist/wire/report_codec.h"

namespace tensh::dist {
namespace {

constexpr size_t kMaxSignatures = 1024;

std::string RandomHandle() {
  static std::mutex mu;
  static std::random_device device;
  std::lock_guard lock(mu);
  char text[17];
  std::snprintf(text, sizeof text, "%08x%08x", device(), device());
  return text;
}

std::string ConfigJson(const tensorflow::ConfigProto& config) {
  std::string json = "{\"allow_soft_placement\":";
  json += config.allow_soft_placement() ? "true" : "false";
  if (config.operation_timeout_in_ms() > 0)
    json += ",\"operation_timeout_in_ms\":" + std::to_string(config.operation_timeout_in_ms());
  return json + "}";
}

std::string Spelled(const TensorName& name) { return name.node + ":" + std::to_string(name.port); }

tsh_run RunOf(const Signature& s) {
  tsh_run run{};
  run.feeds = s.feeds.data();
  run.n_feeds = s.feeds.size();
  run.fetches = s.fetches.data();
  run.n_fetches = s.fetches.size();
  run.targets = s.targets.data();
  run.n_targets = s.targets.size();
  return run;
}

void AppendKey(std::string* key, char kind, const std::string& name) {
  *key += kind;
  *key += name;
  *key += '\0';
}

void AppendFetches(std::string* key, const google::protobuf::RepeatedPtrField<std::string>& fetches,
                   const google::protobuf::RepeatedPtrField<std::string>& targets) {
  for (const std::string& name : fetches) AppendKey(key, '>', name);
  for (const std::string& name : targets) AppendKey(key, '!', name);
}

// Returns the worker under its name in the cluster that a session brings. Its address there is the
// target of the session, as in TensorFlow.
Result<std::shared_ptr<Worker>> RenamedWorker(const tensorflow::CreateSessionRequest& request,
                                              Worker* worker) {
  TENSH_ASSIGN(const Cluster::Jobs jobs, Cluster::FromMessage(request.config().cluster_def()));
  std::string target = request.target();
  if (target.starts_with("grpc://")) target.erase(0, 7);
  for (const auto& [job, tasks] : jobs)
    for (const auto& [task, address] : tasks)
      if (address == target) return worker->InCluster(job, task, jobs);
  return InvalidArgument("the cluster of the session has no task at the session's target, ", target)
      .WithHint(StrCat("tf.train.ClusterSpec({'worker': ['", target, "', …]})"));
}

int64_t SteadyNs() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Result<std::shared_ptr<MasterSession>> MasterSession::Create(
    const tensorflow::CreateSessionRequest& request, Worker* worker, int64_t timeout_ms,
    std::function<bool()> given_up) {
  GraphCount count;
  TENSH_RETURN_IF_ERROR(worker->limits().graph.Check(request.graph_def(), {}, &count));
  GraphPtr graph(tsh_graph_new());
  if (!graph) return ResourceExhausted("out of memory for a graph");
  TENSH_RETURN_IF_ERROR(ImportGraph(request.graph_def(), graph.get()));
  std::shared_ptr<MasterSession> made(new MasterSession(RandomHandle(), std::move(graph)));
  const tensorflow::ConfigProto& config = request.config();
  if (config.cluster_def().job_size()) {
    TENSH_ASSIGN(made->renamed_, RenamedWorker(request, worker));
    worker = made->renamed_.get();
  }
  made->worker_ = worker;
  made->count_ = std::move(count);
  made->config_ = ConfigJson(config);
  made->operation_timeout_ms_ = std::max<int64_t>(config.operation_timeout_in_ms(), 0);
  made->costs_every_ = std::max<int64_t>(config.graph_options().build_cost_model(), 0);
  made->costs_after_ = std::max<int64_t>(config.graph_options().build_cost_model_after(), 0);
  if (worker->cluster().TaskNames().size() > 1) {
    ClusterSession::Options options{
        .handle = made->handle_,
        .config = made->config_,
        .isolated = config.isolate_session_state(),
        .filters = {config.device_filters().begin(), config.device_filters().end()},
        .given_up = std::move(given_up),
        .timeout_ms = timeout_ms};
    TENSH_ASSIGN(made->cluster_,
                 ClusterSession::Create(made->graph_.get(), worker, std::move(options)));
    return made;
  }
  Said said;
  const HomePtr home = worker->HomeFor(config.isolate_session_state());
  made->session_.reset(
      tsh_session_new_in(home.get(), made->graph_.get(), made->config_.c_str(), said));
  if (!made->session_) return said.Take();
  return made;
}

Result<MasterSession::InFlight> MasterSession::Enter(int most) {
  InFlight entered(&in_flight_);
  if (in_flight_.fetch_add(1) < most) return entered;
  return ResourceExhausted("the session has ", most,
                           " steps in flight, as many as this server allows, by --max-steps");
}

int64_t MasterSession::version() {
  std::lock_guard lock(mu_);
  return version_;
}

Status MasterSession::Extend(const std::string& graph_def, int64_t expected_version,
                             int64_t* version) {
  std::lock_guard extend_lock(extend_mu_);
  const int64_t now = this->version();
  if (expected_version != now)
    return Aborted("Current version is ", now, " but caller expected ", expected_version, ".");
  GraphCount added;
  TENSH_RETURN_IF_ERROR(worker_->limits().graph.Check(graph_def, count_, &added));
  TENSH_RETURN_IF_ERROR(ImportGraph(graph_def, graph_.get()));
  count_.Add(std::move(added));
  std::lock_guard lock(mu_);
  *version = ++version_;
  return {};
}

Result<std::shared_ptr<Signature>> MasterSession::Resolve(const std::vector<std::string>& feeds,
                                                          const Names& fetches,
                                                          const Names& targets) {
  auto made = std::make_shared<Signature>();
  std::set<std::pair<tsh_node, uint32_t>> fed;
  TensorName name;
  for (const std::string& text : feeds) {
    const tsh_node node = ParseTensorName(text, &name)
                              ? tsh_graph_find(graph_.get(), name.node.c_str())
                              : TSH_NO_NODE;
    if (node == TSH_NO_NODE || name.port >= tsh_node_num_outputs(graph_.get(), node))
      return NotFound("FeedInputs: unable to find feed output ", text);
    if (!fed.insert({node, name.port}).second)
      return InvalidArgument("Endpoint \"", Spelled(name), "\" fed more than once.");
    made->feeds.push_back({node, name.port});
  }
  for (const std::string& text : fetches) {
    const tsh_node node = ParseTensorName(text, &name)
                              ? tsh_graph_find(graph_.get(), name.node.c_str())
                              : TSH_NO_NODE;
    if (node == TSH_NO_NODE) return NotFound("FetchOutputs node ", text, ": not found");
    const size_t outputs = tsh_node_num_outputs(graph_.get(), node);
    if (outputs == 0)
      return InvalidArgument("Tried to fetch data for '", text,
                             "', which produces no output. To run "
                             "to a node but not fetch any data, pass '",
                             text,
                             "' as an argument to the 'target_node_names' argument of the "
                             "Session::Run API.");
    if (name.port >= outputs)
      return InvalidArgument("FetchOutputs ", text, ": output index too large, must be < ",
                             outputs);
    if (fed.count({node, name.port}))
      return InvalidArgument(Spelled(name), " is both fed and fetched.");
    made->fetches.push_back({node, name.port});
    made->fetch_names.push_back(text);
  }
  for (const std::string& text : targets) {
    const tsh_node node = tsh_graph_find(graph_.get(), text.c_str());
    if (node == TSH_NO_NODE)
      return NotFound("PruneForTargets: Some target nodes not found: ", text);
    made->targets.push_back(node);
  }
  if (made->fetches.empty() && made->targets.empty())
    return InvalidArgument("Must specify at least one target to fetch or execute.");
  return made;
}

Result<std::shared_ptr<Signature>> MasterSession::Lookup(const std::vector<std::string>& feeds,
                                                         const Names& fetches, const Names& targets,
                                                         const StepLimits& limits) {
  std::string key;
  for (const std::string& name : feeds) AppendKey(&key, '<', name);
  AppendFetches(&key, fetches, targets);
  {
    std::lock_guard lock(mu_);
    if (cluster_ && cluster_->lost()) signatures_.clear();
    auto found = signatures_.find(key);
    if (found != signatures_.end()) return found->second;
  }
  TENSH_ASSIGN(auto made, Resolve(feeds, fetches, targets));
  TENSH_RETURN_IF_ERROR(Compile(made.get(), limits));
  std::lock_guard lock(mu_);
  if (signatures_.size() >= kMaxSignatures) signatures_.clear();
  signatures_[key] = made;
  return made;
}

Status MasterSession::Compile(Signature* made, const StepLimits& limits) {
  const tsh_run run = RunOf(*made);
  if (cluster_) {
    TENSH_ASSIGN(made->cutting, cluster_->Cut(run, limits));
    return {};
  }
  Said said;
  made->callable.reset(tsh_callable_new(session_.get(), &run, said));
  TENSH_RETURN_IF_ERROR(said.Take());
  made->is_steady = tsh_callable_is_steady(made->callable.get()) != 0;
  return {};
}

bool MasterSession::WantsCosts(const Signature& signature) const {
  if (costs_every_ == 0) return false;
  const int64_t step = signature.steps.fetch_add(1) + 1 - costs_after_;
  return step >= 0 && step % costs_every_ == 0;
}

Status MasterSession::Run(const Signature& signature, const Values& feeds, const StepLimits& limits,
                          bool trace, Values* fetched, tensorflow::RunMetadata* metadata) {
  if (WantsCosts(signature)) {
    tensorflow::RunMetadata measured;
    TENSH_RETURN_IF_ERROR(RunTraced(signature, feeds, limits, true, fetched, &measured));
    metadata->set_cost_graph(EncodeCosts(graph_.get(), measured.step_stats()));
    if (trace) metadata->mutable_step_stats()->Swap(measured.mutable_step_stats());
    return {};
  }
  return RunTraced(signature, feeds, limits, trace, fetched, metadata);
}

Status MasterSession::RunTraced(const Signature& signature, const Values& feeds,
                                const StepLimits& limits, bool trace, Values* fetched,
                                tensorflow::RunMetadata* metadata) {
  std::vector<tsh_tensor*> values, raw(signature.fetches.size(), nullptr);
  for (const TensorPtr& t : feeds) values.push_back(t.get());
  if (values.size() != signature.feeds.size())
    return InvalidArgument("Expected ", signature.feeds.size(), " feed tensors, got ",
                           values.size());
  if (cluster_) {
    fetched->resize(signature.fetches.size());
    return cluster_->Run(signature.cutting, feeds, limits, trace, fetched,
                         metadata->mutable_step_stats());
  }
  Said said;
  tsh_run run = RunOf(signature);
  run.values = values.data();
  run.timeout_ms = limits.timeout_ms;
  char* report = nullptr;
  const tsh_control control{nullptr, limits.cancel, trace ? &report : nullptr};
  tsh_session_run_with(session_.get(), &run, &control, raw.data(), said);
  if (report) EncodeTrace(report, metadata->mutable_step_stats());
  tsh_free(report);
  for (tsh_tensor* t : raw) fetched->emplace_back(t);
  return worker_->NameLimits(said.Take());
}

StepLimits MasterSession::InCluster(StepLimits limits, int64_t asked_ms) const {
  if (!cluster_ || asked_ms > 0 || operation_timeout_ms_ == 0) return limits;
  limits.timeout_ms = limits.timeout_ms > 0 ? std::min(limits.timeout_ms, operation_timeout_ms_)
                                            : operation_timeout_ms_;
  return limits;
}

bool MasterSession::IsQuick(const tensorflow::RunStepRequest& request) {
  constexpr int64_t kMomentNs = 50'000;
  constexpr int kFewFeeds = 16;
  if (cluster_ || !request.partial_run_handle().empty() || request.options().trace_level() > 0 ||
      request.feed_size() > kFewFeeds)
    return false;
  std::string key;
  for (const auto& feed : request.feed()) AppendKey(&key, '<', feed.name());
  AppendFetches(&key, request.fetch(), request.target());
  std::lock_guard lock(mu_);
  const auto found = signatures_.find(key);
  return found != signatures_.end() && found->second->is_steady &&
         found->second->last_ns.load(std::memory_order_relaxed) < kMomentNs;
}

Status MasterSession::RunStep(const tensorflow::RunStepRequest& request, const StepLimits& limits,
                              tensorflow::RunStepResponse* response) {
  if (!seen_.FirstTime(request.request_id()))
    return Aborted("The same RunStep request was received twice. request_id: ",
                   request.request_id());
  const int64_t begin = SteadyNs();
  std::vector<std::string> names;
  Values values, fetched;
  FilledOfRequest filled;
  for (const auto& feed : request.feed()) {
    names.push_back(feed.name());
    TENSH_RETURN_IF_ERROR(filled.Add(feed.tensor()));
    TENSH_ASSIGN(TensorPtr value, DecodeTensor(feed.tensor()));
    values.push_back(std::move(value));
  }
  const StepLimits in_time = InCluster(limits, request.options().timeout_in_ms());
  TENSH_ASSIGN(auto signature, Lookup(names, request.fetch(), request.target(), in_time));
  const bool trace = request.options().trace_level() > 0;
  TENSH_RETURN_IF_ERROR(
      Run(*signature, values, in_time, trace, &fetched, response->mutable_metadata()));
  if (request.options().output_partition_graphs())
    TENSH_RETURN_IF_ERROR(TellPartitions(*signature, response->mutable_metadata()));
  for (size_t i = 0; i < fetched.size(); ++i) {
    auto* out = response->add_tensor();
    out->set_name(signature->fetch_names[i]);
    TENSH_RETURN_IF_ERROR(EncodeTensor(fetched[i].get(), out->mutable_tensor()));
  }
  signature->last_ns.store(SteadyNs() - begin, std::memory_order_relaxed);
  return {};
}

Status MasterSession::TellPartitions(const Signature& signature,
                                     tensorflow::RunMetadata* metadata) {
  if (cluster_) return cluster_->TellPartitions(RunOf(signature), metadata);
  std::lock_guard lock(mu_);
  if (!cutter_) {
    tensorflow::GetStatusResponse own;
    worker_->GetStatus(&own);
    TENSH_ASSIGN(cutter_, MakeCutter(graph_.get(), own.device_attributes(), config_));
  }
  return dist::TellPartitions(cutter_.get(), RunOf(signature), metadata);
}

Status MasterSession::MakeCallable(const tensorflow::CallableOptions& options,
                                   const StepLimits& limits, int64_t* id) {
  const std::vector<std::string> feeds(options.feed().begin(), options.feed().end());
  TENSH_ASSIGN(auto signature,
               Lookup(feeds, options.fetch(), options.target(), InCluster(limits, 0)));
  std::lock_guard lock(mu_);
  *id = next_callable_++;
  callables_[*id] = {std::move(signature), options.run_options().trace_level() > 0};
  return {};
}

Status MasterSession::RunCallable(const tensorflow::RunCallableRequest& request,
                                  const StepLimits& limits,
                                  tensorflow::RunCallableResponse* response) {
  Callable callable;
  {
    std::lock_guard lock(mu_);
    auto found = callables_.find(request.handle());
    if (found == callables_.end())
      return InvalidArgument("No such callable handle: ", request.handle());
    callable = found->second;
  }
  Values values, fetched;
  FilledOfRequest filled;
  for (const auto& feed : request.feed()) {
    TENSH_RETURN_IF_ERROR(filled.Add(feed));
    TENSH_ASSIGN(TensorPtr value, DecodeTensor(feed));
    values.push_back(std::move(value));
  }
  TENSH_RETURN_IF_ERROR(Run(*callable.signature, values, InCluster(limits, 0), callable.trace,
                            &fetched, response->mutable_metadata()));
  for (const TensorPtr& t : fetched)
    TENSH_RETURN_IF_ERROR(EncodeTensor(t.get(), response->add_fetch()));
  return {};
}

Status MasterSession::ReleaseCallable(int64_t id) {
  std::lock_guard lock(mu_);
  if (callables_.erase(id)) return {};
  return InvalidArgument("No such callable handle: ", id);
}

void MasterSession::ListDevices(tensorflow::ListDevicesResponse* response) {
  if (!cluster_)
    return EncodeDevices(tsh_session_devices_json(session_.get()),
                         response->mutable_local_device());
  for (auto& device : cluster_->ListDevices()) *response->add_remote_device() = std::move(device);
}

void MasterSession::Close() {
  if (session_) tsh_session_close(session_.get(), nullptr);
  if (cluster_) cluster_->Close();
  decltype(partials_) partials;  // Freed after the lock is released.
  std::lock_guard lock(mu_);
  closed_ = true;
  partials.swap(partials_);
  signatures_.clear();
  callables_.clear();
}

}  // namespace tensh::dist
