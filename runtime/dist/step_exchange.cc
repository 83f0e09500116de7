#include "runtime/dist/step_exchange.h"

#include <grpcpp/grpcpp.h>

#include <random>

#include "runtime/dist/messages.h"

namespace tensh::dist {
namespace {

void Arrive(tsh_arrival* arrival, const Status& status, TensorPtr value) {
  if (status.ok()) return tsh_arrive(arrival, value.release(), nullptr);
  Said said;
  Set(said, status);
  tsh_arrive(arrival, nullptr, said);
}

// A RecvTensor under way. Owns itself until it has ended; the step's abort cancels it.
struct Fetching {
  grpc::ClientContext context;
  tensorflow::RecvTensorRequest request;
  tensorflow::RecvTensorResponse response;
  std::shared_ptr<tensorflow::WorkerService::Stub> stub;  // outlives the call
  std::shared_ptr<StepValues> values;
  std::string task;
  tsh_arrival* arrival;
  uint64_t on_abort = 0;

  void Done(const grpc::Status& said) {
    Status status = FromGrpc(said, task);
    TensorPtr value;
    if (status.ok() && !response.is_dead()) {
      auto decoded = DecodeTensor(response.tensor());
      if (decoded.ok())
        value = *std::move(decoded);
      else
        status = decoded.status();
    }
    Arrive(arrival, status, std::move(value));
  }
};

}  // namespace

int64_t RandomId() {
  static std::mutex mu;
  static std::mt19937_64 engine{std::random_device{}()};
  std::lock_guard lock(mu);
  return static_cast<int64_t>(engine() >> 7) | 1;  // below 2^57, as TensorFlow's
}

tsh_exchange StepExchange::table() {
  tsh_exchange table{};
  table.context = this;
  table.send = [](void* self, const char* key, tsh_tensor* value, tsh_status* status) -> int {
    auto* exchange = static_cast<StepExchange*>(self);
    TensorPtr counted(value ? tsh_tensor_ref(value) : nullptr);
    return Set(status, exchange->values_->Send(key, std::move(counted)));
  };
  table.receive = [](void* self, const char* key, tsh_arrival* arrival) {
    static_cast<StepExchange*>(self)->Receive(key, arrival);
  };
  table.abort = [](void* self, const tsh_status* why) {
    static_cast<StepExchange*>(self)->values_->Abort(Said::Read(why));
  };
  return table;
}

void StepExchange::Receive(const std::string& key, tsh_arrival* arrival) {
  EdgeKey edge;
  if (!ParseEdgeKey(key, &edge))
    return Arrive(arrival, InvalidArgument("'", key, "' is not the key of an edge"), nullptr);
  const std::string_view task = TaskOf(edge.sender);
  if (task != task_) return Fetch(task, key, arrival);
  values_->Receive(key, [arrival](const Status& status, TensorPtr value) {
    Arrive(arrival, status, std::move(value));
  });
}

void StepExchange::Fetch(std::string_view task, const std::string& key, tsh_arrival* arrival) {
  auto stub = cluster_.Stub(task);
  if (!stub.ok()) return Arrive(arrival, stub.status(), nullptr);
  auto call = std::make_shared<Fetching>();
  call->stub = *stub;
  call->values = values_;
  call->task = task;
  call->arrival = arrival;
  call->request.set_step_id(step_);
  call->request.set_rendezvous_key(key);
  call->request.set_request_id(RandomId());
  // Registered first: an abort either finds the call or forbids it, and TryCancel may come before
  // the call starts.
  call->on_abort = values_->OnAbort([weak = std::weak_ptr(call)] {
    if (auto alive = weak.lock()) alive->context.TryCancel();
  });
  call->stub->async()->RecvTensor(&call->context, &call->request, &call->response,
                                  [call](const grpc::Status& said) {
                                    call->values->RemoveOnAbort(call->on_abort);
                                    call->Done(said);
                                  });
}

}  // namespace tensh::dist
