#pragma once
// MasterService of TensorFlow's wire: sessions by handle.
#include "runtime/dist/worker.h"

namespace tensh::dist {

class MasterService {
 public:
  virtual ~MasterService() = default;
  virtual grpc::Service* service() = 0;
  virtual void Refuse() = 0;    // no new sessions from now on
  virtual void CloseAll() = 0;  // the steps in flight end, and their calls with them
};
// What an operator allows clients. 0: the default, which for steps is any time.
struct MasterLimits {
  size_t sessions = 0;
  int64_t step_ms = 0;
  int64_t idle_ms = 0;  // of a session; 0: it stays
};
// The worker, this task's own, outlives it.
std::unique_ptr<MasterService> MakeMasterService(Worker* worker, MasterLimits limits = {});

}  // namespace tensh::dist
