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

// Limits the sessions, so that one client cannot exhaust the machine.
constexpr size_t kMaxSessions = 4096;
constexpr int kMaxSteps = 10'000;  // Of one session.

class Service : public ByteService, public MasterService {
 public:
  Service(Worker* worker, MasterLimits limits)
      : ByteService("tensorflow.MasterService"), worker_(*worker), limits_(limits) {
    if (limits_.sessions == 0) limits_.sessions = kMaxSessions;
    if (limits_.steps <= 0) limits_.steps = kMaxSteps;
    AddMethods();
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

  // Adds a method that fn(session, request, &response, limits) serves.
  template <class Request, class Response, class Fn>
  void AddInSession(const std::string& method, Fn fn) {
    Add<Request, Response>(
        method,
        [this, fn](const Request& request, Response* response, const Call& call,
                   const Context& context) -> Status {
          TENSH_ASSIGN(const SessionRef session, Find(request.session_handle()));
          return fn(*session, request, response, StepLimits{TimeoutMs(context, 0), call.flag()});
        });
  }

  void AddMethods() {
    using namespace tensorflow;
    Add<CreateSessionRequest, CreateSessionResponse>(
        "CreateSession",
        [this](const auto& request, auto* response, const Call& call, const Context& context) {
          return CreateSession(request, response, call, context);
        });
    AddInSession<ExtendSessionRequest, ExtendSessionResponse>(
        "ExtendSession",
        [](MasterSession& session, const auto& request, auto* response, const auto&) {
          int64_t version = 0;
          Status status =
              session.Extend(request.graph_def(), request.current_graph_version(), &version);
          response->set_new_graph_version(version);
          return status;
        });
    AddInSession<PartialRunSetupRequest, PartialRunSetupResponse>(
        "PartialRunSetup",
        [](MasterSession& session, const auto& request, auto* response, const StepLimits& limits) {
          return session.PartialRunSetup(request, limits, response->mutable_partial_run_handle());
        });
    AddRaw("RunStep", [this](Context* context, const Bytes* bytes, Bytes* answer) {
      return RunStep(context, bytes, answer);
    });
    AddInSession<CloseSessionRequest, CloseSessionResponse>(
        "CloseSession", [this](MasterSession& session, const auto&, auto*, const auto&) {
          CloseSession(session);
          return Status();
        });
    AddInSession<ListDevicesRequest, ListDevicesResponse>(
        "ListDevices", [](MasterSession& session, const auto&, auto* response, const auto&) {
          session.ListDevices(response);
          return Status();
        });
    Add<ResetRequest, ResetResponse>(
        "Reset", [this](const auto& request, auto*, const Call& call, const Context&) {
          return Reset(request, call);
        });
    AddInSession<MakeCallableRequest, MakeCallableResponse>(
        "MakeCallable",
        [](MasterSession& session, const auto& request, auto* response, const StepLimits& limits) {
          int64_t id = 0;
          Status status = session.MakeCallable(request.options(), limits, &id);
          response->set_handle(id);
          return status;
        });
    AddRaw("RunCallable", [this](Context* context, const Bytes* bytes, Bytes* answer) {
      return RunCallable(context, bytes, answer);
    });
    AddInSession<ReleaseCallableRequest, ReleaseCallableResponse>(
        "ReleaseCallable", [](MasterSession& session, const auto& request, auto*, const auto&) {
          return session.ReleaseCallable(request.handle());
        });
  }

  Status CreateSession(const tensorflow::CreateSessionRequest& request,
                       tensorflow::CreateSessionResponse* response, const Call& call,
                       const Context& context) {
    TENSH_ASSIGN(
        const SessionRef session,
        MasterSession::Create(request, &worker_,
                              TimeoutMs(context, request.config().operation_timeout_in_ms()),
                              [&call] { return call.cancelled(); }));
    // Nobody would close it.
    if (call.cancelled()) return Cancelled("the client gave up while its session was made");
    std::lock_guard lock(mu_);
    if (stopping_) return Unavailable("the server is stopping");
    if (sessions_.size() >= limits_.sessions)
      return ResourceExhausted("this server has ", limits_.sessions,
                               " sessions open, as many as it allows, by --max-sessions");
    StartReaper();
    response->set_session_handle(session->handle());
    response->set_graph_version(session->version());
    sessions_[session->handle()] = {session, Clock::now()};
    return {};
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

  int64_t StepTimeoutMs(const Context& context, int64_t option_ms) const {
    const int64_t asked = TimeoutMs(context, option_ms);
    if (asked == 0 || limits_.step_ms == 0) return std::max(asked, limits_.step_ms);
    return std::min(asked, limits_.step_ms);
  }
  // Names the server's own limit in the status of a step that it has ended.
  Status NameStepLimit(Status status, const StepLimits& limits) const {
    if (status.code() != Code::kDeadlineExceeded || limits_.step_ms == 0 ||
        limits.timeout_ms != limits_.step_ms || std::chrono::steady_clock::now() < limits.until())
      return status;
    return DeadlineExceeded(
        "the step took longer than ", limits_.step_ms / 1000,
        " s, the limit of this server, by --max-step-seconds: ", status.message());
  }

  // A session and one of its steps in flight.
  struct Entered {
    SessionRef session;
    MasterSession::InFlight in_flight;
  };
  Result<std::shared_ptr<Entered>> Enter(SessionRef session) {
    TENSH_ASSIGN(MasterSession::InFlight in_flight, session->Enter(limits_.steps));
    return std::shared_ptr<Entered>(new Entered{std::move(session), std::move(in_flight)});
  }

  using StepCall = Exchanged<tensorflow::RunStepRequest, tensorflow::RunStepResponse>;

  // A small step that is known to be short runs on gRPC's thread.
  Reactor* RunStep(Context* context, const Bytes* bytes, Bytes* answer) {
    constexpr size_t kFewBytes = 64 << 10;
    auto* call = new Call(context);
    const auto step = std::make_shared<StepCall>();
    const bool at_once =
        bytes->Length() <= kFewBytes && !IsCompressed(*bytes) && !call->client().IsBusy();
    std::shared_ptr<Entered> early;
    if (at_once) {
      if (Status parsed = ParseRequest(*bytes, &step->request); !parsed.ok())
        return call->RunNow([&] { return parsed; });
      const auto known = Find(step->request.session_handle());
      if (!known.ok()) return call->RunNow([&] { return known.status(); });
      if ((*known)->IsQuick(step->request))
        return call->RunNow([&] { return Step(*context, **known, nullptr, *step, answer); });
      auto entered = Enter(*known);
      if (!entered.ok()) return call->RunNow([&] { return entered.status(); });
      early = *std::move(entered);
    }
    return call->RunSoon([=, this](tsh_cancel* cancel) -> Status {
      if (early) return Step(*context, *early->session, cancel, *step, answer);
      TENSH_RETURN_IF_ERROR(ParseRequest(*bytes, &step->request));
      TENSH_ASSIGN(SessionRef session, Find(step->request.session_handle()));
      TENSH_ASSIGN(const auto entered, Enter(std::move(session)));
      return Step(*context, *entered->session, cancel, *step, answer);
    });
  }

  // Runs the step and writes its response. `cancel` may be null.
  Status Step(const Context& context, MasterSession& session, tsh_cancel* cancel, StepCall& call,
              Bytes* answer) {
    const StepLimits limits{StepTimeoutMs(context, call.request.options().timeout_in_ms()), cancel};
    Status status = Guarded([&] {
      return call.request.partial_run_handle().empty()
                 ? session.RunStep(call.request, limits, &call.response)
                 : session.PartialRun(call.request, limits, &call.response);
    });
    status = NameStepLimit(std::move(status), limits);
    TENSH_RETURN_IF_ERROR(InBody(call.request, std::move(status), &call.response));
    return Guarded([&] { return WriteResponse(call.response, answer); });
  }

  void CloseSession(MasterSession& session) {
    {
      std::lock_guard lock(mu_);
      sessions_.erase(session.handle());
    }
    session.Close();
    ReturnFreedMemorySoon();
  }

  Status Reset(const tensorflow::ResetRequest& request, const Call& call) {
    CloseAll();
    const std::vector<std::string> containers(request.container().begin(),
                                              request.container().end());
    worker_.CleanupAll(containers);
    Status status;  // the first failure; the other tasks are still reset
    for (const std::string& name : worker_.cluster().TaskNames()) {
      if (name == worker_.name()) continue;
      if (call.cancelled()) return Cancelled("the client gave up the reset");
      auto task = MakeOtherTask(&worker_.cluster(), name);
      Status reset = task.ok() ? (*task)->CleanupAll(containers) : task.status();
      if (status.ok()) status = std::move(reset);
    }
    ReturnFreedMemorySoon();
    return status;
  }

  Reactor* RunCallable(Context* context, const Bytes* bytes, Bytes* answer) {
    return (new Call(context))->RunSoon([=, this](tsh_cancel* cancel) -> Status {
      Exchanged<tensorflow::RunCallableRequest, tensorflow::RunCallableResponse> call;
      TENSH_RETURN_IF_ERROR(ParseRequest(*bytes, &call.request));
      TENSH_ASSIGN(SessionRef session, Find(call.request.session_handle()));
      TENSH_ASSIGN(const auto entered, Enter(std::move(session)));
      const StepLimits limits{StepTimeoutMs(*context, 0), cancel};
      TENSH_RETURN_IF_ERROR(NameStepLimit(
          entered->session->RunCallable(call.request, limits, &call.response), limits));
      return WriteResponse(call.response, answer);
    });
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
