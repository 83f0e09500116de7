#include "runtime/dist/worker_service.h"

#include "runtime/dist/call.h"
#include "runtime/dist/wire/messages.h"
#include "runtime/dist/wire/tensor_buffer.h"

namespace tensh::dist {
namespace {

// A pending RecvTensor of another task. The thread that provides the value sends the answer.
class Receiving : public grpc::ServerUnaryReactor {
 public:
  Receiving(Worker* worker, const grpc::CallbackServerContext& context,
            const tensorflow::RecvTensorRequest& request, grpc::ByteBuffer* response)
      : worker_(*worker),
        client_(FindClient(context.peer())),
        step_(request.step_id()),
        values_(worker_.Step(step_)),
        key_(request.rendezvous_key()),
        response_(response) {}

  void Start() {
    values_->Receive(
        key_, [this](const Status& status, TensorPtr value) { Done(status, std::move(value)); },
        &token_);
  }
  void OnCancel() override {
    client_->CallCancelled();
    values_->Forget(key_, token_);
    worker_.Abandon(step_);
  }
  void OnDone() override { delete this; }

 private:
  void Done(Status status, TensorPtr value) {
    if (status.ok()) status = EncodeReceived(std::move(value), response_);
    Finish(ToGrpc(status));
  }

  Worker& worker_;
  const std::shared_ptr<Client> client_;
  const int64_t step_;
  const std::shared_ptr<StepValues> values_;
  const std::string key_;
  grpc::ByteBuffer* const response_;
  uint64_t token_ = 0;
};

class Service : public ByteService {
 public:
  explicit Service(Worker* worker) : ByteService("tensorflow.WorkerService"), worker_(*worker) {
    AddSessions();
    AddSteps();
  }

 private:
  // Adds a method that fn(request, &response) serves.
  template <class Request, class Response, class Fn>
  void AddSimple(const std::string& method, Fn fn) {
    Add<Request, Response>(method,
                           [fn](const Request& request, Response* response, const Call&,
                                const Context&) -> Status { return fn(request, response); });
  }

  void AddSessions() {
    using namespace tensorflow;
    // Answers at once, also if all other threads wait, because other tasks ask it to learn whether
    // this one is alive.
    AddRaw("GetStatus", [this](Context* context, const Bytes*, Bytes* answer) {
      return (new Call(context))->RunNow([&] {
        GetStatusResponse response;
        worker_.GetStatus(&response);
        return WriteResponse(response, answer);
      });
    });
    AddSimple<CreateWorkerSessionRequest, CreateWorkerSessionResponse>(
        "CreateWorkerSession",
        [this](const auto& request, auto*) { return worker_.CreateSession(request); });
    AddSimple<DeleteWorkerSessionRequest, DeleteWorkerSessionResponse>(
        "DeleteWorkerSession", [this](const auto& request, auto*) {
          worker_.DeleteSession(request.session_handle());
          return Status();
        });
    Add<RegisterGraphRequest, RegisterGraphResponse>(
        "RegisterGraph",
        [this](const auto& request, auto* response, const Call& call, const Context&) -> Status {
          GraphCount part;
          TENSH_RETURN_IF_ERROR(worker_.limits().graph.Check(request.graph_def(), {}, &part));
          GraphPtr graph(tsh_graph_new());
          TENSH_RETURN_IF_ERROR(ImportGraph(request.graph_def(), graph.get()));
          const std::string session =
              request.create_worker_session_called() ? request.session_handle() : "";
          std::string* handle = response->mutable_graph_handle();
          TENSH_RETURN_IF_ERROR(worker_.RegisterGraph(session, std::move(graph), handle));
          if (!call.cancelled()) return {};
          return worker_.DeregisterGraph(session, *handle);  // The master will not know it.
        });
    AddSimple<DeregisterGraphRequest, DeregisterGraphResponse>(
        "DeregisterGraph", [this](const auto& request, auto*) {
          return worker_.DeregisterGraph(request.session_handle(), request.graph_handle());
        });
    AddSimple<CleanupAllRequest, CleanupAllResponse>(
        "CleanupAll", [this](const auto& request, auto*) {
          worker_.CleanupAll({request.container().begin(), request.container().end()});
          return Status();
        });
  }

  void AddSteps() {
    using namespace tensorflow;
    AddRaw("RunGraph", [this](Context* context, const Bytes* bytes, Bytes* answer) {
      return RunGraph(context, bytes, answer);
    });
    AddRaw("RecvTensor", [this](Context* context, const Bytes* bytes, Bytes* answer) {
      return RecvTensor(context, bytes, answer);
    });
    AddSimple<CleanupGraphRequest, CleanupGraphResponse>("CleanupGraph",
                                                         [this](const auto& request, auto*) {
                                                           worker_.CleanupGraph(request.step_id());
                                                           return Status();
                                                         });
    const auto nothing = [](const auto&, auto*) { return Status(); };
    AddSimple<LoggingRequest, LoggingResponse>("Logging", nothing);
    AddSimple<MarkRecvFinishedRequest, MarkRecvFinishedResponse>("MarkRecvFinished", nothing);
  }

  Reactor* RunGraph(Context* context, const Bytes* bytes, Bytes* answer) {
    return (new Call(context))->RunSoon([=, this](tsh_cancel* cancel) -> Status {
      Exchanged<tensorflow::RunGraphRequest, tensorflow::RunGraphResponse> call;
      TENSH_RETURN_IF_ERROR(ParseRequest(*bytes, &call.request));
      Status status = Guarded([&] { return Run(call.request, cancel, &call.response); });
      if (!status.ok()) {
        if (!call.request.store_errors_in_response_body()) return status;
        call.response.set_status_code(static_cast<int>(status.code()));
        call.response.set_status_error_message(std::string(status.message()));
      }
      return WriteResponse(call.response, answer);
    });
  }

  Status Run(const tensorflow::RunGraphRequest& request, tsh_cancel* cancel,
             tensorflow::RunGraphResponse* response) {
    PartRun run{.session = request.session_handle(),
                .graph = request.graph_handle(),
                .has_session = request.create_worker_session_called(),
                .step = request.step_id(),
                .request_id = request.request_id(),
                .trace = request.exec_opts().record_timeline(),
                .partial = request.is_partial(),
                .last = request.is_last_partial_run(),
                .send = {},
                .receive = {request.recv_key().begin(), request.recv_key().end()}};
    FilledOfRequest filled;
    for (const auto& fed : request.send()) {
      TENSH_RETURN_IF_ERROR(filled.Add(fed.tensor()));
      TENSH_ASSIGN(TensorPtr value, DecodeTensor(fed.tensor()));
      run.send.emplace_back(fed.name(), std::move(value));
    }
    PartResult result;
    Status status = worker_.Run(std::move(run), cancel, &result);
    *response->mutable_step_stats() = std::move(result.stats);
    TENSH_RETURN_IF_ERROR(std::move(status));
    for (size_t i = 0; i < result.received.size(); ++i) {
      auto* out = response->add_recv();
      out->set_name(request.recv_key(static_cast<int>(i)));
      TENSH_RETURN_IF_ERROR(EncodeTensor(result.received[i].get(), out->mutable_tensor()));
    }
    return {};
  }

  // The request is small, and another step of the cluster waits for the answer.
  Reactor* RecvTensor(Context* context, const Bytes* bytes, Bytes* response) {
    constexpr size_t kFewBytes = 64 << 10;
    const auto refuse = [&](Status status) {
      return (new Call(context))->RunNow([&] { return status; });
    };
    tensorflow::RecvTensorRequest request;
    if (bytes->Length() > kFewBytes || IsCompressed(*bytes))
      return refuse(InvalidArgument("a RecvTensor request is too large, or compressed"));
    if (Status parsed = ParseRequest(*bytes, &request); !parsed.ok()) return refuse(parsed);
    if (Status status = worker_.CheckKey(request.rendezvous_key()); !status.ok())
      return refuse(status);
    auto* call = new Receiving(&worker_, *context, request, response);
    call->Start();
    return call;
  }

  Worker& worker_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeWorkerService(Worker* worker) {
  return std::make_unique<Service>(worker);
}

}  // namespace tensh::dist
