#include "shell/live/server.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>
#include <string_view>
#include <thread>

namespace tensh::shell::live {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr int kMaxConnections = 32;
constexpr int kIdleSeconds = 60;
constexpr std::chrono::seconds kLongPoll{20};
constexpr uint64_t kMaxBody = 4096;

// What the threads share. It is never freed: they may still be there when the program ends.
struct State {
  std::mutex mu;
  std::condition_variable changed;
  std::string snapshot = "{}";
  uint64_t version = 0;
  std::string token, cookie;
  uint16_t port = 0;
  bool on = false;
  std::atomic<int> connections{0};
  asio::io_context io;
  std::unique_ptr<tcp::acceptor> acceptor;
};
State& Shared() {
  static State* state = new State;
  return *state;
}

std::string Secret() {
  std::random_device random;
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 8; ++i) {
    uint32_t bits = random();
    for (int k = 0; k < 8; ++k, bits >>= 4) out += kHex[bits & 15];
  }
  return out;
}

// As long for a wrong guess as for the right one.
bool Same(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return false;
  unsigned differ = 0;
  for (size_t i = 0; i < a.size(); ++i) differ |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return differ == 0;
}

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

// "name=value" out of "a=b; name=value" or "?a=b&name=value".
std::string_view Field(std::string_view text, std::string_view name) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(";&", at), text.size());
    std::string_view part = text.substr(at, end - at);
    while (!part.empty() && (part[0] == ' ' || part[0] == '?')) part.remove_prefix(1);
    if (part.substr(0, name.size()) == name && part.size() > name.size() && part[name.size()] == '=')
      return part.substr(name.size() + 1);
    at = end + 1;
  }
  return {};
}

Response Answer(const Request& request, http::status status, const char* type, std::string body) {
  Response response{status, request.version()};
  response.set(http::field::content_type, type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Referrer-Policy", "no-referrer");
  response.set("Content-Security-Policy",
               "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src data:; "
               "frame-ancestors 'none'");
  response.body() = std::move(body);
  response.keep_alive(request.keep_alive());
  response.prepare_payload();
  return response;
}

Response Refused(const Request& request, const char* why) {
  return Answer(request, http::status::forbidden, "text/plain; charset=utf-8", std::string(why) + "\n");
}

bool HostIsOurs(const Request& request, uint16_t port) {
  const std::string at = ":" + std::to_string(port);
  const std::string_view host = View(request[http::field::host]);
  return host == "127.0.0.1" + at || host == "localhost" + at;
}

bool OriginIsOurs(const Request& request, uint16_t port) {
  const std::string_view origin = View(request[http::field::origin]);
  const std::string at = ":" + std::to_string(port);
  return origin.empty() || origin == "http://127.0.0.1" + at || origin == "http://localhost" + at;
}

// The last snapshot; with since=N only once there is a newer one, or after a while.
Response Snapshot(const Request& request, std::string_view query) {
  State& state = Shared();
  uint64_t since = UINT64_MAX;
  const std::string_view text = Field(query, "since");
  const bool waits = std::from_chars(text.data(), text.data() + text.size(), since).ec == std::errc() && !text.empty();
  std::unique_lock lock(state.mu);
  if (waits) state.changed.wait_for(lock, kLongPoll, [&] { return state.version > since || !state.on; });
  std::string body = "{\"version\":" + std::to_string(state.version) + ",\"state\":" + state.snapshot + "}";
  lock.unlock();
  return Answer(request, http::status::ok, "application/json", std::move(body));
}

// A good token buys the cookie, once. A page that is asked to be still does not follow.
Response Enter(const Request& request, std::string_view token, bool still) {
  State& state = Shared();
  std::lock_guard lock(state.mu);
  if (!Same(token, state.token)) return Refused(request, "this link was used, or is not of this session; type: view");
  state.token.clear();
  Response response = Answer(request, http::status::see_other, "text/plain", "");
  response.set(http::field::location, still ? "/?still=1" : "/");
  response.set(http::field::set_cookie, "tensh=" + state.cookie + "; HttpOnly; SameSite=Strict; Path=/");
  return response;
}

Response Handle(const Request& request) {
  State& state = Shared();
  std::string cookie;
  uint16_t port = 0;
  {
    std::lock_guard lock(state.mu);
    cookie = state.cookie, port = state.port;
  }
  if (!HostIsOurs(request, port)) return Refused(request, "this server answers to 127.0.0.1 only");
  if (!OriginIsOurs(request, port)) return Refused(request, "another page may not look in here");
  if (request.method() != http::verb::get)
    return Answer(request, http::status::method_not_allowed, "text/plain", "only GET\n");
  const std::string_view target = View(request.target());
  const std::string_view path = target.substr(0, target.find('?'));
  const std::string_view query = target.substr(path.size());
  if (const std::string_view token = Field(query, "token"); path == "/" && !token.empty())
    return Enter(request, token, !Field(query, "still").empty());
  if (!Same(Field(View(request[http::field::cookie]), "tensh"), cookie))
    return Refused(request, "open the link that `view` printed");
  if (path == "/") return Answer(request, http::status::ok, "text/html; charset=utf-8", kPage);
  if (path == "/live.js") return Answer(request, http::status::ok, "text/javascript; charset=utf-8", kScript);
  if (path == "/state") return Snapshot(request, query);
  return Answer(request, http::status::not_found, "text/plain", "no such page\n");
}

void Serve(tcp::socket socket) {
  const timeval idle{kIdleSeconds, 0};
  setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof idle);
  setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &idle, sizeof idle);
  boost::beast::flat_buffer buffer(16384);
  boost::system::error_code error;
  while (!error) {
    http::request_parser<http::string_body> parser;
    parser.body_limit(kMaxBody);
    http::read(socket, buffer, parser, error);
    if (error) break;
    const Response response = Handle(parser.get());
    http::write(socket, response, error);
    if (!response.keep_alive()) break;
  }
  socket.shutdown(tcp::socket::shutdown_both, error);
  --Shared().connections;
}

void AcceptLoop(tcp::acceptor& acceptor) {
  while (true) {
    boost::system::error_code error;
    tcp::socket socket = acceptor.accept(error);
    if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor || !On()) return;
    if (error) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      continue;
    }
    if (++Shared().connections > kMaxConnections) {
      --Shared().connections;
      continue;  // closed as it goes
    }
    std::thread(Serve, std::move(socket)).detach();
  }
}

}  // namespace

uint16_t Start(uint16_t port, std::string* error_text) {
  State& state = Shared();
  if (On()) return state.port;
  boost::system::error_code error;
  auto acceptor = std::make_unique<tcp::acceptor>(state.io);
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
  acceptor->open(endpoint.protocol(), error);
  if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    *error_text = error.message();
    return 0;
  }
  {
    std::lock_guard lock(state.mu);
    state.port = acceptor->local_endpoint().port();
    state.cookie = Secret();
    state.on = true;
    state.acceptor = std::move(acceptor);
  }
  // Signals are the main thread's: its reads have to end with them.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread([&state] { AcceptLoop(*state.acceptor); }).detach();
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return state.port;
}

bool On() {
  State& state = Shared();
  std::lock_guard lock(state.mu);
  return state.on;
}

// The acceptor stays, as its thread may be using it: it is told to go, and refuses who comes.
void Stop() {
  State& state = Shared();
  std::lock_guard lock(state.mu);
  if (!state.on) return;
  state.on = false;
  state.token.clear();
  state.cookie.clear();
  ::shutdown(state.acceptor->native_handle(), SHUT_RDWR);
  (void)state.acceptor.release();
  state.changed.notify_all();
}

std::string NewLink() {
  State& state = Shared();
  std::lock_guard lock(state.mu);
  state.token = Secret();
  return "http://127.0.0.1:" + std::to_string(state.port) + "/?token=" + state.token;
}

void Publish(std::string json) {
  State& state = Shared();
  std::lock_guard lock(state.mu);
  state.snapshot = std::move(json);
  ++state.version;
  state.changed.notify_all();
}

}  // namespace tensh::shell::live
