#pragma once
// TensorFlow's MasterService: sessions by handle. Thread-safe.
#include "runtime/dist/worker.h"

namespace tensh::dist {

class MasterService {
 public:
  virtual ~MasterService() = default;
  virtual grpc::Service* service() = 0;
  virtual void Refuse() = 0;    // Rejects new sessions from now on.
  virtual void CloseAll() = 0;  // Ends the steps in flight and their calls.
};
// Limits that an operator sets for clients. 0 means the default, which for steps is no limit.
struct MasterLimits {
  size_t sessions = 0;
  int64_t step_ms = 0;
  int64_t idle_ms = 0;  // Idle time of a session; 0 means no limit.
  int steps = 0;        // In flight, of one session.
};
// The worker, which is that of this task, must outlive the service.
std::unique_ptr<MasterService> MakeMasterService(Worker* worker, MasterLimits limits = {});

}  // namespace tensh::dist
