// What ran last, in whichever session: what it was asked for, so that it can be explained later,
// and, while somebody records steps, the step itself with its values. Kept after the session
// closed, but it does not keep a session open. Threads: the interpreter's only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/api/tensh_trace.h"
#include "shell/tf/session.h"

namespace tensh::shell::tf {

struct StepFree {
  void operator()(tsh_step* step) const { tsh_step_free(step); }
};
using StepHandle = std::unique_ptr<tsh_step, StepFree>;

struct LastRun {
  uint64_t number = 0;                     // counts the runs; 0: nothing ran
  const SessionObject* session = nullptr;  // not owned; null when it is gone
  GraphHandle graph;
  uint32_t generation = 0;  // of the graph, then
  std::string target, config;
  std::vector<Out> feeds, fetches;
  std::vector<Node> targets;
  bool recording = false;
  bool paused = false;  // what runs now is not the user's: nothing is noted
  StepHandle step;      // of the last recorded run
};
LastRun& Last();

void NoteRun(const SessionObject& session, const tsh_run& run);
void ForgetSession(const SessionObject& session);  // it is about to go
// The report of the last run, made now: its plan, not its times. "" when its graph has changed
// under it or it ran elsewhere. *request: as one would type it.
std::string ExplainLast(size_t max_pruned, std::string* request);

}  // namespace tensh::shell::tf
