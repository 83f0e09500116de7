// The interface between the verbs and the TensorFlow API and numpy: the current graph and session,
// the interpretation of values in a run, and the conversion between values and tensors.
//
// Threads: only the interpreter's thread may call these functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/client/client.h"
#include "shell/python/values/value.h"

namespace tensh::shell::bridge {

// Adds the modules (tensorflow, numpy, …) and names (tf, np) to a new interpreter. No graph or
// session is created.
void AddModules();
void SetDefaultDevices(int cpus);  // of the default session
int DefaultDevices();

GraphHandle CurrentGraph();
bool HasGraph();          // true if a graph has been created
std::string GraphSeed();  // the seed of tf.set_random_seed, or "" if it was not called
// Begin, commit or roll back a transaction on every live graph, around each top-level statement.
// `source` is stored with the nodes that the statement creates.
void BeginAll(uint32_t source, bool is_cell);
void CommitAll();
void RollbackAll();

// The current session as a tf.Session value: the innermost default session, or otherwise the
// shell's own session over the current graph.
Value CurrentSession();
Value NewSession();                     // over the current graph, with the shell's devices
void UseSession(const Value& session);  // null selects the shell's own session
void StopUsing(const Value& session);   // call before the session is closed
tsh_session* SessionOf(
    const Value& session);  // borrowed; throws TypeError, or RuntimeError if it is closed

// A value interpreted as a fetch: a tensor, an operation, or neither.
struct Fetch {
  enum class Kind { kNeither, kTensor, kOperation };
  Kind kind = Kind::kNeither;
  tsh_output output{TSH_NO_NODE, 0};
  tsh_node node = TSH_NO_NODE;
  GraphHandle graph;
};
Fetch AsFetch(const Value& value);
// Returns true if the value is, or contains in lists, tuples or dicts, something that a session can
// run.
bool IsRunnable(const Value& value);
// Returns the node or value of the current graph with this name ("add", "layer/add:0"), or null if
// it does not exist.
Value FindByName(std::string_view name);

// Runs one step of a borrowed session. Returns the report as JSON.
std::string RunTraced(tsh_session* session, const tsh_run& run, std::vector<TensorHandle>* fetched);

// The last run, whether a verb or a script started it. RunNumber grows with every run.
// ExplainLastRun returns its plan as a report, or "" if its nodes were rolled back. While steps are
// recorded, the report with times and the values of the run are available too.
uint64_t RunNumber();
std::string ExplainLastRun(size_t max_pruned, std::string* request);
void RecordSteps(bool on);
bool Recording();
std::string RecordedReport();  // "" if nothing was recorded
struct RecordedValue {
  tsh_output of{TSH_NO_NODE, 0};
  int64_t times = 0;    // number of times that the step computed it
  TensorHandle tensor;  // empty if the value is too large to keep
};
std::vector<RecordedValue> RecordedValues();

// Converts a value like feed_dict does. `name` is the name of the tensor for error messages.
TensorHandle FeedTensor(const Value& value, int dtype, const std::string& name);
Value FromTensor(const TensorHandle& tensor);  // returns an ndarray, a numpy scalar or bytes
// Returns tf.NAME, or null if it does not exist. Verbs accept names without the prefix "tf.".
Value FindTfName(std::string_view name);

}  // namespace tensh::shell::bridge
