// The session in which eval and run execute steps: the one chosen with `session use`, otherwise the
// innermost default session, otherwise the shell's own session over the current graph.
//
// Threads: the interpreter's thread only.
#pragma once

#include <string>
#include <vector>

#include "shell/client/client.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

class Sessions {
 public:
  explicit Sessions(int cpus);  // the number of CPU devices of the shell's sessions
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  int cpus() const { return cpus_; }
  // Returns a tf.Session. Throws RuntimeError if it cannot be opened.
  Value Current() const;
  // Opens a session over the current graph with the shell's devices.
  Value New() const;
  // Returns an open session that runs this graph: the current one, a default session, or one of
  // OpenOver. If the user chose a session with `session use`, returns that session whatever its
  // graph is. Returns null if no session runs it.
  Value Over(const GraphHandle& graph) const;
  // Opens a session over a graph that is not the current one. A few of these are kept, because they
  // hold the values of variables.
  Value OpenOver(const GraphHandle& graph);
  // Keeps the current session like those of OpenOver, so that the values of its variables outlive a
  // change of the default graph. Returns to the default session if another was chosen.
  void Keep();
  // Chooses an open session, or the default one if `session` is null.
  void Use(const Value& session);
  // Drops the chosen session and those of OpenOver.
  void Reset();
  // Returns to the default session if this one was chosen. Call before it is closed.
  void StopUsing(const Value& session);

 private:
  int cpus_;
  Value chosen_ = Value();     // null for the default session
  std::vector<Value> others_;  // the sessions of OpenOver, oldest first
};

// Returns the borrowed session of a tf.Session. Throws TypeError, or RuntimeError if it is closed.
tsh_session* SessionOf(const Value& session);
// Returns the target of a session, such as grpc://host:port, or "" if it runs in this process.
std::string TargetOf(const Value& session);

}  // namespace tensh::shell
