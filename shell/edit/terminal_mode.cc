#include "shell/edit/terminal_mode.h"

#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "shell/text/write_all.h"

namespace tensh::shell {
namespace {

// Marks the beginning and the end of pasted text; the last text also resets colors and the cursor, and
// clears the rows below, such as those of a suggestion.
constexpr std::string_view kBegin = "\033[?2004h", kEnd = "\033[?2004l";
constexpr std::string_view kRestore = "\033[?2004l\033[0m\033[0 q\r\n\033[J";

// The state of the signal handlers. Written while no handler can run, or atomic.
volatile sig_atomic_t g_raw = 0, g_continued = 0;
int g_fd = -1;
int g_wake[2] = {-1, -1};
termios g_before;

// Uses only functions that a signal handler may call.
void Restore() {
  if (g_raw == 0) return;
  g_raw = 0;
  tcsetattr(g_fd, TCSANOW, &g_before);
  if (::write(STDOUT_FILENO, kRestore.data(), kRestore.size()) < 0) errno = 0;
}

void OnFatal(int signal_number) {
  Restore();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void OnChange(int signal_number) {
  const int saved = errno;
  if (signal_number == SIGCONT) g_continued = 1;
  const char byte = 1;
  if (::write(g_wake[1], &byte, 1) < 0) errno = 0;
  errno = saved;
}

// Stops the process in the previous mode. When it continues, the editor sets its mode again. Another
// process has sent the signal, because Ctrl-Z is a key of the editor.
void OnStop(int signal_number) {
  const int saved = errno;
  tcsetattr(g_fd, TCSANOW, &g_before);
  if (::write(STDOUT_FILENO, kRestore.data(), kRestore.size()) < 0) errno = 0;
  struct sigaction stop {
  }, own{};
  stop.sa_handler = SIG_DFL;
  sigaction(signal_number, &stop, &own);
  raise(signal_number);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);  // Stops here.
  pthread_sigmask(SIG_BLOCK, &only, nullptr);
  sigaction(signal_number, &own, nullptr);
  errno = saved;
  OnChange(SIGCONT);  // A process without a shell that could continue it has not stopped.
}

struct SignalRow {
  int number;
  void (*handler)(int);
  struct sigaction before;
  bool set;
};
SignalRow g_signals[] = {
    {SIGTERM, OnFatal, {}, false},   {SIGHUP, OnFatal, {}, false},
    {SIGQUIT, OnFatal, {}, false},   {SIGABRT, OnFatal, {}, false},
    {SIGSEGV, OnFatal, {}, false},   {SIGBUS, OnFatal, {}, false},
    {SIGFPE, OnFatal, {}, false},    {SIGILL, OnFatal, {}, false},
    {SIGUSR1, OnFatal, {}, false},   {SIGUSR2, OnFatal, {}, false},
    {SIGALRM, OnFatal, {}, false},   {SIGVTALRM, OnFatal, {}, false},
    {SIGPROF, OnFatal, {}, false},   {SIGXCPU, OnFatal, {}, false},
    {SIGXFSZ, OnFatal, {}, false},   {SIGSYS, OnFatal, {}, false},
    {SIGTRAP, OnFatal, {}, false},   {SIGPIPE, OnFatal, {}, false},
    {SIGWINCH, OnChange, {}, false}, {SIGCONT, OnChange, {}, false},
    {SIGTSTP, OnStop, {}, false},
};

// Signals that are ignored or have a handler are left alone.
void SetHandlers() {
  for (SignalRow& row : g_signals) {
    sigaction(row.number, nullptr, &row.before);
    const bool own = (row.before.sa_flags & SA_SIGINFO) == 0 && row.before.sa_handler == SIG_DFL;
    if (!own) continue;
    struct sigaction action {};
    action.sa_handler = row.handler;
    action.sa_flags = SA_RESTART;
    row.set = sigaction(row.number, &action, nullptr) == 0;
  }
}

void ResetHandlers() {
  for (SignalRow& row : g_signals) {
    if (row.set) sigaction(row.number, &row.before, nullptr);
    row.set = false;
  }
}

}  // namespace

TerminalMode::TerminalMode(int fd) : fd_(fd) {
  if (g_wake[0] < 0) {
    if (::pipe2(g_wake, O_CLOEXEC | O_NONBLOCK) == 0) std::atexit(Restore);
  }
  g_continued = 0;
  Enter();
}

TerminalMode::~TerminalMode() { Leave(); }

void TerminalMode::Enter() {
  if (g_raw == 0 && tcgetattr(fd_, &g_before) != 0) return;
  g_fd = fd_;
  termios raw = g_before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR | IXON);
  raw.c_oflag |= OPOST | ONLCR;
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;  // The editor moves the cursor before it stops.
  tcsetattr(fd_, TCSADRAIN, &raw);
  if (g_raw == 0) SetHandlers();
  g_raw = 1;
  on_ = true;
  WriteAll(STDOUT_FILENO, kBegin);
}

void TerminalMode::Leave() {
  if (!on_) return;
  on_ = false;
  WriteAll(STDOUT_FILENO, kEnd);
  g_raw = 0;
  ResetHandlers();
  tcsetattr(fd_, TCSADRAIN, &g_before);
}

void TerminalMode::Suspend() {
  Leave();
  ::kill(0, SIGTSTP);
  Enter();
}

int TerminalMode::wake_fd() { return g_wake[0]; }

void TerminalMode::Wake() {
  const char byte = 1;
  if (::write(g_wake[1], &byte, 1) < 0) errno = 0;  // A full pipe wakes as well.
}

bool TerminalMode::TakeContinued() {
  const bool was = g_continued != 0;
  g_continued = 0;
  return was;
}

}  // namespace tensh::shell
