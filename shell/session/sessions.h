// The session in which eval and run execute steps: the one chosen with `session use`, otherwise the
// innermost default session, otherwise the shell's own session over the current graph.
//
// Threads: the interpreter's thread only.
#pragma once

#include "shell/client/client.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

class Sessions {
 public:
  explicit Sessions(int cpus);  // the number of CPU devices of the shell's sessions
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  int cpus() const { return cpus_; }
  // Returns a tf.Session. Throws RuntimeError if there is none.
  Value Current() const;
  // Opens a session over the current graph with the shell's devices.
  Value New() const;
  // Chooses an open session, or the default one if `session` is null.
  void Use(const Value& session);
  // Returns to the default session if this one was chosen. Call before it is closed.
  void StopUsing(const Value& session);

 private:
  int cpus_;
  Value chosen_ = Value();  // null for the default session
};

// Returns the borrowed session of a tf.Session. Throws TypeError, or RuntimeError if it is closed.
tsh_session* SessionOf(const Value& session);

}  // namespace tensh::shell
