#pragma once
// A gRPC call that may wait. It runs on a separate thread, so that gRPC's threads never block, and
// is cancelled when the client gives up or the deadline passes.
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/proto_buffer_writer.h>

#include <chrono>
#include <functional>

#include "runtime/dist/cluster.h"
#include "runtime/dist/threads.h"
#include "runtime/dist/wire/handles.h"

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

// Requests that may be large arrive as bytes. gRPC would parse them in the threads that all calls
// share, and a failed allocation would end the process there.
template <class Message>
Status ParseRequest(const grpc::ByteBuffer& bytes, Message* out) {
  return Guarded([&]() -> Status {
    grpc::ByteBuffer copy(bytes);  // shares the bytes
    grpc::ProtoBufferReader reader(&copy);
    if (reader.status().ok() && out->ParseFromZeroCopyStream(&reader)) return {};
    return InvalidArgument("the request is not a ", out->GetTypeName());
  });
}
template <class Message>
Status WriteResponse(const Message& message, grpc::ByteBuffer* out) {
  bool own = false;
  const grpc::Status status =
      grpc::GenericSerialize<grpc::ProtoBufferWriter, Message>(message, out, &own);
  return status.ok() ? Status() : Internal(status.error_message());
}

// A request and its response, both parsed.
template <class Request, class Response>
struct Exchanged {
  Request request;
  Response response;
};

// Owns itself until gRPC is done with it.
class WaitingCall : public grpc::ServerUnaryReactor {
 public:
  using Body = std::function<Status(tsh_cancel*)>;
  static WaitingCall* Start(Body body) {
    auto* call = new WaitingCall;
    RunOnThread([call, body = std::move(body)] {
      call->Finish(ToGrpc(Guarded([&] { return body(call->cancel_.get()); })));
    });
    return call;
  }
  void OnCancel() override { tsh_cancel_set(cancel_.get()); }
  void OnDone() override { delete this; }

 private:
  const CancelPtr cancel_{tsh_cancel_new()};
};

// Finishes a call whose status is already known.
template <class Context>
grpc::ServerUnaryReactor* Answer(Context* context, const Status& status) {
  auto* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

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
