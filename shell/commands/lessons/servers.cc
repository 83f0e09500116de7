#include "shell/commands/lessons/servers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "runtime/base/text.h"
#include "shell/python/values/error.h"
#include "shell/python/vm/interp.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr int kTries = 3;  // another process may take a port between its choice and its use
constexpr auto kPatience = std::chrono::seconds(30);

// Binds a socket to a free port, which stays reserved until the socket is closed. Returns the socket
// and the port.
std::pair<int, int> FreePort() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (fd < 0 || ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const int why = errno;
    if (fd >= 0) ::close(fd);
    throw RuntimeError(std::string("the servers of the lesson need a port of 127.0.0.1: ") +
                       std::strerror(why));
  }
  return {fd, ntohs(address.sin_port)};
}

// Replaces this process, which was just forked, by `tensh serve`. Calls only functions that are safe
// while other threads of the parent may have held locks.
[[noreturn]] void BecomeServer(pid_t parent, int output, char* const* arguments) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the shell ended before the call above
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  for (int fd = 3; fd < 256; ++fd) ::close(fd);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int which : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP, SIGWINCH})
    ::signal(which, SIG_DFL);
  ::execv("/proc/self/exe", arguments);
  ::_exit(127);
}

}  // namespace

void LessonServers::StartAll(const std::vector<LessonJob>& jobs, const std::string& folder) {
  StopAll();
  folder_ = folder;
  for (const auto& [job, count] : jobs) {
    for (int index = 0; index < count; ++index) {
      Task& task = tasks_.emplace_back();
      task.job = job;
      task.index = index;
    }
  }
  for (int left = kTries; left > 0; --left) {
    try {
      ChoosePorts();
      for (Task& task : tasks_) Launch(task);
      for (Task& task : tasks_) AwaitReady(task);
      return;
    } catch (const PyError& error) {
      for (Task& task : tasks_) Kill(task);
      if (left > 1 && !error.Is(kKeyboardInterrupt)) continue;
      tasks_.clear();
      throw;
    }
  }
}

void LessonServers::StopAll() {
  for (Task& task : tasks_) Kill(task);
  tasks_.clear();
}

void LessonServers::ChoosePorts() {
  std::vector<int> reserved;
  for (Task& task : tasks_) {
    const auto [fd, port] = FreePort();
    reserved.push_back(fd);
    task.port = port;
  }
  for (const int fd : reserved) ::close(fd);
  cluster_.clear();
  for (const Task& task : tasks_)
    cluster_ += (task.index > 0     ? ","
                 : cluster_.empty() ? task.job + "="
                                    : ";" + task.job + "=") +
                task.address();
}

void LessonServers::Launch(Task& task) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw RuntimeError(std::string("the servers of the lesson need a pipe: ") +
                       std::strerror(errno));
  std::vector<std::string> words = {"tensh", "serve",  "--cluster", cluster_,
                                    "--job", task.job, "--task",    std::to_string(task.index)};
  if (!folder_.empty()) words.insert(words.end(), {"--file-root", folder_});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) BecomeServer(parent, ends[1], arguments.data());
  const int why = errno;
  ::close(ends[1]);
  task.output = ends[0];
  task.process = child;
  if (child < 0) {
    Kill(task);
    throw RuntimeError(std::string("the servers of the lesson need a process: ") +
                       std::strerror(why));
  }
}

void LessonServers::AwaitReady(Task& task) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::string said;
  while (said.find("serving grpc://") == said.npos || said.back() != '\n') {
    pollfd waits{task.output, POLLIN, 0};
    const int ready = ::poll(&waits, 1, 50);
    Interp::Current().CheckInterrupt();
    std::array<char, 512> piece;
    const ssize_t got = ready > 0 ? ::read(task.output, piece.data(), piece.size()) : -1;
    if (got > 0) said.append(piece.data(), static_cast<size_t>(got));
    const bool late = std::chrono::steady_clock::now() > end;
    if (got != 0 && !late) continue;
    throw RuntimeError("the server " + task.name() + " of the lesson did not start: " +
                       (late ? "no answer in 30 s" : VisibleLines(Trim(said))))
        .Hint(
            "tensh serve --port 0 in a terminal shows whether servers work here; learn list "
            "shows lessons without servers");
  }
}

void LessonServers::Kill(Task& task) {
  if (task.process > 0) {
    ::kill(task.process, SIGKILL);
    while (::waitpid(task.process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (task.output >= 0) ::close(task.output);
  task.process = task.output = -1;
}

LessonServers::Task& LessonServers::Find(std::string_view name) {
  for (Task& task : tasks_)
    if (task.name() == name) return task;
  std::vector<std::string> names;
  for (const Task& task : tasks_) names.push_back(task.name());
  throw ValueError(names.empty() ? "this lesson has no servers"
                                 : "no server of this lesson is called '" + std::string(name) +
                                       "', only " + Join(names, ", "))
      .Type("learn servers");
}

void LessonServers::Stop(std::string_view name) { Kill(Find(name)); }

void LessonServers::Start(std::string_view name) {
  Task& task = Find(name);
  if (Runs(name)) return;
  Kill(task);
  Launch(task);
  try {
    AwaitReady(task);
  } catch (const PyError&) {
    Kill(task);
    throw;
  }
}

std::vector<std::pair<std::string, std::string>> LessonServers::Addresses() const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Task& task : tasks_) found.emplace_back(task.name(), task.address());
  return found;
}

bool LessonServers::Runs(std::string_view name) {
  for (Task& task : tasks_) {
    if (task.name() != name || task.process <= 0) continue;
    if (::waitpid(task.process, nullptr, WNOHANG) == 0) return true;
    task.process = -1;  // it ended by itself, and its number may be given to another process
  }
  return false;
}

}  // namespace tensh::shell
