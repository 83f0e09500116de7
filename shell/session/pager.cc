#include "shell/session/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "shell/python/vm/threads.h"
#include "shell/text/layout.h"
#include "shell/text/status_line.h"

extern char** environ;

namespace tensh::shell {
namespace {

// Exit codes of sh: 126 and 127 if it cannot run the command, and more than 128 if a signal ended
// the command.
constexpr int kNotFound = 126, kSignals = 128;

// Ignores two signals during its life: SIGPIPE, because a pager may end before the text does, and
// SIGINT, which the terminal sends to the pager too.
class IgnoreSignals {
 public:
  IgnoreSignals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &pipe_);
    sigaction(SIGINT, &ignore, &interrupt_);
  }
  ~IgnoreSignals() {
    sigaction(SIGPIPE, &pipe_, nullptr);
    sigaction(SIGINT, &interrupt_, nullptr);
  }
  IgnoreSignals(const IgnoreSignals&) = delete;

 private:
  struct sigaction pipe_ {
  }, interrupt_{};
};

// The state of the handlers of PassSignals. Written while they are not installed.
termios g_mode;  // of the terminal, before the pager changed it
bool g_is_terminal = false;
volatile pid_t g_pager = -1;

// Restores the mode of the terminal, which a killed pager leaves changed.
class KeepTerminal {
 public:
  KeepTerminal() { g_is_terminal = tcgetattr(STDIN_FILENO, &g_mode) == 0; }
  ~KeepTerminal() { Restore(TCSADRAIN); }
  KeepTerminal(const KeepTerminal&) = delete;
  static void Restore(int when) {
    if (g_is_terminal) tcsetattr(STDIN_FILENO, when, &g_mode);
  }
};

// Lets the default action of a signal happen within its handler.
void ActByDefault(int number) {
  struct sigaction action {
  }, own{};
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, &own);
  raise(number);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  pthread_sigmask(SIG_BLOCK, &only, nullptr);
  sigaction(number, &own, nullptr);
}

void EndPager(int number) {
  ::kill(g_pager, SIGTERM);
  KeepTerminal::Restore(TCSANOW);
  ActByDefault(number);
}

void StopPager(int number) {
  const int saved = errno;
  ::kill(g_pager, number);  // it restores the terminal before it stops
  ActByDefault(number);
  ::kill(g_pager, SIGCONT);
  errno = saved;
}

// Ends or stops the pager together with this process, so that it does not read the terminal beside the
// shell that started both. Signals that are ignored or have a handler are left alone.
class PassSignals {
 public:
  explicit PassSignals(pid_t pager) {
    g_pager = pager;
    for (Row& row : rows_) {
      sigaction(row.number, nullptr, &row.before);
      if ((row.before.sa_flags & SA_SIGINFO) != 0 || row.before.sa_handler != SIG_DFL) continue;
      struct sigaction action {};
      action.sa_handler = row.number == SIGTSTP ? StopPager : EndPager;
      action.sa_flags = SA_RESTART;
      row.set = sigaction(row.number, &action, nullptr) == 0;
    }
  }
  ~PassSignals() {
    for (Row& row : rows_)
      if (row.set) sigaction(row.number, &row.before, nullptr);
  }
  PassSignals(const PassSignals&) = delete;

 private:
  struct Row {
    int number;
    struct sigaction before {};
    bool set = false;
  };
  Row rows_[6] = {{SIGTERM}, {SIGHUP}, {SIGQUIT}, {SIGUSR1}, {SIGUSR2}, {SIGTSTP}};
};

bool InPath(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (true) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string file = std::string(rest.substr(0, end)) + "/" + program;
    if (end > 0 && ::access(file.c_str(), X_OK) == 0) return true;
    if (end == rest.size()) return false;
    rest.remove_prefix(end + 1);
  }
}

// Returns the command for a setting, or "" if there is no pager.
std::string CommandFor(const std::string& setting) {
  if (setting == "off" || setting.empty()) return "";
  std::string command = setting;
  if (setting == "on") {
    const char* pager = std::getenv("PAGER");
    command = pager != nullptr ? pager : InPath("less") ? "less" : "";
  }
  return command == "cat" ? "" : command;
}

// Returns true if a command consists only of words, so that `exec` may precede it.
bool IsSimple(const std::string& command) {
  return std::all_of(command.begin(), command.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr(" _./+-,:", c) != nullptr;
  });
}

// Starts `sh -c COMMAND` with `input` as its standard input. Returns its process or -1. A simple command
// replaces the shell, so that signals reach it.
pid_t Start(const std::string& command, int input) {
  // Options of less: F ends it if the text fits on the screen, R shows colors, and X leaves the
  // text on the screen.
  std::string less = "LESS=FRX";
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  if (std::getenv("LESS") == nullptr) environment.push_back(less.data());
  environment.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&how, &defaults);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
  std::string shell = "sh", option = "-c", text = (IsSimple(command) ? "exec " : "") + command;
  char* const arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = -1;
  const int error = posix_spawn(&child, "/bin/sh", &files, &how, arguments, environment.data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? child : -1;
}

void WriteTo(int pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(pipe, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the pager has ended
    text.remove_prefix(static_cast<size_t>(n));
  }
}

bool Run(const std::string& command, std::string_view text) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  const KeepTerminal terminal;
  const status_line::Held held;
  const IgnoreSignals ignore;
  const pid_t child = Start(command, ends[0]);
  ::close(ends[0]);
  if (child < 0) return ::close(ends[1]), false;
  const PassSignals pass(child);
  const threads::Unlocked unlocked;  // the program's threads continue meanwhile
  WriteTo(ends[1], text);
  ::close(ends[1]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool killed = !WIFEXITED(status) || WEXITSTATUS(status) > kSignals;
  if (killed) WriteTo(STDOUT_FILENO, "\r\n");  // its last line may be incomplete
  return killed || WEXITSTATUS(status) < kNotFound;
}

}  // namespace

size_t LinesOnScreen(std::string_view text, size_t columns) {
  size_t lines = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string line;
    for (size_t at = 0; at < end; ++at) {
      if (text[at] == '\033' && at + 1 < end && text[at + 1] == '[') {  // up to a letter
        at += 2;
        while (at < end && (text[at] < '@' || text[at] > '~')) ++at;
      } else {
        line += text[at];
      }
    }
    const size_t width = TextWidth(line);
    lines += columns == 0 || width == 0 ? 1 : (width + columns - 1) / columns;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

size_t ScreenRows() {
  winsize size{};
  const bool known = isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known ? size.ws_row : 0;
}

bool ShowInPager(std::string_view text, const std::string& setting) {
  winsize size{};
  const char* term = std::getenv("TERM");
  if (term == nullptr || *term == '\0' || std::string_view(term) == "dumb") return false;
  if (isatty(STDIN_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2)
    return false;
  // The prompt takes one line.
  if (LinesOnScreen(text, size.ws_col) < size.ws_row) return false;
  const std::string command = CommandFor(setting);
  return !command.empty() && Run(command, text);
}

}  // namespace tensh::shell
