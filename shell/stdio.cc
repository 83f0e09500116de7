#include "shell/stdio.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/base/text.h"
#include "shell/client/client.h"
#include "shell/commands/typing/complete.h"
#include "shell/python/values/containers.h"
#include "shell/python/vm/threads.h"
#include "shell/repl.h"
#include "shell/session/display.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr int kProtocol = 1;
constexpr size_t kMaxRequest = size_t{1} << 28;  // bytes of a line
constexpr size_t kChunk = 1 << 16;               // bytes that are read at once
constexpr std::array<const char*, 2> kStreams = {"stdout", "stderr"};

// The descriptors of the protocol, and the reading ends of the pipes that replace standard output and
// standard error. Set once, before any thread exists.
int g_requests = -1, g_replies = -1;
std::array<int, 2> g_pipes = {-1, -1};

// Returns the number of bytes at the end of the text that begin a character of UTF-8 without
// completing it.
size_t CutCharacter(std::string_view text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    const size_t size = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return size > back ? back : 0;
  }
  return 0;
}

std::string Field(std::string_view name, std::string_view text) {
  return ",\"" + std::string(name) + "\":" + JsonQuote(text);
}

// Writes replies and events, each as a line. Thread-safe.
class Replies {
 public:
  // Sets the request to which later events belong, as JSON.
  void SetRequest(std::string id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    id_ = std::move(id);
  }
  // Writes everything in the pipes as events. A character that a chunk cut stays until its end has
  // arrived, unless `all` is set.
  void Drain(bool all) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t s = 0; s < g_pipes.size(); ++s) DrainStream(s, all);
  }
  // `fields` is JSON that begins with a comma.
  void Event(const char* event, const std::string& fields) {
    Drain(true);
    const std::lock_guard<std::mutex> lock(mutex_);
    WriteEvent(event, fields);
  }
  void Reply(const std::string& id, const char* done, const std::string& fields = "") {
    const std::lock_guard<std::mutex> lock(mutex_);
    WriteLine("{\"id\":" + id + ",\"done\":\"" + done + "\"" + fields + "}\n");
  }
  void Refuse(const std::string& id, const std::string& message) {
    Reply(id, "refused", Field("message", message));
  }
  void Greet() {
    const std::lock_guard<std::mutex> lock(mutex_);
    WriteLine("{\"protocol\":" + std::to_string(kProtocol) + Field("tensh", tsh_version()) + "}\n");
  }

 private:
  void DrainStream(size_t s, bool all) {
    std::string& rest = cut_[s];
    std::array<char, kChunk> chunk{};
    while (true) {
      const ssize_t n = ::read(g_pipes[s], chunk.data(), chunk.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      std::string text =
          std::exchange(rest, "") + std::string(chunk.data(), static_cast<size_t>(n));
      const size_t cut = CutCharacter(text);
      rest = text.substr(text.size() - cut);
      text.resize(text.size() - cut);
      if (!text.empty()) WriteEvent(kStreams[s], Field("text", text));
    }
    if (all && !rest.empty()) WriteEvent(kStreams[s], Field("text", std::exchange(rest, "")));
  }
  void WriteEvent(const char* event, const std::string& fields) {
    WriteLine("{\"id\":" + id_ + ",\"event\":\"" + event + "\"" + fields + "}\n");
  }
  // If the client no longer reads, SIGPIPE ends the process.
  static void WriteLine(std::string_view line) {
    while (!line.empty()) {
      const ssize_t n = ::write(g_replies, line.data(), line.size());
      if (n < 0 && errno != EINTR) return;
      line.remove_prefix(n < 0 ? 0 : static_cast<size_t>(n));
    }
  }

  std::mutex mutex_;
  std::string id_ = "null";
  std::array<std::string, 2> cut_;
};

// A request that was read. `json` is null if the line is not a JSON object.
struct Request {
  Json json;
  std::string id = "null";
};

// The requests that wait, and the threads that read them and the output. The threads are detached:
// they use this object, which is never destroyed, until the process ends.
class Requests {
 public:
  explicit Requests(Replies& replies) : replies_(replies) {}

  // Starts the threads. Returns false if the system refuses. They block all signals, so that
  // handlers run in the main thread.
  bool Start() {
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started = true;
    try {
      std::thread([this] { ReadRequests(); }).detach();
      std::thread([this] { ReadOutput(); }).detach();
    } catch (const std::system_error&) {
      started = false;
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    return started;
  }

  // Waits for the next request. Returns nullopt after the last one.
  std::optional<Request> Next() {
    std::unique_lock<std::mutex> lock(mutex_);
    ready_.wait(lock, [this] { return ended_ || !queue_.empty(); });
    if (queue_.empty()) return std::nullopt;
    Request first = std::move(queue_.front());
    queue_.pop_front();
    return first;
  }

  // Tells that a cell runs, which an interrupt then ends.
  void set_running(bool running) { running_ = running; }

 private:
  void ReadRequests() {
    std::string text;
    std::string chunk(kChunk, '\0');
    size_t searched = 0;
    while (true) {
      const ssize_t n = ::read(g_requests, chunk.data(), chunk.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      text.append(chunk, 0, static_cast<size_t>(n));
      size_t begin = 0;
      for (size_t end; (end = text.find('\n', std::max(begin, searched))) != text.npos;
           begin = end + 1)
        Take(std::string_view(text).substr(begin, end - begin));
      text.erase(0, begin);
      searched = text.size();
      if (text.size() <= kMaxRequest) continue;
      replies_.Refuse("null", "a line has more than " + std::to_string(kMaxRequest) + " bytes");
      text.clear();
      break;
    }
    Take(text);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    ready_.notify_one();
    AwaitHangup();
  }

  // A client that has closed its end may still read the replies. If it no longer does, there is
  // nobody for whom a cell could run. Never returns.
  void AwaitHangup() {
    pollfd out{.fd = g_replies, .events = 0, .revents = 0};
    while (::poll(&out, 1, -1) < 0 && errno == EINTR) {
    }
    // A cell that was read may not have begun yet.
    constexpr std::chrono::milliseconds kRetry{300};
    for (;; std::this_thread::sleep_for(kRetry))
      if (running_) ::kill(::getpid(), SIGINT);
  }

  void Take(std::string_view line) {
    if (Trim(line).empty()) return;
    Request request{.json = Json::Parse(line)};
    const Json& id = request.json["id"];
    if (id.is_string() || id.kind() == Json::Kind::kInt) request.id = id.Dump();
    if (request.json["do"].as_string() == "interrupt") {
      const bool running = running_;
      if (running) ::kill(::getpid(), SIGINT);
      return replies_.Reply(request.id, "ok", running ? ",\"running\":true" : ",\"running\":false");
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      queue_.push_back(std::move(request));
    }
    ready_.notify_one();
  }

  void ReadOutput() {
    while (true) {
      std::array<pollfd, 2> in{{{g_pipes[0], POLLIN, 0}, {g_pipes[1], POLLIN, 0}}};
      if (::poll(in.data(), in.size(), -1) > 0) replies_.Drain(false);
    }
  }

  Replies& replies_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Request> queue_;
  bool ended_ = false;
  std::atomic<bool> running_{false};
};

// Answers the requests, one after another.
class Server : public Display {
 public:
  Server(Shell& shell, Replies& replies, Requests& requests)
      : shell_(shell), replies_(replies), requests_(requests) {
    Display::SetCurrent(this);
  }
  ~Server() override { Display::SetCurrent(nullptr); }

  int Run() {
    replies_.Greet();
    while (true) {
      std::optional<Request> request;
      {
        const threads::Unlocked unlocked;  // the program's threads continue meanwhile
        request = requests_.Next();
      }
      int code = kExitOk;
      if (!request || Answer(*request, &code)) return code;
    }
  }

  void Show(const Shown& shown) override { Send("display", shown); }
  void ShowResult(const Shown& shown) override { Send("result", shown); }
  void ShowError(const std::string& name, const std::string& message,
                 std::string_view text) override {
    error_ = ",\"error\":{\"name\":" + JsonQuote(name) + Field("message", message) +
             Field("text", text) + "}";
  }

 private:
  void Send(const char* event, const Shown& shown) {
    shell_.interp().Flush();
    std::string data;
    if (!shown.text.empty()) data = Field("text/plain", shown.text);
    if (!shown.data.empty() && *shown.mime != '\0') data += Field(shown.mime, shown.data);
    if (!data.empty()) data.erase(0, 1);
    replies_.Event(event, ",\"data\":{" + data + "}");
  }

  // Returns true if the process should end.
  bool Answer(const Request& request, int* code) {
    const std::string& what = request.json["do"].as_string();
    if (what == "execute") return Execute(request, code);
    if (what == "complete") {
      CompleteAt(request);
    } else if (what == "inspect") {
      Inspect(request);
    } else if (what == "is_complete") {
      IsComplete(request);
    } else if (what == "quit") {
      replies_.Reply(request.id, "ok");
      return true;
    } else {
      replies_.Refuse(request.id, what.empty() ? "a request is a JSON object with the field \"do\""
                                               : "no request \"" + what +
                                                     "\"; there are execute, complete, inspect, "
                                                     "is_complete, interrupt and quit");
    }
    return false;
  }

  bool Execute(const Request& request, int* code) {
    const Json& text = request.json["code"];
    if (!text.is_string()) return replies_.Refuse(request.id, "execute needs \"code\""), false;
    replies_.SetRequest(request.id);
    error_.clear();
    const auto began = std::chrono::steady_clock::now();
    Outcome outcome = Outcome::kGoOn;
    if (!Trim(text.as_string()).empty()) outcome = RunAll(text.as_string(), code);
    shell_.interp().Flush();
    replies_.Drain(true);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
    std::string fields = ",\"cell\":" + std::to_string(cell_);
    fields += ",\"seconds\":" + std::to_string(spent.count()) + error_;
    if (outcome == Outcome::kExit) fields += ",\"code\":" + std::to_string(*code);
    replies_.Reply(request.id, DoneText(outcome, *code), fields);
    replies_.SetRequest("null");
    return outcome == Outcome::kExit;
  }

  static const char* DoneText(Outcome outcome, int code) {
    if (outcome == Outcome::kExit) return "exit";
    if (outcome == Outcome::kGoOn) return "ok";
    return code == kExitInterrupted ? "interrupted" : "error";
  }

  // Runs a cell, and those that its verbs queue.
  Outcome RunAll(std::string text, int* code) {
    while (true) {
      ++cell_;
      shell_.interp().ClearInterrupt();
      requests_.set_running(true);
      const Outcome outcome = RunCell(shell_, cells_, cell_, text, code);
      requests_.set_running(false);
      if (outcome != Outcome::kGoOn || shell_.next_cells().empty()) return outcome;
      text = shell_.next_cells().front();
      shell_.next_cells().erase(shell_.next_cells().begin());
    }
  }

  // Returns the byte offset of the character with the number `cursor`.
  static size_t Offset(std::string_view text, int64_t cursor) {
    size_t at = 0;
    for (int64_t c = 0; c < cursor && at < text.size(); ++c)
      for (++at; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;) ++at;
    return at;
  }
  static int64_t Characters(std::string_view text) {
    return std::count_if(text.begin(), text.end(),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  }

  void CompleteAt(const Request& request) {
    const std::string& text = request.json["code"].as_string();
    const size_t cursor = Offset(text, request.json["cursor"].as_int(INT64_MAX));
    Completion found;
    try {
      found = Complete(shell_, std::string_view(text).substr(0, cursor));
    } catch (const PyError&) {  // Ctrl-C
    }
    std::string names;
    for (const std::string& name : found.candidates)
      names += (names.empty() ? "" : ",") + JsonQuote(name);
    const size_t from = found.candidates.empty() ? cursor : found.from;
    replies_.Reply(request.id, "ok",
                   ",\"from\":" + std::to_string(Characters(text.substr(0, from))) +
                       ",\"to\":" + std::to_string(Characters(text.substr(0, cursor))) +
                       ",\"candidates\":[" + names + "]");
  }

  // Returns the dotted name around the cursor, or otherwise the name in front of the open bracket
  // around it.
  static std::string_view NameAt(std::string_view text, size_t cursor) {
    const auto part = [](char c) {
      return c == '_' || c == '.' || std::isalnum(static_cast<unsigned char>(c)) != 0 ||
             static_cast<unsigned char>(c) >= 0x80;
    };
    size_t end = cursor;
    while (end < text.size() && part(text[end]) && text[end] != '.') ++end;
    size_t begin = cursor;
    while (begin > 0 && part(text[begin - 1])) --begin;
    if (begin < end) return text.substr(begin, end - begin);
    int depth = 0;
    for (size_t at = cursor; at > 0; --at) {
      if (text[at - 1] == ')') ++depth;
      if (text[at - 1] == '(' && depth-- == 0) return at > 1 ? NameAt(text, at - 1) : "";
    }
    return {};
  }

  // Returns the text of `help NAME`, or "" if there is no such name.
  std::string HelpText(std::string_view name) {
    const Command* help = shell_.commands().Find("help");
    std::string text;
    try {
      text = shell_.out().Capture([&] {
        CommandCall call(shell_, *help, name);
        help->run(call);
      });
    } catch (const PyError&) {
    }
    return text;
  }

  void Inspect(const Request& request) {
    const std::string& code = request.json["code"].as_string();
    const size_t cursor = Offset(code, request.json["cursor"].as_int(INT64_MAX));
    std::string_view name = NameAt(code, cursor);
    while (name.ends_with('.')) name.remove_suffix(1);
    const bool plain =
        !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 && name[0] != '.';
    const std::string text = plain ? HelpText(name) : "";
    replies_.Reply(request.id, "ok",
                   (text.empty() ? ",\"found\":false" : ",\"found\":true") + Field("text", text));
  }

  void IsComplete(const Request& request) {
    const std::string& code = request.json["code"].as_string();
    const Completeness state = shell_.interp().Check(code);
    replies_.Reply(request.id, "ok",
                   Field("state", state == Completeness::kComplete     ? "complete"
                                  : state == Completeness::kIncomplete ? "incomplete"
                                                                       : "invalid"));
  }

  Shell& shell_;
  Replies& replies_;
  Requests& requests_;
  Value cells_ = MakeList({});
  int cell_ = 0;
  std::string error_;  // of the cell that runs: a field of its reply, or ""
};

}  // namespace

bool TakeStandardStreams() {
  g_requests = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  g_replies = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (g_requests < 0 || g_replies < 0 || null < 0 || ::dup2(null, STDIN_FILENO) < 0) return false;
  ::close(null);
  for (size_t s = 0; s < g_pipes.size(); ++s) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return false;
    if (::dup2(ends[1], STDOUT_FILENO + static_cast<int>(s)) < 0) return false;
    ::close(ends[1]);
    g_pipes[s] = ends[0];
  }
  return true;
}

int ServeStdio(Shell& shell) {
  // The threads may use these until the process ends.
  static auto& replies = *new Replies;
  static auto& requests = *new Requests(replies);
  shell.out().set_pages(false);
  if (!requests.Start()) {
    replies.Refuse("null", "the system does not allow another thread");
    return kExitFile;
  }
  const int code = Server(shell, replies, requests).Run();
  shell.interp().Flush();
  replies.Drain(true);
  return code;
}

}  // namespace tensh::shell
