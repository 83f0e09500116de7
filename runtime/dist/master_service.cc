#include "runtime/dist/master_service.h"

#include <algorithm>
#include <condition_variable>
#include <system_error>
#include <thread>

#include "runtime/dist/call.h"
#include "runtime/dist/freed_memory.h"
#include "runtime/dist/master_session.h"
#include "runtime/dist/task.h"

namespace tensh::dist {
namespace {

using Context = grpc::ServerContext;
using Callback = grpc::CallbackServerContext;
class Base : public tensorflow::MasterService::WithRawCallbackMethod_RunStep<
                 tensorflow::MasterService::WithRawCallbackMethod_RunCallable<
                     tensorflow::MasterService::Service>>,
             public MasterService {};

// Limits the sessions, so that one client cannot exhaust the machine.
constexpr size_t kMaxSessions = 4096;

class Service : public Base {
 public:
  Service(Worker* worker, MasterLimits limits) : worker_(*worker), limits_(limits) {
    if (limits_.sessions == 0) limits_.sessions = kMaxSessions;
    StartReaper();
  }
  ~Service() override {
    Refuse();
    if (reaper_.joinable()) reaper_.join();
  }
  grpc::Service* service() override { return this; }
  void CloseAll() override {
    decltype(sessions_) closing;
    {
      std::lock_guard lock(mu_);
      closing.swap(sessions_);
    }
    for (auto& [handle, open] : closing) open.session->Close();
  }
  void Refuse() override {
    std::lock_guard lock(mu_);
    stopping_ = true;
    stop_.notify_all();
  }

 private:
  using SessionRef = std::shared_ptr<MasterSession>;
  using Clock = std::chrono::steady_clock;
  struct Open {
    SessionRef session;
    Clock::time_point used;
  };

  // Starts the thread that closes idle sessions, if it is not running. If the system allows no more
  // threads, they stay open until a session that is created later succeeds in starting it. Requires
  // mu_, except in the constructor.
  void StartReaper() {
    if (limits_.idle_ms <= 0 || reaper_.joinable()) return;
    try {
      reaper_ = std::thread([this] { Reap(); });
    } catch (const std::system_error&) {
    }
  }

  // Closes sessions that were idle for long, because their clients have probably gone without
  // closing them.
  void Reap() {
    const auto idle = std::chrono::milliseconds(limits_.idle_ms);
    std::unique_lock lock(mu_);
    while (!stop_.wait_for(lock, std::min<Clock::duration>(idle / 2, std::chrono::seconds(30)),
                           [&] { return stopping_; })) {
      std::vector<SessionRef> gone;
      const auto now = Clock::now();
      for (auto it = sessions_.begin(); it != sessions_.end();) {
        Open& open = it->second;
        if (open.session.use_count() > 1) open.used = now;  // A call is running.
        const bool old = now - open.used > idle;
        if (old) gone.push_back(std::move(open.session));
        it = old ? sessions_.erase(it) : std::next(it);
      }
      lock.unlock();
      for (const SessionRef& session : gone) session->Close();
      if (!gone.empty()) ReturnFreedMemorySoon();
      gone.clear();
      lock.lock();
    }
  }

  Result<SessionRef> Find(const std::string& handle) {
    std::lock_guard lock(mu_);
    auto found = sessions_.find(handle);
    if (found != sessions_.end()) {
      found->second.used = Clock::now();
      return found->second.session;
    }
    if (stopping_) return Unavailable("the server is stopping");
    return Aborted("Session ", handle, " is not found.");
  }

  // Returns fn(session) for the session of a request.
  template <class Request, class Fn>
  grpc::Status With(const Request* request, Fn fn) {
    auto session = Find(request->session_handle());
    return ToGrpc(session.ok() ? fn(**session) : session.status());
  }

  grpc::Status CreateSession(Context* context, const tensorflow::CreateSessionRequest* request,
                             tensorflow::CreateSessionResponse* response) override {
    auto session = MasterSession::Create(
        *request, &worker_, TimeoutMs(*context, request->config().operation_timeout_in_ms()),
        [context] { return context->IsCancelled(); });
    if (!session.ok()) return ToGrpc(session.status());
    std::lock_guard lock(mu_);
    if (stopping_) return ToGrpc(Unavailable("the server is stopping"));
    if (sessions_.size() >= limits_.sessions)
      return ToGrpc(
          ResourceExhausted("this server has ", limits_.sessions, " sessions open already"));
    StartReaper();
    response->set_session_handle((*session)->handle());
    response->set_graph_version((*session)->version());
    sessions_[(*session)->handle()] = {*session, Clock::now()};
    return grpc::Status::OK;
  }

  grpc::Status ExtendSession(Context*, const tensorflow::ExtendSessionRequest* request,
                             tensorflow::ExtendSessionResponse* response) override {
    return With(request, [&](MasterSession& session) {
      int64_t version = 0;
      Status status =
          session.Extend(request->graph_def(), request->current_graph_version(), &version);
      response->set_new_graph_version(version);
      return status;
    });
  }

  // Moves a failure into the response body if the request asks for that. A step that a stopping server cancels, or that
  // meets a closed session there, gets the status of a server that has stopped.
  Status InBody(const tensorflow::RunStepRequest& request, Status status,
                tensorflow::RunStepResponse* response) {
    if (status.code() == Code::kFailedPrecondition || status.code() == Code::kAborted ||
        status.code() == Code::kCancelled) {
      std::lock_guard lock(mu_);
      if (stopping_) return Unavailable("the server is stopping");
    }
    if (status.ok() || !request.store_errors_in_response_body()) return status;
    response->set_status_code(static_cast<int>(status.code()));
    response->set_status_error_message(std::string(status.message()));
    return {};
  }

  int64_t StepTimeoutMs(const Callback& context, int64_t option_ms) const {
    const int64_t asked = TimeoutMs(context, option_ms);
    if (asked == 0 || limits_.step_ms == 0) return std::max(asked, limits_.step_ms);
    return std::min(asked, limits_.step_ms);
  }

  using StepCall = Exchanged<tensorflow::RunStepRequest, tensorflow::RunStepResponse>;

  grpc::ServerUnaryReactor* RunStep(Callback* context, const grpc::ByteBuffer* bytes,
                                    grpc::ByteBuffer* answer) override {
    constexpr size_t kFewBytes = 64 << 10;  // parsed at once
    const auto call = std::make_shared<StepCall>();
    const bool small = bytes->Length() <= kFewBytes;
    if (small) {
      if (Status parsed = ParseRequest(*bytes, &call->request); !parsed.ok())
        return Answer(context, parsed);
      const auto known = Find(call->request.session_handle());
      if (!known.ok()) return Answer(context, known.status());
      if ((*known)->IsQuick(call->request))
        return Answer(context, Step(*context, **known, nullptr, *call, answer));
    }
    return WaitingCall::Start([=, this](tsh_cancel* cancel) -> Status {
      if (!small) TENSH_RETURN_IF_ERROR(ParseRequest(*bytes, &call->request));
      TENSH_ASSIGN(const SessionRef session, Find(call->request.session_handle()));
      return Step(*context, *session, cancel, *call, answer);
    });
  }

  // Runs the step and writes its response. `cancel` may be null.
  Status Step(const Callback& context, MasterSession& session, tsh_cancel* cancel, StepCall& call,
              grpc::ByteBuffer* answer) {
    const StepLimits limits{StepTimeoutMs(context, call.request.options().timeout_in_ms()), cancel};
    Status status = Guarded([&] {
      return call.request.partial_run_handle().empty()
                 ? session.RunStep(call.request, limits, &call.response)
                 : session.PartialRun(call.request, limits, &call.response);
    });
    TENSH_RETURN_IF_ERROR(InBody(call.request, std::move(status), &call.response));
    return Guarded([&] { return WriteResponse(call.response, answer); });
  }

  grpc::Status PartialRunSetup(Context*, const tensorflow::PartialRunSetupRequest* request,
                               tensorflow::PartialRunSetupResponse* response) override {
    return With(request, [&](MasterSession& session) {
      return session.PartialRunSetup(*request, response->mutable_partial_run_handle());
    });
  }

  grpc::Status CloseSession(Context*, const tensorflow::CloseSessionRequest* request,
                            tensorflow::CloseSessionResponse*) override {
    return With(request, [&](MasterSession& session) {
      {
        std::lock_guard lock(mu_);
        sessions_.erase(request->session_handle());
      }
      session.Close();
      ReturnFreedMemorySoon();
      return Status();
    });
  }

  grpc::Status ListDevices(Context*, const tensorflow::ListDevicesRequest* request,
                           tensorflow::ListDevicesResponse* response) override {
    return With(request, [&](MasterSession& session) {
      session.ListDevices(response);
      return Status();
    });
  }

  grpc::Status Reset(Context*, const tensorflow::ResetRequest* request,
                     tensorflow::ResetResponse*) override {
    CloseAll();
    const std::vector<std::string> containers(request->container().begin(),
                                              request->container().end());
    worker_.CleanupAll(containers);
    Status status;  // the first failure; the other tasks are still reset
    for (const std::string& name : worker_.cluster().TaskNames()) {
      if (name == worker_.name()) continue;
      auto task = MakeOtherTask(&worker_.cluster(), name);
      Status reset = task.ok() ? (*task)->CleanupAll(containers) : task.status();
      if (status.ok()) status = std::move(reset);
    }
    ReturnFreedMemorySoon();
    return ToGrpc(status);
  }

  grpc::Status MakeCallable(Context*, const tensorflow::MakeCallableRequest* request,
                            tensorflow::MakeCallableResponse* response) override {
    return With(request, [&](MasterSession& session) {
      int64_t id = 0;
      Status status = session.MakeCallable(request->options(), &id);
      response->set_handle(id);
      return status;
    });
  }

  grpc::ServerUnaryReactor* RunCallable(Callback* context, const grpc::ByteBuffer* bytes,
                                        grpc::ByteBuffer* answer) override {
    return WaitingCall::Start([=, this](tsh_cancel* cancel) -> Status {
      Exchanged<tensorflow::RunCallableRequest, tensorflow::RunCallableResponse> call;
      TENSH_RETURN_IF_ERROR(ParseRequest(*bytes, &call.request));
      TENSH_ASSIGN(const SessionRef session, Find(call.request.session_handle()));
      TENSH_RETURN_IF_ERROR(
          session->RunCallable(call.request, {StepTimeoutMs(*context, 0), cancel}, &call.response));
      return WriteResponse(call.response, answer);
    });
  }

  grpc::Status ReleaseCallable(Context*, const tensorflow::ReleaseCallableRequest* request,
                               tensorflow::ReleaseCallableResponse*) override {
    return With(request,
                [&](MasterSession& session) { return session.ReleaseCallable(request->handle()); });
  }

  Worker& worker_;
  MasterLimits limits_;
  std::mutex mu_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::unordered_map<std::string, Open> sessions_;
  std::thread reaper_;
};

}  // namespace

std::unique_ptr<MasterService> MakeMasterService(Worker* worker, MasterLimits limits) {
  return std::make_unique<Service>(worker, limits);
}

}  // namespace tensh::dist
