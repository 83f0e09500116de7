#pragma once
// A TensorFlow server: MasterService and WorkerService of one task. A step that waits keeps a
// thread of its own and none of gRPC's.
#include "runtime/dist/dist_api.h"
#include "runtime/dist/handles.h"

namespace tensh::dist {

class Server {
 public:
  // *bound is the port it listens on.
  static Result<std::unique_ptr<Server>> Start(const tensh_dist_serve& options, int* bound);
  ~Server();  // cancels the steps in flight, closes every session, frees the port

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tensh::dist
