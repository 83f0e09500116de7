#include "runtime/dist/server.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>

#include "runtime/dist/master_session.h"
#include "tensorflow_wire.grpc.pb.h"

namespace tensh::dist {
namespace {

using Context = grpc::ServerContext;

// A session no client can use up the machine by opening more.
constexpr size_t kMaxSessions = 4096;

grpc::Status ToGrpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

// Whichever comes first: the client's deadline or the option; 0: none.
int64_t TimeoutMs(const Context& context, int64_t option_ms) {
  using Clock = std::chrono::system_clock;
  int64_t timeout = std::max<int64_t>(option_ms, 0);
  if (context.deadline() == Clock::time_point::max()) return timeout;
  const int64_t left =
      std::chrono::duration_cast<std::chrono::milliseconds>(context.deadline() - Clock::now())
          .count();
  const int64_t at_least = std::max<int64_t>(left, 1);
  return timeout == 0 ? at_least : std::min(timeout, at_least);
}

class Master : public tensorflow::MasterService::Service {
 public:
  void CloseAll() {
    std::unordered_map<std::string, SessionRef> closing;
    {
      std::lock_guard lock(mu_);
      closing.swap(sessions_);
    }
    for (auto& [handle, session] : closing) session->Close();
  }
  void Refuse() {
    std::lock_guard lock(mu_);
    stopping_ = true;
  }

 private:
  using SessionRef = std::shared_ptr<MasterSession>;

  Result<SessionRef> Find(const std::string& handle) {
    std::lock_guard lock(mu_);
    auto found = sessions_.find(handle);
    if (found != sessions_.end()) return found->second;
    return Aborted("Session ", handle, " is not found.");
  }

  // fn(session) for the session a request names.
  template <class Request, class Fn>
  grpc::Status With(const Request* request, Fn fn) {
    auto session = Find(request->session_handle());
    return ToGrpc(session.ok() ? fn(**session) : session.status());
  }

  grpc::Status CreateSession(Context*, const tensorflow::CreateSessionRequest* request,
                             tensorflow::CreateSessionResponse* response) override {
    auto session = MasterSession::Create(*request);
    if (!session.ok()) return ToGrpc(session.status());
    std::lock_guard lock(mu_);
    if (stopping_) return ToGrpc(Unavailable("the server is stopping"));
    if (sessions_.size() >= kMaxSessions)
      return ToGrpc(ResourceExhausted("this server has ", kMaxSessions, " sessions open already"));
    response->set_session_handle((*session)->handle());
    response->set_graph_version((*session)->version());
    sessions_[(*session)->handle()] = *session;
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

  grpc::Status RunStep(Context* context, const tensorflow::RunStepRequest* request,
                       tensorflow::RunStepResponse* response) override {
    return With(request, [&](MasterSession& session) {
      Status status =
          request->partial_run_handle().empty()
              ? session.RunStep(*request, TimeoutMs(*context, request->options().timeout_in_ms()),
                                response)
              : Unimplemented("partial runs are not possible on this server");
      if (status.ok() || !request->store_errors_in_response_body()) return status;
      response->set_status_code(static_cast<int>(status.code()));
      response->set_status_error_message(std::string(status.message()));
      return Status();
    });
  }

  grpc::Status PartialRunSetup(Context*, const tensorflow::PartialRunSetupRequest* request,
                               tensorflow::PartialRunSetupResponse*) override {
    return With(request, [](MasterSession&) {
      return Unimplemented("partial runs are not possible on this server");
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

  grpc::Status Reset(Context*, const tensorflow::ResetRequest*,
                     tensorflow::ResetResponse*) override {
    CloseAll();
    return grpc::Status::OK;
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

  grpc::Status RunCallable(Context* context, const tensorflow::RunCallableRequest* request,
                           tensorflow::RunCallableResponse* response) override {
    return With(request, [&](MasterSession& session) {
      return session.RunCallable(*request, TimeoutMs(*context, 0), response);
    });
  }

  grpc::Status ReleaseCallable(Context*, const tensorflow::ReleaseCallableRequest* request,
                               tensorflow::ReleaseCallableResponse*) override {
    return With(request,
                [&](MasterSession& session) { return session.ReleaseCallable(request->handle()); });
  }

  std::mutex mu_;
  bool stopping_ = false;
  std::unordered_map<std::string, SessionRef> sessions_;
};

}  // namespace

struct Server::Impl {
  Master master;
  std::unique_ptr<grpc::Server> server;
  std::mutex mu;
  std::condition_variable changed;
  bool stopped = false;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { Stop(); }

Result<std::unique_ptr<Server>> Server::Start(const std::string& host, int port, int* bound) {
  auto impl = std::make_unique<Impl>();
  const std::string address = host + ":" + std::to_string(port);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), bound);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  builder.RegisterService(&impl->master);
  impl->server = builder.BuildAndStart();
  if (!impl->server || *bound == 0)
    return Unavailable("cannot listen on ", address, ": the port is taken, or no address of here");
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

void Server::Wait() {
  std::unique_lock lock(impl_->mu);
  impl_->changed.wait(lock, [&] { return impl_->stopped; });
}

void Server::Stop() {
  {
    std::lock_guard lock(impl_->mu);
    if (impl_->stopped) return;
  }
  impl_->master.Refuse();
  impl_->master.CloseAll();  // the steps in flight end, and their calls with them
  impl_->server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
  std::lock_guard lock(impl_->mu);
  impl_->stopped = true;
  impl_->changed.notify_all();
}

}  // namespace tensh::dist
