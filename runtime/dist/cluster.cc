#include "runtime/dist/cluster.h"

#include <grpcpp/grpcpp.h>

#include <charconv>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>

namespace tensh::dist {
namespace {

using Json = nlohmann::json;

Status CheckAddress(const std::string& address) {
  const size_t colon = address.rfind(':');
  int port = 0;
  const char* end = address.data() + address.size();
  const bool ok = colon != address.npos && colon > 0 &&
                  std::from_chars(address.data() + colon + 1, end, port).ptr == end && port > 0 &&
                  port < 65536;
  if (ok) return {};
  return InvalidArgument("'", address, "' in the cluster is not HOST:PORT");
}

Status CheckJobs(const Cluster::Jobs& jobs) {
  for (const auto& [job, tasks] : jobs) {
    if (job.empty() || job.find_first_of("/:; ") != job.npos)
      return InvalidArgument("'", job, "' is not a job's name");
    for (const auto& [task, address] : tasks) TENSH_RETURN_IF_ERROR(CheckAddress(address));
  }
  return {};
}

Result<Cluster::Jobs> FromJson(const Json& json) {
  Cluster::Jobs jobs;
  for (const auto& [job, tasks] : json.items()) {
    int next = 0;
    if (!tasks.is_array() && !tasks.is_object())
      return InvalidArgument("the job '", job, "' of the cluster is not a list of addresses");
    for (const auto& [key, address] : tasks.items()) {
      int task = next++;
      const char* end = key.data() + key.size();
      if (tasks.is_object() && (std::from_chars(key.data(), end, task).ptr != end || task < 0))
        return InvalidArgument("'", key, "' in the job '", job, "' is not a task's number");
      if (!address.is_string())
        return InvalidArgument("an address in the job '", job, "' of the cluster is not text");
      jobs[job][task] = address.get<std::string>();
    }
  }
  return jobs;
}

// Parses ps=host:1;worker=host:2,host:3.
Result<Cluster::Jobs> FromLine(std::string_view text) {
  Cluster::Jobs jobs;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t equals = part.find('=');
    if (equals == part.npos || equals == 0)
      return InvalidArgument("'", part, "' is not JOB=HOST:PORT,…");
    auto& tasks = jobs[std::string(part.substr(0, equals))];
    part.remove_prefix(equals + 1);
    while (!part.empty()) {
      const size_t comma = std::min(part.find(','), part.size());
      const int task = static_cast<int>(tasks.size());
      tasks[task] = std::string(part.substr(0, comma));
      part.remove_prefix(std::min(comma + 1, part.size()));
    }
  }
  return jobs;
}

}  // namespace

bool ParseEdgeKey(std::string_view key, EdgeKey* out) {
  std::string_view* const parts[] = {&out->sender, &out->incarnation, &out->receiver, &out->name};
  for (std::string_view* part : parts) {
    const size_t end = key.find(';');
    if (end == key.npos) return false;
    *part = key.substr(0, end);
    key.remove_prefix(end + 1);
  }
  return !key.empty() && out->sender.size() > 1 && out->receiver.size() > 1;
}

std::string_view TaskOf(std::string_view device) {
  const size_t at = device.find("/device:");
  return at == device.npos ? device : device.substr(0, at);
}

bool IsOfThisMachine(std::string_view address) {
  constexpr std::string_view kHosts[] = {"127.0.0.1", "localhost", "[::1]", "::1"};
  const std::string_view host = address.substr(0, address.rfind(':'));
  const auto is = [&](std::string_view known) { return known == address || known == host; };
  return std::any_of(std::begin(kHosts), std::end(kHosts), is);
}

std::string TaskName(const std::string& job, int task) {
  return StrCat("/job:", job, "/replica:0/task:", task);
}

Status FromGrpc(const grpc::Status& status, std::string_view task) {
  if (status.ok()) return {};
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE)
    return Unavailable("the task ", task, " does not answer: ", status.error_message())
        .WithHint("see whether it still runs");
  return PeerError(static_cast<int>(status.error_code()), status.error_message());
}

Status PeerError(int code, std::string message) {
  constexpr std::pair<std::string_view, Reason> kBeginnings[] = {
      {"Attempting to use uninitialized value ", Reason::kUninitialized},
      {"Cannot assign a device for operation ", Reason::kNoDevice},
      {"No OpKernel was registered ", Reason::kNoKernel},
  };
  // A master puts "From /job:…:" on a line before the error of a worker.
  std::string_view text = message;
  if (text.starts_with("From /job:"))
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  Reason reason = Reason::kNone;
  for (const auto& [beginning, known] : kBeginnings)
    if (text.starts_with(beginning)) reason = known;
  return Status(static_cast<Code>(code), std::move(message)).WithReason(reason);
}

grpc::Status ToGrpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // The message is cut, because gRPC sends it in headers, whose size is limited.
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message().substr(0, 3000)));
}

namespace {

// The threads that run gRPC's callbacks end with the last channel that uses them. If a callback
// itself releases that channel, its thread would have to wait for itself, and gRPC 1.51 aborts
// ("assertion failed: prior > 0"). A channel that is never closed keeps the threads. It has no
// credentials, so that it connects to nothing and its calls fail at once.
void KeepCallbackThreads() {
  struct Kept {
    std::shared_ptr<grpc::Channel> channel = grpc::CreateChannel("127.0.0.1:1", nullptr);
    grpc::ClientContext context;
    tensorflow::GetStatusRequest request;
    tensorflow::GetStatusResponse response;
    std::promise<void> done;
  };
  static std::once_flag once;
  std::call_once(once, [] {
    static auto* const kept = new Kept;  // never deleted
    tensorflow::WorkerService::NewStub(kept->channel)
        ->async()
        ->GetStatus(&kept->context, &kept->request, &kept->response,
                    [](const grpc::Status&) { kept->done.set_value(); });
    kept->done.get_future().wait();
  });
}

}  // namespace

std::shared_ptr<grpc::Channel> OpenChannel(
    const std::string& address, const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    bool own_connection) {
  KeepCallbackThreads();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  if (own_connection) arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(
      address, credentials ? credentials : grpc::InsecureChannelCredentials(), arguments);
}

Result<Cluster::Jobs> Cluster::Parse(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  TENSH_ASSIGN(Jobs jobs, json.is_object() ? FromJson(json) : FromLine(text));
  TENSH_RETURN_IF_ERROR(CheckJobs(jobs));
  return jobs;
}

Result<Cluster::Jobs> Cluster::FromMessage(const tensorflow::ClusterDef& message) {
  Jobs jobs;
  for (const auto& job : message.job())
    for (const auto& [task, address] : job.tasks()) {
      if (task < 0) return InvalidArgument("a cluster has the task ", task);
      jobs[job.name()][task] = address;
    }
  TENSH_RETURN_IF_ERROR(CheckJobs(jobs));
  return jobs;
}

bool Cluster::Has(const std::string& address) const {
  for (const auto& [job, tasks] : jobs_)
    for (const auto& [task, known] : tasks)
      if (known == address) return true;
  return false;
}

std::vector<std::string> Cluster::TaskNames() const {
  std::vector<std::string> names;
  for (const auto& [job, tasks] : jobs_)
    for (const auto& [task, address] : tasks) names.push_back(TaskName(job, task));
  return names;
}

std::string Cluster::AddressOf(std::string_view name) const {
  for (const auto& [job, tasks] : jobs_)
    for (const auto& [task, address] : tasks)
      if (TaskName(job, task) == name) return address;
  return "";
}

Result<std::shared_ptr<grpc::Channel>> Cluster::Channel(std::string_view task) {
  std::lock_guard lock(mu_);
  const auto known = channels_.find(std::string(task));
  if (known != channels_.end()) return known->second;
  const std::string address = AddressOf(task);
  if (address.empty()) return NotFound("the task ", task, " is not in the cluster");
  auto channel = OpenChannel(address, credentials_);
  channels_.emplace(task, channel);
  return channel;
}

Result<std::shared_ptr<Liveness>> Cluster::LivenessOf(std::string_view task) {
  TENSH_ASSIGN(auto values, Channel(task));
  std::lock_guard lock(mu_);
  std::shared_ptr<Liveness>& known = liveness_[std::string(task)];
  if (!known)
    known = std::make_shared<Liveness>(
        std::move(values), OpenChannel(AddressOf(task), credentials_, true), task_timeout_);
  return known;
}

Result<std::shared_ptr<tensorflow::WorkerService::Stub>> Cluster::Stub(std::string_view task) {
  TENSH_ASSIGN(auto channel, Channel(task));
  return std::shared_ptr<tensorflow::WorkerService::Stub>(
      tensorflow::WorkerService::NewStub(channel));
}

}  // namespace tensh::dist
