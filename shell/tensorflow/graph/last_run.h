// The last run of any session. Its request is kept so that it can be explained later. While steps
// are recorded, the step with its values is kept too. The record outlives the session, but does not
// keep it open.
//
// Threads: the interpreter's thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shell/tensorflow/graph/session.h"
#include "tensh/tensh_trace.h"

namespace tensh::shell::tf {

struct StepFree {
  void operator()(tsh_step* step) const { tsh_step_free(step); }
};
using StepHandle = std::unique_ptr<tsh_step, StepFree>;

struct LastRun {
  uint64_t number = 0;                     // grows with each run; 0 if nothing has run
  const SessionObject* session = nullptr;  // not owned; null after the session is destroyed
  GraphHandle graph;
  uint32_t generation = 0;  // of the graph at that time
  std::string target, config;
  std::vector<Out> feeds, fetches;
  std::vector<Node> targets;
  bool recording = false;
  bool paused = false;  // if true, runs are not noted, because the user did not start them
  StepHandle step;      // of the last recorded run
  Value number_fetched = Value();  // the first number in the last run that fetched one, or null
};
LastRun& Last();

void NoteRun(const SessionObject& session, const tsh_run& run);
// Notes the first number among the values that a run returns, if there is one.
void NoteResult(const Value& result);
void ForgetSession(const SessionObject& session);  // call when the session is destroyed
// Returns a new report of the last run, with its plan but without times. Returns "" if its graph
// was changed by a rollback or it ran elsewhere. `target` receives the fetches as a user would type
// them, and `request` the fetches and feeds.
std::string ExplainLast(size_t max_pruned, std::string* target, std::string* request);

}  // namespace tensh::shell::tf
