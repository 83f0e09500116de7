#pragma once
// The connections of a server's clients, their calls in flight, and a limit on how many each may
// cancel.
//
// A client that sends requests and cancels them at once (HTTP/2 rapid reset) costs the server much
// more than itself. gRPC 1.51 cannot limit that, so the connection of such a client is closed.
// New connections from its host may then cancel few calls at once, for a while. Others are not affected.
//
// Thread-safe.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

namespace tensh::dist {

class Client {
 public:
  // The first `cancelled` of the calls that it may cancel at once are used up already.
  explicit Client(std::string peer, double cancelled = 0)
      : peer_(std::move(peer)), cancelled_(cancelled) {}
  void CallBegins() { calls_.fetch_add(1, std::memory_order_relaxed); }
  void CallEnds() { calls_.fetch_sub(1, std::memory_order_relaxed); }
  // Returns true if the client has so many calls in flight that none of them may run on a thread of
  // gRPC, where it would delay the calls of all clients.
  bool IsBusy() const {
    constexpr int kFewCalls = 8;
    return calls_.load(std::memory_order_relaxed) > kFewCalls;
  }
  // Counts a cancelled call. Closes the connection if there were too many recently.
  void CallCancelled();

 private:
  using Clock = std::chrono::steady_clock;
  const std::string peer_;
  std::atomic<int> calls_{0};
  std::mutex mu_;
  Clock::time_point counted_ = Clock::now();  // Guarded by mu_.
  double cancelled_;  // Calls, less those that the time since has made up for. Guarded by mu_.
};

// Returns the client with this address, in the form of grpc::ServerContext::peer(). All calls of a
// connection share it, so that its address identifies the connection.
std::shared_ptr<Client> FindClient(const std::string& peer);

}  // namespace tensh::dist
