#include "shell/session/recording.h"

#include <chrono>

#include "shell/python/vm/threads.h"
#include "shell/tensorflow/graph/last_run.h"
#include "shell/tensorflow/graph/needs.h"

namespace tensh::shell {

void RecordSteps(bool on) {
  tf::Last().recording = on;
  if (!on) tf::Last().step.reset();
}

RecordingSteps::RecordingSteps() : before_(tf::Last().recording) { RecordSteps(true); }

RecordingSteps::~RecordingSteps() {
  if (!before_) RecordSteps(false);
}

std::vector<RecordedValue> RecordedValues() {
  std::vector<RecordedValue> values;
  const tsh_step* step = tf::Last().step.get();
  const size_t count = step == nullptr ? 0 : tsh_step_num_values(step);
  for (size_t i = 0; i < count; ++i) {
    RecordedValue& value = values.emplace_back();
    value.tensor = TensorHandle::Adopt(tsh_step_value(step, i, &value.of, &value.times));
  }
  return values;
}

std::string RecordedReport() {
  return tf::Last().step ? TakeText(tsh_step_report(tf::Last().step.get())) : "";
}

std::string ExplainRun(tsh_session* session, const tsh_run& run, size_t max_pruned) {
  Status status;
  char* report = tsh_session_explain(session, &run, max_pruned, status);
  if (report == nullptr) tf::ThrowRunError(session, run, status);
  return TakeText(report);
}

int64_t TimeAside(tsh_session* session, const tsh_run& run) {
  Status status;
  std::vector<tsh_tensor*> raw(run.n_fetches, nullptr);
  const auto begin = std::chrono::steady_clock::now();
  int ok = 0;
  {
    const threads::Unlocked unlocked;  // for functions of Python that the step calls
    ok = tsh_session_run(session, &run, raw.data(), status);
  }
  const auto end = std::chrono::steady_clock::now();
  for (tsh_tensor* tensor : raw) TensorHandle::Adopt(tensor);
  using std::chrono::nanoseconds;
  return ok == 0 ? 0 : std::chrono::duration_cast<nanoseconds>(end - begin).count();
}

std::string RunTraced(tsh_session* session, const tsh_run& run,
                      std::vector<TensorHandle>* fetched) {
  Status status;
  std::vector<tsh_tensor*> raw(run.n_fetches, nullptr);
  char* report = nullptr;
  tsh_step* step = nullptr;
  const bool records = tf::Last().recording;
  int ok = 0;
  {
    const threads::Unlocked unlocked;  // for functions of Python that the step calls
    ok = records ? tsh_session_run_recorded(session, &run, raw.data(), &step, status)
                 : tsh_session_run_traced(session, &run, raw.data(), &report, status);
  }
  if (ok == 0) tf::ThrowRunError(session, run, status);
  if (records) {
    tf::Last().step.reset(step);
    report = tsh_step_report(step);
  }
  for (tsh_tensor* tensor : raw) fetched->push_back(TensorHandle::Adopt(tensor));
  return TakeText(report);
}

}  // namespace tensh::shell
