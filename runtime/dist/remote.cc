#include "runtime/dist/remote.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <random>

#include "runtime/dist/cluster.h"
#include "runtime/dist/threads.h"
#include "runtime/dist/tls.h"
#include "runtime/dist/wire/messages.h"
#include "runtime/dist/wire/metadata.h"

namespace tensh::dist {
namespace {

constexpr std::string_view kScheme = "grpc://";
constexpr int64_t kCloseMs = 10'000;
constexpr int64_t kResetMs = 30'000;
constexpr int kFullTrace = 3;  // RunOptions.FULL_TRACE.
constexpr std::string_view kWorkHere = "To work in this process: connect default";

// True if the error is that of a task of the cluster, and not of the server that reports it.
bool FromTask(std::string_view message) {
  return message.starts_with("From /job:") || message.starts_with("the task /job:");
}

int64_t RandomId() {
  static std::mutex mu;
  static std::mt19937_64 random{std::random_device{}()};
  std::lock_guard lock(mu);
  return static_cast<int64_t>(random() >> 1) | 1;
}

}  // namespace

// One call: its deadline, its registration for Cancel, and whether Cancel ended it.
class Remote::Call {
 public:
  Call(Remote& remote, int64_t timeout_ms) : remote_(remote) {
    if (timeout_ms > 0)
      context_.set_deadline(std::chrono::system_clock::now() +
                            std::chrono::milliseconds(timeout_ms));
    std::lock_guard lock(remote_.calls_mu_);
    remote_.calls_.insert(this);
  }
  ~Call() {
    std::lock_guard lock(remote_.calls_mu_);
    remote_.calls_.erase(this);
  }
  grpc::ClientContext* context() { return &context_; }
  // Needs the lock of calls_mu_.
  void Cancel() {
    cancelled_ = true;
    context_.TryCancel();
  }
  bool cancelled() const {
    std::lock_guard lock(remote_.calls_mu_);
    return cancelled_;
  }

 private:
  Remote& remote_;
  grpc::ClientContext context_;
  bool cancelled_ = false;  // guarded by calls_mu_
};

namespace {

Result<std::unique_ptr<tensorflow::MasterService::Stub>> OpenStub(
    const std::string& target, const tensh_dist_options& options) {
  const std::string address = target.substr(kScheme.size());
  const size_t colon = address.rfind(':');
  if (colon == address.npos || colon == 0 || colon + 1 == address.size())
    return InvalidArgument("the target '", target, "' is not grpc://HOST:PORT");
  TENSH_ASSIGN(const Tls tls, ReadTls(options.tls, false));
  TENSH_RETURN_IF_ERROR(CheckThreads());
  TENSH_RETURN_IF_ERROR(CheckDescriptors());
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // A step must never run twice.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // A server that was restarted is reached again within a second.
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // One connection for each session.
  return tensorflow::MasterService::NewStub(
      grpc::CreateCustomChannel(address, ClientCredentials(tls), arguments));
}

}  // namespace

Result<std::unique_ptr<Remote>> Remote::Connect(tsh_graph* graph, const std::string& target,
                                                const tensh_dist_options& options) {
  TENSH_ASSIGN(auto stub, OpenStub(target, options));
  return std::unique_ptr<Remote>(new Remote(graph, target, options, std::move(stub)));
}

Status Remote::Reset(const std::string& target, std::span<const std::string> containers,
                     const tensh_dist_options& options) {
  if (!target.starts_with(kScheme))
    return InvalidArgument("the target '", target, "' is not grpc://HOST:PORT");
  TENSH_ASSIGN(const auto stub, OpenStub(target, options));
  tensorflow::ResetRequest request;
  tensorflow::ResetResponse response;
  request.mutable_container()->Assign(containers.begin(), containers.end());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(kResetMs));
  const grpc::Status said = stub->Reset(&context, request, &response);
  if (said.ok()) return {};
  if (said.error_code() == grpc::StatusCode::UNAVAILABLE && !FromTask(said.error_message()))
    return Unavailable("the server ", target.substr(kScheme.size()),
                       " does not answer (Reset: ", said.error_message(), ")")
        .WithHint("is it running? tensh serve --port N starts one");
  return PeerError(static_cast<int>(said.error_code()), said.error_message());
}

Remote::Remote(tsh_graph* graph, std::string target, const tensh_dist_options& options,
               std::unique_ptr<tensorflow::MasterService::Stub> stub)
    : graph_(graph),
      target_(std::move(target)),
      address_(target_.substr(kScheme.size())),
      options_(options),
      device_filters_(options.device_filters, options.device_filters + options.n_device_filters),
      stub_(std::move(stub)) {}

Status Remote::Describe(const Call& call, const grpc::Status& status, const char* method) const {
  if (status.ok()) return {};
  const auto code = static_cast<Code>(status.error_code());
  if (code == Code::kCancelled && call.cancelled()) return Status(code, "the call was cancelled");
  if (code == Code::kCancelled)  // A server that stops cancels the calls in progress.
    return Status(code,
                  StrCat("the server ", address_, " ended the call (", method, ": ",
                         status.error_message(), ")"),
                  StrCat("has it stopped? ", kWorkHere));
  if (code == Code::kUnavailable && !FromTask(status.error_message()))
    return Status(code,
                  StrCat("the server ", address_, " does not answer (", method, ": ",
                         status.error_message(), ")"),
                  StrCat("is it running? tensh serve --port N starts one. ", kWorkHere));
  if (code == Code::kDeadlineExceeded)
    return Status(code, StrCat("the server ", address_, " took too long (", method, ")"));
  return AnswerOf(code, status.error_message());
}

// A lost session and a lost task can be recognized only by the text (see PeerError).
Status Remote::AnswerOf(Code code, const std::string& message) const {
  Status status = PeerError(static_cast<int>(code), message);
  if (code == Code::kAborted && FromTask(message))
    return std::move(status).WithHint(
        "the task was restarted, and its variables have no values. Set them: run "
        "tf.global_variables_initializer()");
  if (code == Code::kAborted && message.starts_with("Session "))
    return std::move(status).WithHint(
        StrCat("the server ", address_,
               " was restarted or has closed this session, whose variables "
               "are lost. Open a new one: connect ",
               target_));
  if (code == Code::kUnavailable)
    return std::move(status).WithHint(
        StrCat("the server ", address_,
               " answers, but a task of its cluster does not. See which: "
               "devices"));
  return status;
}

// ---- nodes ----

std::string Remote::WireName(tsh_node n) const {
  auto renamed = renamed_.find(n);
  return renamed == renamed_.end() ? tsh_node_name(graph_, n) : renamed->second;
}

std::string Remote::WireName(tsh_output o) const {
  return WireName(o.node) + ":" + std::to_string(o.index);
}

// Omits the number of output 0. TensorFlow's server caches runs by the concatenated names of feeds
// and fetches, and would confuse [feed c:0, fetch d:0] with [fetch c:0, fetch d:0].
std::string Remote::FeedName(tsh_output o) const {
  return o.index == 0 ? WireName(o.node) : WireName(o);
}

void Remote::ForgetUndone() {
  const uint32_t generation = tsh_graph_generation(graph_);
  if (generation == generation_) return;
  const uint32_t valid = tsh_graph_valid_below(graph_, generation_);
  generation_ = generation;
  if (valid >= sent_) return;
  sent_ = valid;
  renamed_.erase(renamed_.lower_bound(valid), renamed_.end());
}

Status Remote::Create(std::string graph_def, Call* call) {
  tensorflow::CreateSessionRequest request;
  tensorflow::CreateSessionResponse response;
  request.set_graph_def(std::move(graph_def));
  if (options_.cpus) (*request.mutable_config()->mutable_device_count())["CPU"] = options_.cpus;
  request.mutable_config()->set_allow_soft_placement(options_.soft_placement);
  request.mutable_config()->set_log_device_placement(options_.log_placement);
  request.mutable_config()->set_operation_timeout_in_ms(options_.timeout_ms);
  request.mutable_config()->set_isolate_session_state(options_.isolated != 0);
  for (const std::string& filter : device_filters_)
    request.mutable_config()->add_device_filters(filter);
  request.set_target(target_);
  TENSH_RETURN_IF_ERROR(
      Describe(*call, stub_->CreateSession(call->context(), request, &response), "CreateSession"));
  if (response.session_handle().empty())
    return Internal("the server ", address_, " created a session without a handle");
  handle_ = response.session_handle();
  version_ = response.graph_version();
  return {};
}

Status Remote::Extend(std::string graph_def, Call* call) {
  tensorflow::ExtendSessionRequest request;
  tensorflow::ExtendSessionResponse response;
  request.set_session_handle(handle_);
  request.set_graph_def(std::move(graph_def));
  request.set_current_graph_version(version_);
  TENSH_RETURN_IF_ERROR(
      Describe(*call, stub_->ExtendSession(call->context(), request, &response), "ExtendSession"));
  version_ = response.new_graph_version();
  return {};
}

Status Remote::Sync(std::string* handle, int64_t timeout_ms) {
  std::lock_guard lock(mu_);
  ForgetUndone();
  const auto end = static_cast<tsh_node>(tsh_graph_size(graph_));
  if (!handle_.empty() && end <= sent_) return *handle = handle_, Status();
  for (tsh_node n = sent_; n < end; ++n) {
    std::string name = tsh_node_name(graph_, n);
    if (!taken_.count(name)) continue;
    for (int k = 1; taken_.count(name); ++k) name = StrCat(tsh_node_name(graph_, n), "__", k);
    renamed_[n] = name;
  }
  std::string graph_def;
  TENSH_RETURN_IF_ERROR(ExportGraph(
      graph_, sent_, end, [this](tsh_node n) { return WireName(n); }, &graph_def));
  Call call(*this, timeout_ms);
  Status status =
      handle_.empty() ? Create(std::move(graph_def), &call) : Extend(std::move(graph_def), &call);
  if (!status.ok()) {
    renamed_.erase(renamed_.lower_bound(sent_), renamed_.end());
    return status;
  }
  for (tsh_node n = sent_; n < end; ++n) taken_.insert(WireName(n));
  sent_ = end;
  *handle = handle_;
  return {};
}

// ---- steps ----

Status Remote::Fill(const tsh_run& run, tensorflow::RunStepRequest* request) const {
  std::lock_guard lock(mu_);
  for (size_t i = 0; i < run.n_feeds; ++i) {
    auto* feed = request->add_feed();
    feed->set_name(FeedName(run.feeds[i]));
    TENSH_RETURN_IF_ERROR(EncodeTensor(run.values[i], feed->mutable_tensor()));
  }
  for (size_t i = 0; i < run.n_fetches; ++i) request->add_fetch(WireName(run.fetches[i]));
  for (size_t i = 0; i < run.n_targets; ++i) request->add_target(WireName(run.targets[i]));
  request->set_request_id(RandomId());
  request->set_store_errors_in_response_body(true);
  return {};
}

Status Remote::TakeFetched(const tensorflow::RunStepResponse& response, const tsh_run& run,
                           const tensorflow::RunStepRequest& request, tsh_tensor** fetched) const {
  std::map<std::string, const std::string*> by_name;
  for (const auto& each : response.tensor()) by_name[each.name()] = &each.tensor();
  std::vector<TensorPtr> values;
  for (size_t i = 0; i < run.n_fetches; ++i) {
    auto found = by_name.find(request.fetch(static_cast<int>(i)));
    if (found == by_name.end())
      return Internal("the server ", address_, " did not send ",
                      request.fetch(static_cast<int>(i)));
    TENSH_ASSIGN(TensorPtr value, DecodeTensor(*found->second));
    values.push_back(std::move(value));
  }
  for (size_t i = 0; i < values.size(); ++i) fetched[i] = values[i].release();
  return {};
}

tsh_node Remote::NodeOf(const std::string& wire_name) const {
  std::lock_guard lock(mu_);
  for (const auto& [node, name] : renamed_)
    if (name == wire_name) return node;
  const tsh_node node = tsh_graph_find(graph_, wire_name.c_str());
  return node != TSH_NO_NODE && renamed_.count(node) ? TSH_NO_NODE : node;
}

Status Remote::SetUpPartial(const tsh_run& run, std::string* handle) {
  tensorflow::PartialRunSetupRequest request;
  tensorflow::PartialRunSetupResponse response;
  TENSH_RETURN_IF_ERROR(Sync(request.mutable_session_handle(), options_.timeout_ms));
  {
    std::lock_guard lock(mu_);
    for (size_t i = 0; i < run.n_feeds; ++i) request.add_feed(FeedName(run.feeds[i]));
    for (size_t i = 0; i < run.n_fetches; ++i) request.add_fetch(WireName(run.fetches[i]));
    for (size_t i = 0; i < run.n_targets; ++i) request.add_target(WireName(run.targets[i]));
  }
  request.set_request_id(RandomId());
  Call call(*this, options_.timeout_ms);
  TENSH_RETURN_IF_ERROR(Describe(call, stub_->PartialRunSetup(call.context(), request, &response),
                                 "PartialRunSetup"));
  *handle = response.partial_run_handle();
  return {};
}

Status Remote::Run(const tsh_run& run, const tensh_dist_trace* trace, tsh_tensor** fetched,
                   const std::string& partial) {
  const int64_t timeout = run.timeout_ms > 0 ? run.timeout_ms : options_.timeout_ms;
  tensorflow::RunStepRequest request;
  tensorflow::RunStepResponse response;
  TENSH_RETURN_IF_ERROR(Sync(request.mutable_session_handle(), timeout));
  TENSH_RETURN_IF_ERROR(Fill(run, &request));
  request.set_partial_run_handle(partial);
  if (timeout > 0) request.mutable_options()->set_timeout_in_ms(timeout);
  if (trace) {
    request.mutable_options()->set_trace_level(kFullTrace);
    request.mutable_options()->set_output_partition_graphs(true);
  }
  Call call(*this, timeout);
  TENSH_RETURN_IF_ERROR(
      Describe(call, stub_->RunStep(call.context(), request, &response), "RunStep"));
  if (response.status_code() != 0)
    return AnswerOf(static_cast<Code>(response.status_code()), response.status_error_message());
  if (trace)
    TellTrace(
        response.metadata(), [this](const std::string& name) { return NodeOf(name); }, *trace);
  return TakeFetched(response, run, request, fetched);
}

Status Remote::ListDevices(tensorflow::ListDevicesResponse* response) {
  tensorflow::ListDevicesRequest request;
  TENSH_RETURN_IF_ERROR(Sync(request.mutable_session_handle(), options_.timeout_ms));
  Call call(*this, options_.timeout_ms);
  return Describe(call, stub_->ListDevices(call.context(), request, response), "ListDevices");
}

void Remote::Cancel() {
  std::lock_guard lock(calls_mu_);
  for (Call* each : calls_) each->Cancel();
}

Status Remote::Close() {
  tensorflow::CloseSessionRequest request;
  tensorflow::CloseSessionResponse response;
  {
    std::lock_guard lock(mu_);
    if (handle_.empty()) return {};
    request.set_session_handle(handle_);
  }
  Call call(*this, kCloseMs);
  const Status status =
      Describe(call, stub_->CloseSession(call.context(), request, &response), "CloseSession");
  // If the server is gone or has forgotten the session, nothing remains to be closed.
  const Code code = status.code();
  return code == Code::kUnavailable || code == Code::kAborted ? Status() : status;
}

}  // namespace tensh::dist
