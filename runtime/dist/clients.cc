#include "runtime/dist/clients.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "runtime/base/text.h"
#include "runtime/dist/threads.h"

namespace tensh::dist {
namespace {

// A connection may cancel this many calls at once, and this many each second in the long run.
constexpr double kCancelledAtOnce = 2000, kCancelledPerSecond = 500;
// The same for the new connections of a host, for some seconds after one of its connections was closed.
constexpr double kCancelledByHost = 200;
constexpr std::chrono::seconds kRemembered{10};
constexpr size_t kForgetAbove = 1024;  // Clients that are known before unused ones are dropped.

// Returns the address of the other end of a socket in the form of grpc::ServerContext::peer(), or ""
// if the descriptor is not a connection over TCP.
std::string PeerOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return "ipv4:" + std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
  }
  if (address.ss_family != AF_INET6) return "";
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  const std::string port = std::to_string(ntohs(v6.sin6_port));
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text, sizeof text);
    return "ipv4:" + std::string(text) + ":" + port;
  }
  inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  return "ipv6:%5B" + std::string(text) + "%5D:" + port;
}

// Resets the connection of this descriptor if it is the one to the peer. The requests that were
// received and not yet read are discarded.
void Reset(int fd, const std::string& peer) {
  if (PeerOf(fd) != peer) return;
  // A copy of the descriptor stays the same connection if gRPC closes or reuses the original.
  const int copy = dup(fd);
  if (copy < 0) return;
  if (PeerOf(copy) == peer) {
    sockaddr none{};
    none.sa_family = AF_UNSPEC;
    (void)connect(copy, &none, sizeof none);  // Dissolves the connection.
  }
  close(copy);
}

// Resets the connection to this peer. gRPC 1.51 has no call for that, so this looks for its socket
// among the descriptors that are open. Trying all numbers would take long, because the limit of
// descriptors is a million.
void Disconnect(const std::string& peer) {
  DIR* const list = opendir("/proc/self/fd");
  if (!list) return;
  while (const dirent* entry = readdir(list))
    if (IsAsciiDigit(entry->d_name[0])) Reset(std::atoi(entry->d_name), peer);
  closedir(list);
}

// The clients that are known, and the hosts whose connections were closed lately. Thread-safe.
class Clients {
 public:
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<Client> Find(const std::string& peer) {
    std::lock_guard lock(mu_);
    std::shared_ptr<Client>& client = known_[peer];
    if (client) return client;
    const auto closed = closed_.find(HostOf(peer));
    const bool restricted = closed != closed_.end() && Clock::now() - closed->second < kRemembered;
    client = std::make_shared<Client>(peer, restricted ? kCancelledAtOnce - kCancelledByHost : 0);
    std::shared_ptr<Client> made = client;
    if (known_.size() >= forget_at_) {
      std::erase_if(known_, [](const auto& entry) { return entry.second.use_count() == 1; });
      forget_at_ = std::max(kForgetAbove, 2 * known_.size());
    }
    return made;
  }

  void NoteClosed(const std::string& peer) {
    std::lock_guard lock(mu_);
    const auto now = Clock::now();
    if (closed_.size() >= kForgetAbove)
      std::erase_if(closed_, [&](const auto& entry) { return now - entry.second >= kRemembered; });
    if (closed_.size() < kForgetAbove) closed_[HostOf(peer)] = now;
  }

 private:
  static std::string HostOf(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

  std::mutex mu_;
  std::unordered_map<std::string, std::shared_ptr<Client>> known_;  // by peer
  size_t forget_at_ = kForgetAbove;
  std::unordered_map<std::string, Clock::time_point> closed_;  // by host
};
Clients& AllClients() {
  static auto* clients = new Clients;  // Never destroyed.
  return *clients;
}

}  // namespace

void Client::CallCancelled() {
  {
    std::lock_guard lock(mu_);
    const auto now = Clock::now();
    const std::chrono::duration<double> passed = now - counted_;
    counted_ = now;
    cancelled_ = std::max(cancelled_ - passed.count() * kCancelledPerSecond, 0.) + 1;
    if (cancelled_ <= kCancelledAtOnce) return;
    cancelled_ = 0;
  }
  AllClients().NoteClosed(peer_);
  RunOnThread([peer = peer_] { Disconnect(peer); });
}

std::shared_ptr<Client> FindClient(const std::string& peer) { return AllClients().Find(peer); }

}  // namespace tensh::dist
