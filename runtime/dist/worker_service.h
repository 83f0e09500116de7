#pragma once
// WorkerService of TensorFlow's wire, over a Worker.
#include "runtime/dist/worker.h"

namespace tensh::dist {

// The worker outlives the service.
std::unique_ptr<grpc::Service> MakeWorkerService(Worker* worker);

}  // namespace tensh::dist
