#include "runtime/dist/worker.h"

#include <cstdio>

#include "runtime/dist/step_exchange.h"
#include "runtime/dist/wire/messages.h"
#include "runtime/dist/wire/report_codec.h"

namespace tensh::dist {
namespace {

constexpr size_t kMaxSteps = 100'000, kMaxSessions = 4096, kMaxParts = 16384;
constexpr char kOldMaster[] = "";  // shared by all masters that did not create a session

std::string Hex(uint64_t n) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(n));
  return text;
}

Status CheckDevices(const tsh_graph* graph) {
  const auto n = static_cast<tsh_node>(tsh_graph_size(graph));
  for (tsh_node i = 0; i < n; ++i)
    if (!*tsh_node_device(graph, i))
      return InvalidArgument("Node '", tsh_node_name(graph, i),
                             "' is missing a device specification");
  return {};
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::Create(
    const std::string& job, int task, Cluster::Jobs jobs, const std::string& config,
    std::shared_ptr<grpc::ChannelCredentials> credentials) {
  Said said;
  HomePtr home(tsh_home_new(job.c_str(), task, config.c_str(), said));
  if (!home) return said.Take();
  std::unique_ptr<Worker> worker(
      new Worker(TaskName(job, task), std::move(jobs), std::move(home), std::move(credentials)));
  worker->config_ = config;
  tensorflow::GetStatusResponse status;
  worker->GetStatus(&status);
  for (const auto& d : status.device_attributes())
    worker->incarnations_[d.name()] = Hex(d.incarnation());
  if (status.device_attributes_size())
    worker->incarnation_ = static_cast<int64_t>(status.device_attributes(0).incarnation());
  return worker;
}

Result<std::shared_ptr<Worker>> Worker::InCluster(const std::string& job, int task,
                                                  Cluster::Jobs jobs) {
  const std::string name = TaskName(job, task);
  if (const auto own = jobs.find(job); own == jobs.end() || !own->second.count(task))
    return InvalidArgument("the cluster of the session has no task ", name);
  for (const auto& [other_job, tasks] : jobs)
    for (const auto& [other, address] : tasks)
      if (TaskName(other_job, other) != name && !cluster_.Has(address) &&
          !(limits_.local_clusters && IsOfThisMachine(address)))
        return Status(Code::kPermissionDenied,
                      StrCat("the cluster of the session has a task at ", address,
                             ", which is not in the cluster of ", name_))
            .WithHint(StrCat("tensh serve --cluster '", job, "=", address, ",…'"));
  Said said;
  HomePtr home(tsh_home_renamed(home_.get(), job.c_str(), task, config_.c_str(), said));
  if (!home) return said.Take();
  std::shared_ptr<Worker> made(
      new Worker(name, std::move(jobs), std::move(home), cluster_.credentials()));
  made->cluster_.set_task_timeout(cluster_.task_timeout());
  made->limits_ = limits_;
  made->incarnation_ = incarnation_;
  made->original_ = this;
  std::lock_guard lock(mu_);
  ++other_names_[name];
  return made;
}

Worker::~Worker() {
  if (!original_) return;
  std::lock_guard lock(original_->mu_);
  const auto found = original_->other_names_.find(name_);
  if (--found->second == 0) original_->other_names_.erase(found);
}

bool Worker::IsOtherName(std::string_view task) const {
  std::lock_guard lock(mu_);
  return other_names_.count(std::string(task)) > 0;
}

std::shared_ptr<Worker> Worker::RenamedFor(const std::string& session) {
  std::lock_guard lock(mu_);
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : found->second.renamed;
}

Status Worker::CreateRenamed(const tensorflow::CreateWorkerSessionRequest& request) {
  const auto& server = request.server_def();
  TENSH_ASSIGN(Cluster::Jobs jobs, Cluster::FromMessage(server.cluster()));
  TENSH_ASSIGN(auto renamed, InCluster(server.job_name(), server.task_index(), std::move(jobs)));
  tensorflow::CreateWorkerSessionRequest own = request;
  own.mutable_server_def()->clear_cluster();
  TENSH_RETURN_IF_ERROR(renamed->CreateSession(own));
  own.clear_server_def();
  TENSH_RETURN_IF_ERROR(CreateSession(own));
  std::lock_guard lock(mu_);
  const auto found = sessions_.find(request.session_handle());
  if (found == sessions_.end()) return Aborted("the session was closed");
  found->second.renamed.swap(renamed);  // The old one is freed after the lock is released.
  return {};
}

HomePtr Worker::HomeFor(bool isolated) const {
  HomePtr own(isolated ? tsh_home_isolated(home_.get()) : nullptr);
  tsh_home* home = own ? own.get() : home_.get();
  return HomePtr(tsh_home_limited(home, limits_.session_memory, 0, nullptr));
}

void Worker::set_limits(TaskLimits limits) {
  limits_ = std::move(limits);
  const std::string by = "of the task " + name_ + ", by --max-step-cpu";
  home_.reset(tsh_home_limited(home_.get(), limits_.memory, limits_.step_cpu_ms, by.c_str()));
}

Status Worker::NameLimits(Status status) const {
  if (status.code() != Code::kResourceExhausted ||
      (limits_.session_memory == 0 && limits_.memory == 0))
    return status;
  std::string said = " (the kernels of ";
  if (limits_.session_memory > 0)
    said += "a session may hold " + std::to_string(limits_.session_memory) +
            " B here, by --session-memory";
  if (limits_.session_memory > 0 && limits_.memory > 0) said += "; those of ";
  if (limits_.memory > 0)
    said += "all sessions may hold " + std::to_string(limits_.memory) + " B here, by --memory";
  return Status(status.code(), std::string(status.message()) + said + ")");
}

void Worker::GetStatus(tensorflow::GetStatusResponse* response) {
  if (original_) {  // The same devices, with the incarnations that are in the keys of values.
    original_->GetStatus(response);
    for (auto& device : *response->mutable_device_attributes())
      device.set_name(name_ + device.name().substr(TaskOf(device.name()).size()));
    return;
  }
  EncodeDevices(tsh_home_devices_json(home_.get()), response->mutable_device_attributes());
}

Status Worker::CreateSession(const tensorflow::CreateWorkerSessionRequest& request) {
  const auto& server = request.server_def();
  if (server.cluster().job_size()) return CreateRenamed(request);
  const bool renamed =
      !server.job_name().empty() && TaskName(server.job_name(), server.task_index()) != name_;
  if (renamed)
    return InvalidArgument("the master takes this task for ",
                           TaskName(server.job_name(), server.task_index()), ", but it is ", name_,
                           ": their clusters differ");
  std::vector<Session> orphans;  // Freed after the lock is released.
  std::lock_guard lock(mu_);
  if (stopped_) return Unavailable("the task ", name_, " is stopping");
  // A master that was restarted no longer knows its earlier sessions.
  for (auto it = sessions_.begin(); it != sessions_.end() && !request.master_task().empty();) {
    const bool orphan = it->second.master == request.master_task() &&
                        it->second.incarnation != request.master_incarnation();
    if (orphan) orphans.push_back(std::move(it->second));
    it = orphan ? sessions_.erase(it) : std::next(it);
  }
  if (sessions_.size() >= kMaxSessions)
    return ResourceExhausted("the task ", name_, " has ", kMaxSessions, " sessions open already");
  auto [it, added] = sessions_.try_emplace(request.session_handle());
  it->second.master = request.master_task();
  it->second.incarnation = request.master_incarnation();
  if (added) it->second.home = HomeFor(request.isolate_session_state());
  return {};
}

void Worker::DeleteSession(const std::string& handle) {
  Session gone;  // Freed after the lock is released.
  std::lock_guard lock(mu_);
  auto found = sessions_.find(handle);
  if (found == sessions_.end()) return;
  gone = std::move(found->second);
  sessions_.erase(found);
}

Status Worker::CheckRoom(const Session& session, const std::string& key, int64_t nodes) const {
  if (session.parts.size() >= kMaxParts)
    return ResourceExhausted("session ", key, " has ", kMaxParts, " graphs registered already");
  return limits_.graph.CheckNodes(session.nodes + nodes);
}

Status Worker::RegisterGraph(const std::string& key, GraphPtr graph, std::string* handle) {
  if (auto renamed = RenamedFor(key)) return renamed->RegisterGraph(key, std::move(graph), handle);
  TENSH_RETURN_IF_ERROR(CheckDevices(graph.get()));
  auto part = std::make_shared<Part>();
  part->graph = std::move(graph);
  part->nodes = static_cast<int64_t>(tsh_graph_size(part->graph.get()));
  {
    std::lock_guard lock(mu_);
    if (stopped_) return Unavailable("the task ", name_, " is stopping");
    if (key == kOldMaster)
      if (auto [it, added] = sessions_.try_emplace(key); added) it->second.home = HomeFor(false);
    auto found = sessions_.find(key);
    if (found == sessions_.end())
      return Aborted("Session handle is not found: ", key, " on ", name_);
    TENSH_RETURN_IF_ERROR(CheckRoom(found->second, key, part->nodes));
    Said said;
    part->session.reset(tsh_session_new_in(found->second.home.get(), part->graph.get(), "", said));
    if (!part->session) return said.Take();
  }
  const auto n = static_cast<tsh_node>(tsh_graph_size(part->graph.get()));
  for (tsh_node i = 0; i < n; ++i) part->targets.push_back(i);
  std::lock_guard lock(mu_);
  auto found = sessions_.find(key);
  if (found == sessions_.end()) return Aborted("Session handle is not found: ", key);
  *handle = Hex(next_graph_++);
  found->second.nodes += part->nodes;
  found->second.parts[*handle] = std::move(part);
  return {};
}

Status Worker::DeregisterGraph(const std::string& session, const std::string& handle) {
  if (auto renamed = RenamedFor(session)) return renamed->DeregisterGraph(session, handle);
  std::shared_ptr<Part> gone;
  std::lock_guard lock(mu_);
  for (const std::string& key : {session, std::string(kOldMaster)}) {
    auto found = sessions_.find(key);
    if (found == sessions_.end()) continue;
    auto part = found->second.parts.find(handle);
    if (part == found->second.parts.end()) continue;
    gone = std::move(part->second);
    found->second.nodes -= gone->nodes;
    found->second.parts.erase(part);
    return {};
  }
  return Aborted("Graph handle is not found: ", handle, ". Possibly, this worker just restarted.");
}

Result<std::shared_ptr<Worker::Part>> Worker::FindPart(const PartRun& run) {
  std::lock_guard lock(mu_);
  if (stopped_) return Unavailable("the task ", name_, " is stopping");
  auto found = sessions_.find(run.has_session ? run.session : kOldMaster);
  if (found == sessions_.end())
    return Aborted("Session handle is not found: ", run.session, ". Possibly this worker (", name_,
                   ") just restarted.");
  auto part = found->second.parts.find(run.graph);
  if (part == found->second.parts.end())
    return Aborted("Graph handle is not found: ", run.graph, ". Possibly, this worker (", name_,
                   ") just restarted.");
  return part->second;
}

std::shared_ptr<StepValues> Worker::Step(int64_t id) {
  if (original_) return original_->Step(id);
  std::lock_guard lock(mu_);
  // Drops steps that were left behind by masters that went away.
  if (steps_.size() >= kMaxSteps)
    std::erase_if(steps_, [](const auto& step) { return step.second.use_count() == 1; });
  if (steps_.size() >= kMaxSteps && !steps_.count(id)) {
    auto refused = std::make_shared<StepValues>();
    refused->Abort(ResourceExhausted("the task ", name_, " has ", kMaxSteps, " steps in flight"));
    return refused;
  }
  auto& step = steps_[id];
  if (!step) {
    step = std::make_shared<StepValues>();
    if (stopped_) step->Abort(Unavailable("the task ", name_, " is stopping"));
  }
  return step;
}

Status Worker::CheckKey(const std::string& key) const {
  EdgeKey edge;
  if (!ParseEdgeKey(key, &edge)) return InvalidArgument("Invalid rendezvous key: ", key);
  auto found = incarnations_.find(std::string(edge.sender));
  if (found == incarnations_.end()) {
    if (IsOtherName(TaskOf(edge.sender)))
      for (const auto& [device, incarnation] : incarnations_)
        if (incarnation == edge.incarnation) return {};
    return InvalidArgument("the device ", edge.sender, " is not one of the task ", name_);
  }
  if (found->second != edge.incarnation)
    return Aborted("RecvTensor expects a different device incarnation: ", edge.incarnation, " vs. ",
                   found->second, ". Your worker job (\"", name_,
                   "\") was probably restarted. Check your worker job for the reason why it was "
                   "restarted.");
  return {};
}

Status Worker::Run(PartRun run, tsh_cancel* cancel, PartResult* result) {
  if (run.has_session)
    if (auto renamed = RenamedFor(run.session)) return renamed->Run(std::move(run), cancel, result);
  if (!seen_.FirstTime(run.request_id))
    return Aborted("The same RunGraph request was received twice. step_id: ", run.step,
                   ", request_id: ", run.request_id);
  TENSH_ASSIGN(auto part, FindPart(run));
  auto values = Step(run.step);
  Status status = run.partial ? RunPartial(part, run, values, cancel, result)
                              : RunPart(*part, run, values, cancel, result);
  if (!status.ok()) values->Abort(status);
  return status;
}

Status Worker::RunPart(const Part& part, PartRun& run, const std::shared_ptr<StepValues>& values,
                       tsh_cancel* cancel, PartResult* result) {
  for (auto& [key, value] : run.send) TENSH_RETURN_IF_ERROR(values->Send(key, std::move(value)));
  StepExchange exchange(cluster_, name_, run.step, values);
  const tsh_exchange table = exchange.table();
  char* report = nullptr;
  const tsh_control control{&table, cancel, run.trace ? &report : nullptr};
  tsh_run all{};
  all.targets = part.targets.data();
  all.n_targets = part.targets.size();
  Said said;
  tsh_session_run_with(part.session.get(), &all, &control, nullptr, said);
  const TextPtr owned(report);
  if (report) EncodeTrace(report, &result->stats);
  TENSH_RETURN_IF_ERROR(NameLimits(said.Take()));
  for (const std::string& key : run.receive) {
    TensorPtr value;
    if (!values->TakeNow(key, &value) || !value)
      return InvalidArgument("The tensor returned for ", key, " was not valid.");
    result->names.push_back(key);
    result->received.push_back(std::move(value));
  }
  return {};
}

void Worker::CleanupGraph(int64_t id) {
  if (original_) return original_->CleanupGraph(id);
  EndPartial(id);
  std::shared_ptr<StepValues> step;
  {
    std::lock_guard lock(mu_);
    auto found = steps_.find(id);
    if (found == steps_.end()) return;
    step = std::move(found->second);
    steps_.erase(found);
  }
  step->Abort(Aborted("Cleanup ", id));
}

void Worker::Abandon(int64_t id) {
  std::lock_guard lock(mu_);
  auto found = steps_.find(id);
  if (found != steps_.end() && found->second->Idle()) steps_.erase(found);
}

void Worker::CleanupAll(const std::vector<std::string>& containers) {
  std::vector<const char*> names;
  for (const std::string& name : containers) names.push_back(name.c_str());
  tsh_home_clear(home_.get(), names.data(), names.size());
}

void Worker::Stop() {
  std::map<int64_t, std::shared_ptr<StepValues>> steps;
  std::vector<std::shared_ptr<Worker>> renamed;
  {
    std::lock_guard lock(mu_);
    stopped_ = true;
    steps.swap(steps_);
    for (const auto& [handle, session] : sessions_)
      if (session.renamed) renamed.push_back(session.renamed);
    for (auto& [key, session] : sessions_)
      for (auto& [handle, part] : session.parts) tsh_session_cancel(part->session.get());
  }
  for (const auto& worker : renamed) worker->Stop();
  for (auto& [id, step] : steps) step->Abort(Unavailable("the task ", name_, " is stopping"));
}

}  // namespace tensh::dist
