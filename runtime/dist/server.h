#pragma once
// A TensorFlow server: the MasterService and the WorkerService of one task. A step that waits
// occupies a separate thread, not one of gRPC's.
#include "runtime/api/dist_api.h"
#include "runtime/dist/wire/handles.h"

namespace tensh::dist {

class Server {
 public:
  // Sets *bound to the port it listens on.
  static Result<std::unique_ptr<Server>> Start(const tensh_dist_serve& options, int* bound);
  ~Server();  // Cancels the steps in flight, closes every session, and frees the port.

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tensh::dist
