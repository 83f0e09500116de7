#pragma once
// A TensorFlow server: MasterService over sessions in this process. Each call runs on a thread of
// gRPC's; a blocked step keeps its own and no other.
#include <condition_variable>

#include "runtime/dist/handles.h"

namespace tensh::dist {

class Server {
 public:
  // port 0: any free one; *bound is what it became.
  static Result<std::unique_ptr<Server>> Start(const std::string& host, int port, int* bound);
  ~Server();
  void Wait();  // until Stop
  void Stop();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tensh::dist
