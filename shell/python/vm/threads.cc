#include "shell/python/vm/threads.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/vm.h"

namespace tensh::shell::threads {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTurn =
    std::chrono::milliseconds(5);  // Time for which a thread keeps the lock while others wait.
constexpr auto kSlice = std::chrono::milliseconds(20);  // Interval between checks for Ctrl-C.
constexpr auto kPatience =
    std::chrono::seconds(2);  // Time for which EndAll waits for threads to end.
constexpr size_t kStack = 8 << 20, kMaxThreads = 2000;

struct Thread {
  int64_t ident = 1;
  bool main = true;
  Vm* vm = nullptr;
  std::unique_ptr<Vm> own_vm;
  int depth = 0;
  uintptr_t floor = 0;
  std::vector<std::unique_ptr<PerThread>> kept;
  pthread_t handle{};
  Value function;
  Interp* interp = nullptr;
};

// The state shared by all threads. Never destroyed, because a thread that outlives EndAll still
// waits on it.
struct Shared {
  std::mutex mu;
  std::condition_variable turn, event;
  Thread* holder = nullptr;
  size_t waiting = 0;
  uint64_t taken = 0, events = 0;
  int64_t idents = 1;
  std::vector<std::unique_ptr<Thread>> running, finished;
  std::vector<std::unique_ptr<PerThread> (*)()> makers;
  void (*cancel)() = nullptr;
  std::unique_ptr<Thread> main;
};
Shared& S() {
  static auto* shared = new Shared;
  return *shared;
}

std::atomic<bool> several{false};     // True once a thread was started.
thread_local Thread* self = nullptr;  // Null in the main thread until the first thread starts.

// Swaps the state in use with the state stored for the thread.
void Exchange(Thread& t) {
  std::swap(t.depth, RecursionGuard::depth_);
  std::swap(t.floor, RecursionGuard::floor_);
  for (const auto& each : t.kept) each->Swap();
}

void Release() {
  Exchange(*self);
  std::lock_guard lock(S().mu);
  S().holder = nullptr;
  S().turn.notify_all();
}

using Patience = std::chrono::milliseconds;

// Takes the lock. Returns false if another thread keeps it for longer than `patience`.
bool Take(Patience patience = Patience::max()) {
  Shared& s = S();
  {
    std::unique_lock lock(s.mu);
    ++s.waiting;
    while (s.holder != nullptr) {
      if (patience <= Patience::zero()) return --s.waiting, false;
      if (patience != Patience::max()) patience -= kTurn;
      if (s.turn.wait_for(lock, kTurn) == std::cv_status::timeout && s.holder != nullptr) {
        self->interp->Ask(Interp::kSwitch);
      }
    }
    --s.waiting;
    s.holder = self;
    ++s.taken;
    self->interp->Forget(Interp::kSwitch);
    s.turn.notify_all();
  }
  self->interp->set_running(self->vm);
  Exchange(*self);
  return true;
}

void MakeKept(Thread& t) {
  for (auto* make : S().makers) t.kept.push_back(make());
}

// Turns the main thread into one of several threads. It then holds the lock.
void Begin(Interp& interp) {
  if (self == nullptr) {
    S().main = std::make_unique<Thread>();
    self = S().main.get();
  }
  self->interp = &interp;
  self->vm = &interp.main_vm();
  self->kept.clear();
  MakeKept(*self);
  S().holder = self;
  several = true;
}

void Join(std::vector<std::unique_ptr<Thread>>* finished) {
  for (const auto& thread : *finished) pthread_join(thread->handle, nullptr);
  finished->clear();
}

void Body(Thread& t) {
  try {
    Call(t.function, CallArgs{});
  } catch (const Ended&) {
    t.vm->DropFrames();
  } catch (const PyError& error) {
    if (Hooks* hooks = t.interp->hooks()) hooks->ThreadFailed(error, "");
  } catch (const std::exception&) {  // Out of memory: threading.py reports as much as it can.
    t.vm->DropFrames();
  }
  t.function = Value();
  t.interp->Flush();
}

void* ThreadMain(void* argument) {
  self = static_cast<Thread*>(argument);
  char here;
  self->floor = reinterpret_cast<uintptr_t>(&here) - kStack + kStack / 4 + (256 << 10);
  Take();
  Body(*self);
  Shared& s = S();
  Exchange(*self);
  self->kept.clear();
  std::lock_guard lock(s.mu);
  auto at = std::find_if(s.running.begin(), s.running.end(),
                         [](const auto& t) { return t.get() == self; });
  s.finished.push_back(std::move(*at));
  s.running.erase(at);
  s.holder = nullptr;
  ++s.events;
  s.turn.notify_all();
  s.event.notify_all();
  return nullptr;
}

bool Create(Thread* thread) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  // Only the main thread handles signals, because a signal must end its blocking reads.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  const int failed = pthread_create(&thread->handle, &attributes, ThreadMain, thread);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  pthread_attr_destroy(&attributes);
  return failed == 0;
}

// The Thread of a thread that another library started, from its first Guest until it ends.
class GuestThread {
 public:
  // Returns null when the program ends.
  Thread* Make() {
    Interp* interp = Interp::CurrentOrNull();
    if (!several || interp == nullptr) return nullptr;
    auto made = std::make_unique<Thread>();
    made->main = IsMainOfProcess();  // it answers Ctrl-C
    made->interp = interp;
    made->own_vm = std::make_unique<Vm>(interp);
    made->vm = made->own_vm.get();
    made->floor = StackFloor();
    {
      std::lock_guard lock(S().mu);
      made->ident = ++S().idents;
      MakeKept(*made);
    }
    return thread_ = made.release();
  }

  ~GuestThread() {
    // Values of the main thread are left to the system, because the process ends.
    if (thread_ == nullptr || !several || IsMainOfProcess()) return;
    Take();
    Exchange(*thread_);
    thread_->kept.clear();
    thread_->own_vm.reset();
    {
      std::lock_guard lock(S().mu);
      S().holder = nullptr;
      S().turn.notify_all();
    }
    self = nullptr;
    delete thread_;
  }

 private:
  static bool IsMainOfProcess() { return ::getpid() == ::gettid(); }

  static uintptr_t StackFloor() {
    pthread_attr_t attributes;
    void* stack = nullptr;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &stack, &size);
      pthread_attr_destroy(&attributes);
    }
    return reinterpret_cast<uintptr_t>(stack) + size / 4;
  }

  Thread* thread_ = nullptr;
};
thread_local GuestThread guest;

}  // namespace

void AddPerThread(std::unique_ptr<PerThread> (*make)()) {
  auto& makers = S().makers;
  if (std::find(makers.begin(), makers.end(), make) == makers.end()) makers.push_back(make);
}

void SetCancel(void (*cancel)()) { S().cancel = cancel; }

bool Several() { return several; }
bool IsMain() { return self == nullptr || self->main; }
int64_t Ident() { return self == nullptr ? 1 : self->ident; }

int64_t Start(const Value& function) {
  Interp& interp = Interp::Current();
  if (!several) Begin(interp);
  Shared& s = S();
  std::vector<std::unique_ptr<Thread>> finished;
  auto made = std::make_unique<Thread>();
  Thread* thread = made.get();
  thread->main = false;
  thread->own_vm = std::make_unique<Vm>(&interp);
  thread->vm = thread->own_vm.get();
  thread->interp = &interp;
  thread->function = function;
  MakeKept(*thread);
  bool started = false;
  {
    std::lock_guard lock(s.mu);
    finished.swap(s.finished);
    if (s.running.size() < kMaxThreads) {
      thread->ident = ++s.idents;
      s.running.push_back(std::move(made));
      started = Create(thread);
      if (!started) {
        made = std::move(s.running.back());
        s.running.pop_back();
      }
    }
  }
  Join(&finished);
  if (!started) throw RuntimeError("can't start new thread");
  return thread->ident;
}

void LetOthersRun() {
  if (!several) return;
  Shared& s = S();
  Release();
  {
    std::unique_lock lock(s.mu);
    const uint64_t before = s.taken;
    if (s.waiting > 0) s.turn.wait_for(lock, kTurn, [&] { return s.taken != before; });
  }
  Take();
}

Unlocked::Unlocked() : released_(several) {
  if (released_) Release();
}

Unlocked::~Unlocked() {
  if (released_) Take();
}

Locked::Locked() {
  if (several) Take();
}

Locked::~Locked() {
  if (several) Release();
}

Deadline After(double seconds) {
  constexpr double kFar = 1e8;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::clamp(seconds, 0.0, kFar)));
}

bool WaitUntil(const std::function<bool()>& ready, Deadline deadline) {
  Interp& interp = Interp::Current();
  for (bool first = true;; first = false) {
    uint64_t seen;
    {
      std::lock_guard lock(S().mu);
      seen = S().events;
    }
    if (ready()) return true;
    interp.CheckInterrupt();
    const auto now = Clock::now();
    if (now >= deadline) return false;
    if (first) interp.Flush();
    const Unlocked unlocked;
    std::unique_lock lock(S().mu);
    S().event.wait_until(lock, std::min(deadline, now + kSlice),
                         [&] { return S().events != seen; });
  }
}

void Notify() {
  std::lock_guard lock(S().mu);
  ++S().events;
  S().event.notify_all();
}

void Expect() {
  if (!several) Begin(Interp::Current());
}

Guest::Guest(std::chrono::milliseconds patience) {
  if (self == nullptr) self = guest.Make();
  taken_ = self != nullptr && Take(patience);
}

Guest::~Guest() {
  if (taken_) Release();
}

bool EndAll(Interp& interp) {
  if (!several) return true;
  Shared& s = S();
  interp.Ask(Interp::kEnding);
  const auto end = Clock::now() + kPatience;
  bool ended = false;
  while (!ended && Clock::now() < end) {
    if (s.cancel) s.cancel();
    const Unlocked unlocked;
    std::unique_lock lock(s.mu);
    ++s.events;
    s.event.notify_all();
    s.event.wait_for(lock, kSlice, [&] { return s.running.empty(); });
    ended = s.running.empty();
  }
  if (!ended) return false;
  std::vector<std::unique_ptr<Thread>> finished;
  {
    std::lock_guard lock(s.mu);
    finished.swap(s.finished);
  }
  Join(&finished);
  interp.Forget(Interp::kEnding);
  self->kept.clear();
  several = false;
  return true;
}

}  // namespace tensh::shell::threads
