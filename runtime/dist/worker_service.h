#pragma once
// TensorFlow's WorkerService, implemented by a Worker.
#include "runtime/dist/worker.h"

namespace tensh::dist {

// The worker must outlive the service.
std::unique_ptr<grpc::Service> MakeWorkerService(Worker* worker);

}  // namespace tensh::dist
