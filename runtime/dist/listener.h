#pragma once
// Accepts the connections of a server and hands them on as sockets.
//
// A listening socket of gRPC 1.51 that runs out of descriptors once never accepts a connection again, and gRPC ends the process if
// it cannot open a descriptor for itself. A Listener therefore keeps some descriptors free for files, for other tasks and for gRPC.
// It resets connections beyond that limit, and accepts again as soon as other connections have ended.
//
// Owns its sockets and one thread. Start and the destructor are called by one thread.
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/core/status.h"

struct addrinfo;

namespace tensh::dist {

class Listener {
 public:
  // Listens on all addresses of `host`, which is a name or an address; that of IPv6 may be in brackets. Port 0 chooses a
  // free one. The error says why none of the addresses can be listened on.
  static Result<std::unique_ptr<Listener>> Open(const std::string& host, int port);
  ~Listener();

  int port() const { return port_; }
  // Calls `take` on another thread with each connection, a non-blocking socket that `take` owns.
  void Start(std::function<void(int fd)> take);

 private:
  Listener() = default;
  Status Add(const addrinfo& address);
  void Work(const std::function<void(int fd)>& take);
  bool Accept(int socket, const std::function<void(int fd)>& take);

  int port_ = 0;
  int stop_ = -1;  // an eventfd
  std::vector<int> sockets_;
  std::thread thread_;
};

}  // namespace tensh::dist
