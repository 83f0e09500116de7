// Threads of the program's own (the module threading), and the interpreter's lock.
//
// The thread that holds the lock may touch Values; one that waits or runs a step gives it up
// meanwhile (Unlocked). Between two instructions of a loop the holder lets others on when one has
// waited for a while. Each thread has a Vm, a native stack with its bound, and what the layers
// above keep for each thread (PerThread). Until the first thread is started none of this costs
// anything.
//
// Ownership: a thread owns its Vm; the module here owns the threads until they are joined at the
// end.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "shell/values/value.h"

namespace tensh::shell {

class Interp;

namespace threads {

// Thrown inside a thread that must end because the program does; no PyError, so nothing catches it.
struct Ended {};

// What a layer keeps for each thread. Swap exchanges it with what is in use; called when a thread
// takes the lock, and again when it gives it up.
class PerThread {
 public:
  virtual ~PerThread() = default;
  virtual void Swap() = 0;
};
void AddPerThread(std::unique_ptr<PerThread> (*make)());

// How the steps that threads wait for are ended, at the end.
void SetCancel(void (*cancel)());

bool Several();  // was a thread started?
bool IsMain();
int64_t Ident();  // 1 is the main thread's

// Calls `function()` in a new thread. RuntimeError when there cannot be another.
int64_t Start(const Value& function);

void LetOthersRun();

// Gives the lock up while it lives. Nothing in the scope may touch a Value.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;

 private:
  bool released_;
};

// Takes it back for a while, inside of Unlocked.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
};

// Waits until `ready()`, which is asked with the lock held, or the end of the time: then false.
// Ctrl-C and the end of the program end it too, by an exception.
using Deadline = std::chrono::steady_clock::time_point;
Deadline After(double seconds);  // far away for any length
bool WaitUntil(const std::function<bool()>& ready, Deadline deadline);
void Notify();  // what some `ready` asks for may have changed

// Ends and joins all threads. Those that do not end stay behind, and the answer is false: then the
// process must end without destroying anything.
bool EndAll(Interp& interp);

}  // namespace threads
}  // namespace tensh::shell
