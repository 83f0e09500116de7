// Steps with a trace, and the recorder of steps. While steps are recorded, the values of the last
// one are kept with its report.
//
// Threads: the interpreter's thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shell/client/client.h"

namespace tensh::shell {

void RecordSteps(bool on);

// Records steps during its life.
class RecordingSteps {
 public:
  RecordingSteps();
  ~RecordingSteps();
  RecordingSteps(const RecordingSteps&) = delete;
  RecordingSteps& operator=(const RecordingSteps&) = delete;

 private:
  bool before_;
};

struct RecordedValue {
  tsh_output of{TSH_NO_NODE, 0};
  int64_t times = 0;    // number of times that the step computed it
  TensorHandle tensor;  // empty if the value is too large to keep
};
// Returns the values of the last recorded step.
std::vector<RecordedValue> RecordedValues();
// Returns the report of the last recorded step as JSON, or "" if none was recorded.
std::string RecordedReport();

// Returns the plan of a run as a report, as JSON, with up to `max_pruned` pruned nodes. Throws if the
// run cannot be planned.
std::string ExplainRun(tsh_session* session, const tsh_run& run, size_t max_pruned);
// Runs one step and returns its report, with times, as JSON. Appends the fetched tensors. Throws if
// the step fails.
std::string RunTraced(tsh_session* session, const tsh_run& run, std::vector<TensorHandle>* fetched);
// Runs one step, only to measure it, without recording it. Returns its time in ns, or 0 if it fails.
int64_t TimeAside(tsh_session* session, const tsh_run& run);

}  // namespace tensh::shell
