// Ctrl-C during a step. CPython's handler only sets a flag, which nobody reads while a thread waits for
// a step without the GIL. A handler in front of CPython's also wakes a thread that cancels the step.
#pragma once

#include "shell/python_bridge/python_api.h"
#include "tensh/tensh.h"

namespace tensh::shell::module {

// Installs the handler if CPython handles SIGINT and the call is made in the main thread. It is cheap
// if the handler is already there.
void CatchInterrupts();
// Sets a function that the thread calls for each Ctrl-C, with `again` false, and then every 20 ms with `again` true for
// as long as it returns true.
void AlsoInterrupt(bool (*interrupt)(bool again));
// Names the session whose step Ctrl-C cancels, during its lifetime. Does nothing outside of the main
// thread.
class Interruptible {
 public:
  explicit Interruptible(tsh_session* session);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  bool main_;
};

}  // namespace tensh::shell::module
