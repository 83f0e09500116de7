#include "shell/python_bridge/module/interrupts.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <system_error>
#include <thread>

namespace tensh::shell::module {
namespace {

int g_wake[2] = {-1, -1};
struct sigaction g_python {};  // CPython's action
pthread_t g_main;              // the thread that imported the module
std::mutex g_running_mutex;
tsh_session* g_running = nullptr;  // the session of the main thread's step
std::atomic<bool (*)(bool)> g_also{nullptr};
bool g_cancelled = false;  // an interrupt arrived during that step

void OnInterrupt(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  const char byte = 1;
  if (g_wake[1] >= 0 && ::write(g_wake[1], &byte, 1) < 0) errno = 0;
  if ((g_python.sa_flags & SA_SIGINFO) != 0) {
    g_python.sa_sigaction(number, info, context);
  } else if (g_python.sa_handler != SIG_DFL && g_python.sa_handler != SIG_IGN) {
    g_python.sa_handler(number);
  }
  errno = saved;
}

// Cancels the main thread's step for every byte in the pipe. The step may be just about to begin, so
// the call is repeated until it has ended.
void CancelSteps() {
  constexpr std::chrono::milliseconds kRetry{20};
  char byte = 0;
  while (true) {
    const ssize_t n = ::read(g_wake[0], &byte, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    if (bool (*also)(bool) = g_also; also != nullptr)
      for (bool again = false; also(again); again = true) std::this_thread::sleep_for(kRetry);
    bool running = true;
    for (bool first = true; running; first = false) {
      {
        const std::lock_guard<std::mutex> lock(g_running_mutex);
        if (first) g_cancelled = g_running != nullptr;
        running = g_running != nullptr && g_cancelled;
        if (running) tsh_session_cancel(g_running);
      }
      if (running) std::this_thread::sleep_for(kRetry);
    }
  }
}

bool StartThread() {
  if (::pipe2(g_wake, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  ::fcntl(g_wake[0], F_SETFL, 0);
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool started = true;
  try {
    std::thread(CancelSteps).detach();
  } catch (const std::system_error&) {
    started = false;  // Ctrl-C then takes effect after the step
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return started;
}

bool IsMain() { return pthread_equal(pthread_self(), g_main) != 0; }

}  // namespace

void CatchInterrupts() {
  static const bool started = (g_main = pthread_self(), StartThread());
  if (!started || !IsMain()) return;
  struct sigaction now {};
  if (sigaction(SIGINT, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == OnInterrupt) return;
  if ((now.sa_flags & SA_SIGINFO) == 0 && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
    return;
  g_python = now;
  struct sigaction action = now;
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
}

void AlsoInterrupt(bool (*interrupt)(bool)) { g_also = interrupt; }

Interruptible::Interruptible(tsh_session* session) : main_(IsMain()) {
  if (!main_) return;
  const std::lock_guard<std::mutex> lock(g_running_mutex);
  g_running = session;
  g_cancelled = false;
}

Interruptible::~Interruptible() {
  if (!main_) return;
  const std::lock_guard<std::mutex> lock(g_running_mutex);
  g_running = nullptr;
}

}  // namespace tensh::shell::module
