// The runs that can be explained: the last one for `why`, the last one with times, and the most
// recent ones for `explain diff`.
//
// A verb stores its run with its report. The run of a script is not explained when it happens,
// because that would slow the script down. Only its last run is explained, when a verb needs it.
//
// Threads: the interpreter's thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "shell/client/client.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

struct ExplainedRun {
  std::string request;  // as typed: "mul, y feed x=3"
  std::string target;   // its fetches as typed: "mul, y"
  std::string report;   // JSON; contains the version of the graph
  uint64_t graph = 0;   // the number of the graph that ran
  // The nodes from this one on were temporaries of the run and no longer exist.
  size_t kept = SIZE_MAX;
  bool typed = true;  // False if the request was written by us, with zeros as feeds.
};

struct FetchedValue {
  uint64_t graph;
  tsh_output of;
  Value value;
};

class Runs {
 public:
  // Stores a run that a verb explained. `ran` is true if the report has times.
  void Add(ExplainedRun run, bool ran);
  // Returns the last run, of a verb or a script. Its texts are empty if nothing has run.
  const ExplainedRun& last() { return CatchUp(), last_; }
  // Returns the last run whose report has times.
  const ExplainedRun& last_traced() { return CatchUp(), last_traced_; }
  // The most recent runs of verbs, oldest first. Runs with large reports are not kept.
  const std::vector<ExplainedRun>& recent() const { return recent_; }
  // The values that eval and run fetched last.
  void SetFetched(std::vector<FetchedValue> values) { fetched_ = std::move(values); }
  // Returns the value of an output of a graph if it was among them; otherwise null.
  Value Fetched(uint64_t graph, tsh_output of) const;
  // Notes that the user typed the run that has just ended. It is not explained yet.
  void NoteTyped(std::string request, std::string target);
  // Returns the request of the last run as typed, or "" if a script ran it.
  std::string typed_request() const { return typed_ == number() ? typed_request_ : ""; }
  // Notes that the last run's nodes from `kept` on were removed.
  void NodesRemoved(size_t kept);
  // Removes all runs and begins a new era.
  void Clear();
  uint64_t era() const { return era_; }
  // Ignores the runs since the last stored one, because the user did not start them.
  void Skip();
  // Returns a number that grows with every run.
  static uint64_t number();

 private:
  void CatchUp();

  uint64_t seen_ = 0;  // number() when the last run was stored
  uint64_t era_ = 0;
  ExplainedRun last_, last_traced_;
  std::string typed_request_, typed_target_;
  uint64_t typed_ = 0;  // number() of the run with these texts
  std::vector<ExplainedRun> recent_;
  std::vector<FetchedValue> fetched_;
};

// During its life, Ctrl-C lets the step in flight end, unless that takes long. A loop of steps then
// stops between two steps, and the variables have the values after a whole number of steps.
class WholeSteps {
 public:
  explicit WholeSteps(bool on) : on_(on) { wanted_ += on_ ? 1 : 0; }
  ~WholeSteps() { wanted_ -= on_ ? 1 : 0; }
  WholeSteps(const WholeSteps&) = delete;
  WholeSteps& operator=(const WholeSteps&) = delete;
  static bool wanted() { return wanted_ > 0; }  // thread-safe

 private:
  static inline std::atomic<int> wanted_ = 0;
  bool on_;
};

// Steps that run during its life were not started by the user, and are neither explained nor
// recorded.
class SideRuns {
 public:
  SideRuns();
  ~SideRuns();
  SideRuns(const SideRuns&) = delete;
  SideRuns& operator=(const SideRuns&) = delete;

 private:
  bool before_;
};

}  // namespace tensh::shell
