#include "runtime/dist/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace tensh::dist {
namespace {

constexpr int kBacklog = 4096;  // the system uses at most net.core.somaxconn
constexpr int kPauseMs = 50;    // before accepting again if the system has no descriptors or memory
constexpr int kNice = 5;
constexpr int kMaxReserve = 256;  // descriptors that are kept free, at most an eighth of the limit
constexpr int kReserveDivisor = 8;

// Returns the first descriptor that no connection may have. The system always gives out the lowest free number, so numbers
// from this one on mean that nearly all are in use.
int FirstReserved() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1 << 20;
  const int most = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 30));
  return most - std::min(kMaxReserve, most / kReserveDivisor);
}

// Closes a connection with a reset, so that it leaves nothing behind in the system.
void Refuse(int fd) {
  const linger now{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(fd);
}

void Set(int fd, int level, int option) {
  const int on = 1;
  setsockopt(fd, level, option, &on, sizeof on);
}

int PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

Status ErrnoStatus() {
  const int error = errno;
  return Unavailable(error == EADDRINUSE      ? "the port is in use"
                     : error == EADDRNOTAVAIL ? "the address does not belong to this machine"
                                              : std::strerror(error));
}

}  // namespace

// Listens on one address. If a port was chosen already, on the same one.
Status Listener::Add(const addrinfo& address) {
  const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return ErrnoStatus();
  Set(fd, SOL_SOCKET, SO_REUSEADDR);  // a port whose last connections have just ended
  Set(fd, IPPROTO_TCP, TCP_NODELAY);  // connections inherit it
  if (address.ai_family == AF_INET6) Set(fd, IPPROTO_IPV6, IPV6_V6ONLY);
  sockaddr_storage bound{};
  std::memcpy(&bound, address.ai_addr, address.ai_addrlen);
  const auto port = htons(static_cast<uint16_t>(port_));
  (address.ai_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(bound).sin6_port
                                 : reinterpret_cast<sockaddr_in&>(bound).sin_port) = port;
  if (bind(fd, reinterpret_cast<const sockaddr*>(&bound), address.ai_addrlen) != 0 ||
      listen(fd, kBacklog) != 0) {
    Status status = ErrnoStatus();
    close(fd);
    return status;
  }
  port_ = PortOf(fd);
  sockets_.push_back(fd);
  return {};
}

Result<std::unique_ptr<Listener>> Listener::Open(const std::string& host, int port) {
  if (port > 65535) return InvalidArgument("a port is at most 65535");
  std::unique_ptr<Listener> listener(new Listener);
  listener->port_ = port;
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  const std::string name = bracketed ? host.substr(1, host.size() - 2) : host;
  addrinfo hints{}, *found = nullptr;
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  if (const int error = getaddrinfo(name.c_str(), nullptr, &hints, &found); error != 0)
    return Unavailable(gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  Status first;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next)
    if (const Status status = listener->Add(*a); !status.ok() && first.ok()) first = status;
  if (listener->sockets_.empty()) return first;
  listener->stop_ = eventfd(0, EFD_CLOEXEC);
  if (listener->stop_ < 0) return ErrnoStatus();
  return listener;
}

Listener::~Listener() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    (void)!write(stop_, &one, sizeof one);
    thread_.join();
  }
  for (const int fd : sockets_) close(fd);
  if (stop_ >= 0) close(stop_);
}

void Listener::Start(std::function<void(int fd)> take) {
  thread_ = std::thread([this, take = std::move(take)] { Work(take); });
}

void Listener::Work(const std::function<void(int fd)>& take) {
  // gRPC also reads the first requests of a connection here. Connections that exist already come first.
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  std::vector<pollfd> waits{{stop_, POLLIN, 0}};
  for (const int fd : sockets_) waits.push_back({fd, POLLIN, 0});
  while (true) {
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
    if (waits[0].revents != 0) return;
    bool exhausted = false;
    for (size_t i = 1; i < waits.size(); ++i)
      if (waits[i].revents != 0) exhausted |= !Accept(waits[i].fd, take);
    // The connections wait in the queue of the system meanwhile.
    if (exhausted) poll(waits.data(), 1, kPauseMs);
  }
}

// Accepts the connections that wait. Returns false if the system lacks descriptors or memory for them.
bool Listener::Accept(int socket, const std::function<void(int fd)>& take) {
  for (int accepted = 0; accepted < kBacklog; ++accepted) {
    const int fd = accept4(socket, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
    if (fd >= FirstReserved())
      Refuse(fd);
    else
      take(fd);
  }
  return true;
}

}  // namespace tensh::dist
