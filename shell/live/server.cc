#include "shell/live/server.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "shell/live/access.h"
#include "shell/page/texts.h"

namespace tensh::shell::live {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using Error = boost::system::error_code;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr size_t kMaxConnections = 32;
constexpr std::chrono::seconds kIdle{60};
constexpr std::chrono::milliseconds kPause{50};
constexpr uint64_t kMaxBody = 4096, kMaxQuestion = 64 << 10;
// Limits the answers and events that a browser has not received yet.
constexpr size_t kMaxWaiting = 64;

class Socket;
class Connection;

// The state shared by the threads. Never freed, because the server's thread may still run when the
// program ends.
struct State {
  std::mutex mu;
  // Guarded by mu.
  std::shared_ptr<const std::string> snapshot =
      std::make_shared<const std::string>("{\"version\":0,\"state\":{}}");
  std::shared_ptr<const Answer> answer;
  uint64_t version = 0;
  std::string token, cookie;
  uint16_t port = 0;
  bool on = false;
  bool thread = false;
  // Used by the server's thread only.
  std::unique_ptr<tcp::acceptor> acceptor;
  std::set<std::shared_ptr<Socket>> sockets;
  std::vector<Connection*> connections;  // open ones, the oldest first
  asio::io_context io{1};
};
State& Shared() {
  static State* state = new State;
  return *state;
}

std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

// A browser that receives updates. Used by the server's thread only.
class Socket : public std::enable_shared_from_this<Socket> {
 public:
  explicit Socket(tcp::socket socket) : stream_(std::move(socket)) {}

  void Accept(const Request& request) {
    stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    stream_.read_message_max(kMaxQuestion);
    Shared().sockets.insert(shared_from_this());
    stream_.async_accept(request, [self = shared_from_this()](Error error) {
      if (error) return self->Gone();
      self->Newest();
      self->Read();
    });
  }

  // Reports that a newer snapshot exists.
  void Newest() {
    stale_ = true;
    Write();
  }
  void Queue(std::shared_ptr<const std::string> text) {
    if (waiting_.size() >= kMaxWaiting) waiting_.pop_front();
    waiting_.push_back(std::move(text));
    Write();
  }
  void Close() {
    Error ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
  }

 private:
  void Gone() { Shared().sockets.erase(shared_from_this()); }

  void Read() {
    stream_.async_read(buffer_, [self = shared_from_this()](Error error, size_t) {
      if (error) return self->Gone();
      self->Ask(beast::buffers_to_string(self->buffer_.data()));
      self->buffer_.consume(self->buffer_.size());
      self->Read();
    });
  }

  void Ask(const std::string& question) {
    std::shared_ptr<const Answer> answer;
    {
      std::lock_guard lock(Shared().mu);
      answer = Shared().answer;
    }
    std::string text = answer && *answer ? (*answer)(question) : "";
    if (!text.empty()) Queue(std::make_shared<const std::string>(std::move(text)));
  }

  // Sends one message at a time. A pending snapshot goes first, and only the newest one.
  void Write() {
    if (writing_ || !stream_.is_open()) return;
    if (stale_) {
      stale_ = false;
      std::lock_guard lock(Shared().mu);
      sending_ = Shared().snapshot;
    } else if (!waiting_.empty()) {
      sending_ = std::move(waiting_.front());
      waiting_.pop_front();
    } else {
      return;
    }
    writing_ = true;
    stream_.text(true);
    stream_.async_write(asio::buffer(*sending_), [self = shared_from_this()](Error error, size_t) {
      self->writing_ = false;
      self->sending_.reset();
      if (error) return self->Gone();
      self->Write();
    });
  }

  websocket::stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  std::deque<std::shared_ptr<const std::string>> waiting_;
  std::shared_ptr<const std::string> sending_;
  bool stale_ = false, writing_ = false;
};

Response Answered(const Request& request, http::status status, const char* type, std::string body) {
  Response response{status, request.version()};
  const std::string port = std::to_string(Shared().port);
  response.set(http::field::content_type, type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Referrer-Policy", "no-referrer");
  response.set(
      "Content-Security-Policy",
      "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src "
      "'self' ws://127.0.0.1:" +
          port + " ws://localhost:" + port + "; img-src data:; frame-ancestors 'none'");
  response.body() = std::move(body);
  response.keep_alive(request.keep_alive());
  response.prepare_payload();
  return response;
}

Response Refused(const Request& request, const char* why) {
  return Answered(request, http::status::forbidden, "text/plain; charset=utf-8",
                  std::string(why) + "\n");
}

// Handles a link. A valid token is exchanged for the cookie, once. With `still`, the page does not
// receive updates.
Response Enter(const Request& request, std::string_view token, bool still) {
  State& state = Shared();
  if (!Same(token, state.token))
    return Refused(request,
                   "this link was already used, or belongs to another session; type: view");
  state.token.clear();
  Response response = Answered(request, http::status::see_other, "text/plain", "");
  response.set(http::field::location, still ? "/?still=1" : "/");
  response.set(http::field::set_cookie,
               "tensh=" + state.cookie + "; HttpOnly; SameSite=Strict; Path=/");
  return response;
}

// Returns true if the client may open a WebSocket; otherwise sets *response to the refusal.
// Browsers send the origin with every WebSocket, so a request without one does not come from a
// browser.
bool MayFollow(const Request& request, Response* response) {
  if (!request[http::field::origin].empty()) return true;
  *response = Refused(request, "a WebSocket needs an Origin");
  return false;
}

// The result of a request, for its connection.
struct Outcome {
  bool follows = false;   // The connection becomes a WebSocket and gets no response.
  bool is_known = false;  // The request has the cookie.
};

// Handles a request. The caller holds the lock of the state.
Response Handle(const Request& request, Outcome* outcome) {
  State& state = Shared();
  if (!state.on) return Refused(request, "the live page is off; type: view");
  if (request.count(http::field::host) != 1 ||
      !HostIsOurs(View(request[http::field::host]), state.port))
    return Refused(request, "this server only accepts requests for 127.0.0.1");
  if (!OriginIsOurs(View(request[http::field::origin]), state.port))
    return Refused(request, "requests from other pages are refused");
  if (request.method() != http::verb::get)
    return Answered(request, http::status::method_not_allowed, "text/plain", "only GET\n");
  const std::string_view target = View(request.target());
  const std::string_view path = target.substr(0, target.find('?'));
  const std::string_view query = target.substr(path.size());
  if (const std::string_view token = Field(query, "token"); path == "/" && !token.empty())
    return Enter(request, token, !Field(query, "still").empty());
  if (!Same(Field(View(request[http::field::cookie]), "tensh"), state.cookie))
    return Refused(request, "open the link that `view` printed");
  outcome->is_known = true;
  const auto page = [&](const char* type, const std::string& body) {
    return Answered(request, http::status::ok, type, body);
  };
  if (path == "/") return page("text/html; charset=utf-8", TextOfPage("live_page"));
  if (path == "/style.css")
    return page("text/css; charset=utf-8", TextOfPage("style") + TextOfPage("page"));
  for (const char* script : {"drawing", "film", "values", "live"})
    if (path == "/" + std::string(script) + ".js")
      return page("text/javascript; charset=utf-8", TextOfPage(script));
  if (path == "/state")
    return Answered(request, http::status::ok, "application/json", *state.snapshot);
  if (path != "/ws")
    return Answered(request, http::status::not_found, "text/plain", "no such page\n");
  if (!websocket::is_upgrade(request))
    return Answered(request, http::status::upgrade_required, "text/plain", "/ws is a WebSocket\n");
  Response response;
  outcome->follows = MayFollow(request, &response);
  return response;
}

// An HTTP connection, until it ends or becomes a Socket. Used by the server's thread only.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  explicit Connection(tcp::socket socket) : stream_(std::move(socket)) {
    Shared().connections.push_back(this);
  }
  ~Connection() { Leave(); }
  // True after a request with the cookie.
  bool is_known() const { return is_known_; }

  void Read() {
    parser_.emplace();
    parser_->body_limit(kMaxBody);
    stream_.expires_after(kIdle);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](Error error, size_t) {
      if (!error) self->Reply(self->parser_->get());
    });
  }
  // Closes the connection, which no longer counts from now on.
  void Close() {
    Leave();
    Error ignored;
    stream_.socket().close(ignored);
  }

 private:
  void Leave() { std::erase(Shared().connections, this); }

  void Reply(const Request& request) {
    Outcome outcome;
    {
      std::lock_guard lock(Shared().mu);
      response_ = Handle(request, &outcome);
    }
    is_known_ |= outcome.is_known;
    if (outcome.follows) {
      stream_.expires_never();
      return std::make_shared<Socket>(stream_.release_socket())->Accept(request);
    }
    http::async_write(stream_, response_, [self = shared_from_this()](Error error, size_t) {
      if (!error && self->response_.keep_alive()) return self->Read();
      self->stream_.socket().shutdown(tcp::socket::shutdown_both, error);
    });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{16384};
  std::optional<http::request_parser<http::string_body>> parser_;
  Response response_;
  bool is_known_ = false;
};

// Returns true if one more connection can be served. If there are too many, closes the oldest one
// that has not shown the cookie, so that connections which send nothing do not lock out the browser.
bool MakeRoom() {
  State& state = Shared();
  if (state.connections.size() + state.sockets.size() < kMaxConnections) return true;
  const auto stranger = std::find_if(state.connections.begin(), state.connections.end(),
                                     [](const Connection* each) { return !each->is_known(); });
  if (stranger == state.connections.end()) return false;
  (*stranger)->Close();
  return true;
}

void AcceptNext() {
  Shared().acceptor->async_accept([](Error error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    // A connection beyond the limit is closed when the socket is destroyed.
    if (!error && MakeRoom()) std::make_shared<Connection>(std::move(socket))->Read();
    if (error) std::this_thread::sleep_for(kPause);  // There may be no free file descriptors.
    AcceptNext();
  });
}

// Only the main thread handles signals, because a signal must end its blocking reads. Returns the
// error, or "".
std::string StartThread(State& state) {
  if (state.thread) return "";
  const auto serve = [&state] {
    const auto work = asio::make_work_guard(state.io);
    while (true) {
      try {
        state.io.run();
        return;
      } catch (const std::exception&) {
        // A request of one browser failed; the others must not be affected.
      }
    }
  };
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::string error;
  try {
    std::thread(serve).detach();
    state.thread = true;
  } catch (const std::system_error&) {
    error = "no thread can be started (ulimit -u)";
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return error;
}

void ToSockets(const std::function<void(Socket&)>& act) {
  asio::post(Shared().io, [act] {
    const std::set<std::shared_ptr<Socket>> sockets = Shared().sockets;
    for (const auto& socket : sockets) act(*socket);
  });
}

}  // namespace

uint16_t Start(uint16_t port, std::string* error_text) {
  State& state = Shared();
  std::lock_guard lock(state.mu);
  if (state.on) return state.port;
  Error error;
  auto acceptor = std::make_shared<tcp::acceptor>(state.io);
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
  acceptor->open(endpoint.protocol(), error);
  if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    *error_text = error.message();
    return 0;
  }
  *error_text = StartThread(state);
  if (!error_text->empty()) return 0;
  state.port = acceptor->local_endpoint().port();
  state.cookie = Secret();
  state.on = true;
  asio::post(state.io, [&state, acceptor] {
    state.acceptor = std::make_unique<tcp::acceptor>(std::move(*acceptor));
    AcceptNext();
  });
  return state.port;
}

bool On() {
  State& state = Shared();
  std::lock_guard lock(state.mu);
  return state.on;
}

void Stop() {
  State& state = Shared();
  {
    std::lock_guard lock(state.mu);
    if (!state.on) return;
    state.on = false;
    state.token.clear();
    state.cookie.clear();
    state.answer.reset();
  }
  asio::post(state.io, [&state] {
    state.acceptor->close();
    while (!state.connections.empty()) state.connections.back()->Close();
    for (const auto& socket : state.sockets) socket->Close();
  });
}

std::string NewLink() {
  State& state = Shared();
  std::lock_guard lock(state.mu);
  state.token = Secret();
  return "http://127.0.0.1:" + std::to_string(state.port) + "/?token=" + state.token;
}

void Publish(std::string json, Answer answer) {
  State& state = Shared();
  {
    std::lock_guard lock(state.mu);
    ++state.version;
    state.snapshot = std::make_shared<const std::string>(
        "{\"version\":" + std::to_string(state.version) + ",\"state\":" + std::move(json) + "}");
    state.answer = std::make_shared<const Answer>(std::move(answer));
  }
  ToSockets([](Socket& socket) { socket.Newest(); });
}

void Send(std::string json) {
  auto text = std::make_shared<const std::string>("{\"event\":" + std::move(json) + "}");
  ToSockets([text](Socket& socket) { socket.Queue(text); });
}

}  // namespace tensh::shell::live
