#pragma once
// A gRPC call. It runs on a separate thread, so that gRPC's threads, which all clients share, never
// block, and is cancelled when the client gives up or the deadline passes.
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>

#include "runtime/dist/clients.h"
#include "runtime/dist/cluster.h"
#include "runtime/dist/freed_memory.h"
#include "runtime/dist/threads.h"
#include "runtime/dist/wire/handles.h"
#include "runtime/dist/wire/requests.h"

namespace tensh::dist {

// Runs body() and converts its exceptions to a Status.
template <class Body>
Status Guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory");
  } catch (const std::exception& e) {
    return Internal(e.what());
  }
}

// A request and its response, both parsed.
template <class Request, class Response>
struct Exchanged {
  Request request;
  Response response;
};

// A call of a client that gRPC has received. Owns itself until gRPC is done with it.
class Call : public grpc::ServerUnaryReactor {
 public:
  explicit Call(const grpc::CallbackServerContext* context) : client_(FindClient(context->peer())) {
    client_->CallBegins();
    CallBegins();
  }
  ~Call() override {
    CallEnds();
    client_->CallEnds();
  }
  const Client& client() const { return *client_; }

  // Runs body() on this thread, which is one of gRPC's.
  template <class Body>
  Call* RunNow(Body body) {
    Finish(ToGrpc(Guarded(body)));
    return this;
  }
  // Runs body(cancel) on another thread, unless the client cancels the call before that.
  using Body = std::function<Status(tsh_cancel*)>;
  Call* RunSoon(Body body) {
    {
      std::lock_guard lock(mu_);
      cancel_.reset(tsh_cancel_new());
      if (cancelled_) tsh_cancel_set(cancel_.get());
    }
    RunOnThread(
        [this, body = std::move(body)] {
          if (cancelled()) return Finish(grpc::Status::CANCELLED);
          Finish(ToGrpc(Guarded([&] { return body(cancel_.get()); })));
        },
        client_.get(), client_->IsBusy());
    return this;
  }
  bool cancelled() const { return cancelled_; }
  // The flag that body() received. Null before RunSoon.
  tsh_cancel* flag() const { return cancel_.get(); }

  void OnCancel() override {
    client_->CallCancelled();
    std::lock_guard lock(mu_);
    cancelled_ = true;
    if (cancel_) tsh_cancel_set(cancel_.get());
  }
  void OnDone() override { delete this; }

 private:
  const std::shared_ptr<Client> client_;
  std::mutex mu_;
  CancelPtr cancel_;  // Set once. Setting it is guarded by mu_.
  std::atomic<bool> cancelled_{false};
};

// A service whose methods receive and send bytes, so that gRPC does not parse them.
class ByteService : public grpc::Service {
 public:
  using Context = grpc::CallbackServerContext;
  using Bytes = grpc::ByteBuffer;
  using Reactor = grpc::ServerUnaryReactor;

 protected:
  // `name` is that of the service, "tensorflow.MasterService".
  explicit ByteService(std::string name) : name_(std::move(name)) {}

  // Adds a method whose calls handler(context, request, response) serves.
  using Handler = std::function<Reactor*(Context*, const Bytes*, Bytes*)>;
  void AddRaw(const std::string& method, Handler handler);
  // Adds a method that fn(request, &response, call, context) serves on another thread.
  template <class Request, class Response, class Fn>
  void Add(const std::string& method, Fn fn) {
    AddParsed(method, Request::default_instance(), Response::default_instance(),
              [fn](const Message& request, Message* response, const Call& call,
                   const Context& context) -> Status {
                return fn(static_cast<const Request&>(request), static_cast<Response*>(response),
                          call, context);
              });
  }

 private:
  using Message = google::protobuf::MessageLite;
  using Fn = std::function<Status(const Message&, Message*, const Call&, const Context&)>;
  void AddParsed(const std::string& method, const Message& request, const Message& response, Fn fn);

  const std::string name_;
  std::deque<std::string> paths_;  // gRPC keeps pointers to these.
};

// Returns the client's deadline or the option, whichever is sooner, in milliseconds. 0 means no
// limit.
inline int64_t TimeoutMs(const grpc::ServerContextBase& context, int64_t option_ms) {
  using Clock = std::chrono::system_clock;
  const int64_t timeout = std::max<int64_t>(option_ms, 0);
  if (context.deadline() == Clock::time_point::max()) return timeout;
  const int64_t left =
      std::chrono::duration_cast<std::chrono::milliseconds>(context.deadline() - Clock::now())
          .count();
  const int64_t at_least = std::max<int64_t>(left, 1);
  return timeout == 0 ? at_least : std::min(timeout, at_least);
}

}  // namespace tensh::dist
