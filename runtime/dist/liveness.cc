#include "runtime/dist/liveness.h"

#include <grpcpp/grpcpp.h>

#include "tensorflow_wire.grpc.pb.h"

namespace tensh::dist {
namespace {

// Calls done(status) when the task at the other end of the channel has answered, or its time is over.
void GetStatus(const std::shared_ptr<grpc::Channel>& channel, std::chrono::milliseconds time,
               std::function<void(const grpc::Status&)> done) {
  struct Asking {
    std::unique_ptr<tensorflow::WorkerService::Stub> stub;
    grpc::ClientContext context;
    tensorflow::GetStatusRequest request;
    tensorflow::GetStatusResponse response;
  };
  auto asking = std::make_shared<Asking>();
  asking->stub = tensorflow::WorkerService::NewStub(channel);
  asking->context.set_deadline(std::chrono::system_clock::now() + time);
  // The connection may not exist yet, and a first attempt to make it may fail.
  asking->context.set_wait_for_ready(true);
  asking->stub->async()->GetStatus(
      &asking->context, &asking->request, &asking->response,
      [asking, done = std::move(done)](const grpc::Status& said) { done(said); });
}

}  // namespace

void Liveness::Ask(Clock::time_point since, std::function<void(bool)> done) {
  AskOverValues();
  GetStatus(own_, period(),
            [self = shared_from_this(), since, done = std::move(done)](const grpc::Status& said) {
              bool alive = said.ok();
              {
                std::lock_guard lock(self->mu_);
                alive = alive && self->found_dead_ < since;
              }
              done(alive);
            });
}

void Liveness::AskOverValues() {
  {
    std::lock_guard lock(mu_);
    if (asking_) return;
    asking_ = true;
  }
  GetStatus(values_, kConnectionTimeouts * timeout_,
            [self = shared_from_this()](const grpc::Status& said) {
              std::lock_guard lock(self->mu_);
              self->asking_ = false;
              // Other errors end the call that waits, too.
              if (said.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED)
                self->found_dead_ = Clock::now();
            });
}

}  // namespace tensh::dist
