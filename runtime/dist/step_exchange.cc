#include "runtime/dist/step_exchange.h"

#include <grpcpp/alarm.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <mutex>
#include <random>

#include "runtime/dist/wire/tensor_buffer.h"

namespace tensh::dist {
namespace {

void Arrive(tsh_arrival* arrival, const Status& status, TensorPtr value) {
  if (status.ok()) return tsh_arrive(arrival, value.release(), nullptr);
  Said said;
  Set(said, status);
  tsh_arrive(arrival, nullptr, said);
}

// A RecvTensor in flight. Owns itself until it has ended. Aborting the step cancels it.
struct Fetching : std::enable_shared_from_this<Fetching> {
  grpc::ClientContext context;
  grpc::ByteBuffer request, response;
  std::shared_ptr<grpc::Channel> channel;  // Must outlive the call.
  std::shared_ptr<Liveness> liveness;
  const Liveness::Clock::time_point begun = Liveness::Clock::now();
  std::shared_ptr<StepValues> values;
  std::string task;
  tsh_arrival* arrival;
  uint64_t on_abort = 0;
  std::mutex mu;
  std::unique_ptr<grpc::Alarm> alarm;  // Guarded by mu.
  bool done = false, lost = false;     // Guarded by mu.

  void Done(const grpc::Status& said) {
    bool given_up;
    std::unique_ptr<grpc::Alarm> no_more;
    {
      std::lock_guard lock(mu);
      done = true;
      given_up = lost && !said.ok();
      no_more = std::move(alarm);
    }
    no_more.reset();
    Status status =
        given_up ? Unavailable("the task ", task, " no longer answers") : FromGrpc(said, task);
    TensorPtr value;
    if (status.ok()) status = DecodeReceived(&response, &value);
    Arrive(arrival, status, std::move(value));
  }

  // Probes the sending task periodically. Its value may take long, but the task itself must be
  // alive.
  void LookAfter() {
    std::lock_guard lock(mu);
    if (done) return;
    alarm = std::make_unique<grpc::Alarm>();
    alarm->Set(std::chrono::system_clock::now() + liveness->period(),
               [self = shared_from_this()](bool rang) {
                 if (rang) self->Probe();
               });
  }

  void Probe() {
    liveness->Ask(begun, [self = shared_from_this()](bool alive) {
      if (alive) return self->LookAfter();
      {
        std::lock_guard lock(self->mu);
        self->lost = true;
      }
      self->context.TryCancel();
    });
  }
};

}  // namespace

int64_t RandomId() {
  static std::mutex mu;
  static std::mt19937_64 engine{std::random_device{}()};
  std::lock_guard lock(mu);
  return static_cast<int64_t>(engine() >> 7) | 1;  // Below 2^57, as in TensorFlow.
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
  auto channel = cluster_.Channel(task);
  if (!channel.ok()) return Arrive(arrival, channel.status(), nullptr);
  auto liveness = cluster_.LivenessOf(task);
  if (!liveness.ok()) return Arrive(arrival, liveness.status(), nullptr);
  auto call = std::make_shared<Fetching>();
  call->channel = *channel;
  call->liveness = *liveness;
  call->values = values_;
  call->task = task;
  call->arrival = arrival;
  tensorflow::RecvTensorRequest request;
  request.set_step_id(step_);
  request.set_rendezvous_key(key);
  request.set_request_id(RandomId());
  const grpc::Slice bytes(request.SerializeAsString());
  call->request = grpc::ByteBuffer(&bytes, 1);
  // Registers for the abort before starting the call. An abort then either finds the call or
  // prevents it; TryCancel is allowed before the call starts.
  call->on_abort = values_->OnAbort([weak = std::weak_ptr(call)] {
    if (auto alive = weak.lock()) alive->context.TryCancel();
  });
  grpc::GenericStub(call->channel)
      .UnaryCall(&call->context, "/tensorflow.WorkerService/RecvTensor", {}, &call->request,
                 &call->response, [call](const grpc::Status& said) {
                   call->values->RemoveOnAbort(call->on_abort);
                   call->Done(said);
                 });
  call->LookAfter();
}

}  // namespace tensh::dist
