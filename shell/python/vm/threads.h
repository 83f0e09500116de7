// Threads of the user's program (the module threading) and the interpreter's lock.
//
// Only the thread that holds the lock may touch Values. A thread that waits or runs a step releases
// the lock meanwhile (Unlocked). Inside a loop, the holder gives up the lock between two
// instructions if another thread has waited for a while. Each thread has a Vm, a native stack with
// a checked bound, and state that the layers above keep per thread (PerThread). None of this costs
// anything until the first thread is started.
//
// Ownership: a thread owns its Vm. This module owns the threads until EndAll joins them at the end
// of the program.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "shell/python/values/value.h"

namespace tensh::shell {

class Interp;

namespace threads {

// Thrown inside a thread to end it when the program ends. It is not a PyError, so Python code
// cannot catch it.
struct Ended {};

// State that a layer keeps for each thread. Swap exchanges the stored state with the state in use.
// It is called when a thread takes the lock and when it releases it.
class PerThread {
 public:
  virtual ~PerThread() = default;
  virtual void Swap() = 0;
};
void AddPerThread(std::unique_ptr<PerThread> (*make)());

// Sets the function that cancels the steps that threads wait for when the program ends.
void SetCancel(void (*cancel)());

bool Several();  // True if a thread was ever started.
bool IsMain();
int64_t Ident();  // The main thread has the number 1.

// Calls `function()` in a new thread. Throws RuntimeError if no further thread can be started.
int64_t Start(const Value& function);

// Gives waiting threads a turn at the lock.
void LetOthersRun();

// Releases the lock during its lifetime. Code in its scope must not touch a Value.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;

 private:
  bool released_;
};

// Takes the lock again during its lifetime, inside the scope of an Unlocked.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
};

// Prepares for threads that other libraries start. Call it in the main thread.
void Expect();

// Takes the lock during its lifetime, in a thread that released it or that another library started. The latter
// becomes a thread of the program. After the end of the program, the lock is not taken; nor if another thread keeps
// it for longer than `patience`. Requires Expect.
class Guest {
 public:
  explicit Guest(std::chrono::milliseconds patience = std::chrono::milliseconds::max());
  ~Guest();
  Guest(const Guest&) = delete;
  bool taken() const { return taken_; }

 private:
  bool taken_;
};

// Waits until `ready()` returns true, and returns true; returns false if the deadline passes first.
// `ready` is called with the lock held. Ctrl-C and the end of the program end the wait by an
// exception.
using Deadline = std::chrono::steady_clock::time_point;
// Accepts any number of seconds; very long times become a deadline in the far future.
Deadline After(double seconds);
bool WaitUntil(const std::function<bool()>& ready, Deadline deadline);
void Notify();  // Wakes the waiters because a condition may have changed.

// Ends and joins all threads. Returns false if some of them do not end; then the process must exit
// without destroying anything that they may still use.
bool EndAll(Interp& interp);

}  // namespace threads
}  // namespace tensh::shell
