// What the verbs need of the TensorFlow API and numpy, in one place: the graph and session in
// effect, what a value means to a run, and values to and from tensors. Threads: the interpreter's
// only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/client.h"
#include "shell/values/value.h"

namespace tensh::shell::bridge {

// Adds the modules (tensorflow, numpy, …) and names (tf, np) to a new interpreter; nothing is made
// yet.
void AddModules();
void SetDefaultDevices(int cpus);  // of the session that is always there
int DefaultDevices();

GraphHandle CurrentGraph();
bool HasGraph();          // has anything made one yet?
std::string GraphSeed();  // of tf.set_random_seed; "" when it was not called
// On every live graph, around each top-level statement; `source` is kept with the nodes it makes.
void BeginAll(uint32_t source, bool is_cell);
void CommitAll();
void RollbackAll();

// The session in effect, a tf.Session value: the innermost default, else the shell's own over this
// graph.
Value CurrentSession();
Value NewSession();                     // over the current graph, with the shell's devices
void UseSession(const Value& session);  // null: back to the shell's own
void StopUsing(const Value& session);   // it is about to be closed
tsh_session* SessionOf(
    const Value& session);  // borrowed; throws TypeError, and RuntimeError when closed

// What a value is to a run.
struct Fetch {
  enum class Kind { kNeither, kTensor, kOperation };
  Kind kind = Kind::kNeither;
  tsh_output output{TSH_NO_NODE, 0};
  tsh_node node = TSH_NO_NODE;
  GraphHandle graph;
};
Fetch AsFetch(const Value& value);
// Is it, or does it hold (in lists, tuples, dicts), anything a session runs?
bool IsRunnable(const Value& value);
// A node or value of the current graph by name: "add", "layer/add:0"; null when there is none.
Value FindByName(std::string_view name);

// One step of a borrowed session; returns the report's JSON.
std::string RunTraced(tsh_session* session, const tsh_run& run, std::vector<TensorHandle>* fetched);

// What ran last, by a verb or in a script: a number that grows with every run, its plan as a report
// ("" when its nodes were taken back), and, while steps are recorded, its times and values.
uint64_t RunNumber();
std::string ExplainLastRun(size_t max_pruned, std::string* request);
void RecordSteps(bool on);
bool Recording();
std::string RecordedReport();  // "" when nothing was recorded
struct RecordedValue {
  tsh_output of{TSH_NO_NODE, 0};
  int64_t times = 0;    // how often the step made it
  TensorHandle tensor;  // empty: too large to keep
};
std::vector<RecordedValue> RecordedValues();

// Converted as feed_dict does; `name` is the tensor's, for errors.
TensorHandle FeedTensor(const Value& value, int dtype, const std::string& name);
Value FromTensor(const TensorHandle& tensor);  // an ndarray, a numpy scalar or bytes
// tf.NAME, or null: verbs may leave out the "tf.".
Value FindTfName(std::string_view name);

}  // namespace tensh::shell::bridge
