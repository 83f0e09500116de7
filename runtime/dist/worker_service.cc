#include "runtime/dist/worker_service.h"

#include "runtime/dist/call.h"
#include "runtime/dist/wire/messages.h"
#include "runtime/dist/wire/tensor_buffer.h"

namespace tensh::dist {
namespace {

using tensorflow::WorkerService;
using Context = grpc::ServerContext;
using Callback = grpc::CallbackServerContext;
using Base = WorkerService::WithRawCallbackMethod_RunGraph<
    WorkerService::WithRawCallbackMethod_RecvTensor<WorkerService::Service>>;

// A pending RecvTensor of another task. The thread that provides the value sends the answer.
class Receiving : public grpc::ServerUnaryReactor {
 public:
  Receiving(Worker* worker, const tensorflow::RecvTensorRequest& request,
            grpc::ByteBuffer* response)
      : worker_(*worker),
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
  const int64_t step_;
  const std::shared_ptr<StepValues> values_;
  const std::string key_;
  grpc::ByteBuffer* const response_;
  uint64_t token_ = 0;
};

class Service : public Base {
 public:
  explicit Service(Worker* worker) : worker_(*worker) {}

 private:
  grpc::Status GetStatus(Context*, const tensorflow::GetStatusRequest*,
                         tensorflow::GetStatusResponse* response) override {
    worker_.GetStatus(response);
    return grpc::Status::OK;
  }
  grpc::Status CreateWorkerSession(Context*, const tensorflow::CreateWorkerSessionRequest* request,
                                   tensorflow::CreateWorkerSessionResponse*) override {
    return ToGrpc(worker_.CreateSession(*request));
  }
  grpc::Status DeleteWorkerSession(Context*, const tensorflow::DeleteWorkerSessionRequest* request,
                                   tensorflow::DeleteWorkerSessionResponse*) override {
    worker_.DeleteSession(request->session_handle());
    return grpc::Status::OK;
  }
  grpc::Status RegisterGraph(Context*, const tensorflow::RegisterGraphRequest* request,
                             tensorflow::RegisterGraphResponse* response) override {
    GraphPtr graph(tsh_graph_new());
    if (Status status = ImportGraph(request->graph_def(), graph.get()); !status.ok())
      return ToGrpc(status);
    const std::string session =
        request->create_worker_session_called() ? request->session_handle() : "";
    return ToGrpc(
        worker_.RegisterGraph(session, std::move(graph), response->mutable_graph_handle()));
  }
  grpc::Status DeregisterGraph(Context*, const tensorflow::DeregisterGraphRequest* request,
                               tensorflow::DeregisterGraphResponse*) override {
    return ToGrpc(worker_.DeregisterGraph(request->session_handle(), request->graph_handle()));
  }

  grpc::ServerUnaryReactor* RunGraph(Callback*, const grpc::ByteBuffer* bytes,
                                     grpc::ByteBuffer* answer) override {
    return WaitingCall::Start([=, this](tsh_cancel* cancel) -> Status {
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
    for (const auto& fed : request.send()) {
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

  grpc::ServerUnaryReactor* RecvTensor(Callback* context, const grpc::ByteBuffer* bytes,
                                       grpc::ByteBuffer* response) override {
    tensorflow::RecvTensorRequest request;
    if (Status parsed = ParseRequest(*bytes, &request); !parsed.ok())
      return Answer(context, parsed);
    if (Status status = worker_.CheckKey(request.rendezvous_key()); !status.ok())
      return Answer(context, status);
    auto* call = new Receiving(&worker_, request, response);
    call->Start();
    return call;
  }

  grpc::Status CleanupGraph(Context*, const tensorflow::CleanupGraphRequest* request,
                            tensorflow::CleanupGraphResponse*) override {
    worker_.CleanupGraph(request->step_id());
    return grpc::Status::OK;
  }
  grpc::Status CleanupAll(Context*, const tensorflow::CleanupAllRequest* request,
                          tensorflow::CleanupAllResponse*) override {
    worker_.CleanupAll({request->container().begin(), request->container().end()});
    return grpc::Status::OK;
  }
  grpc::Status Logging(Context*, const tensorflow::LoggingRequest*,
                       tensorflow::LoggingResponse*) override {
    return grpc::Status::OK;
  }
  grpc::Status MarkRecvFinished(Context*, const tensorflow::MarkRecvFinishedRequest*,
                                tensorflow::MarkRecvFinishedResponse*) override {
    return grpc::Status::OK;
  }

  Worker& worker_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeWorkerService(Worker* worker) {
  return std::make_unique<Service>(worker);
}

}  // namespace tensh::dist
