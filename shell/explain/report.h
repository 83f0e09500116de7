// The data of an explain or a run: the JSON document of tsh_session_explain and
// tsh_session_run_traced as plain data. The views in this folder print these fields and never
// recompute them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tensh::shell {

struct ReportNode {
  int64_t id = -1;
  std::string name, op;
  std::string type;                 // "f32[2,?]"
  std::vector<std::string> inputs;  // Node names; "^" marks control inputs.
  std::string state;                // One of: runs fed fetch target pruned.
  std::string device;               // "cpu:0", or "" if pruned.
  std::string asked;                // The requested device as written, or "".
  std::string reason;               // The reason for the device, from the decision log.
  std::string reason_detail;        // The obstacle to using the requested device.
  std::string colocated_with;       // The node that it must share a device with, or "".
  std::string pruned_why;
  std::string pruned_by;  // The fed node that cut it off, or "".
  // It runs before the step, for this result of a Python function; or "".
  std::string runs_for = {};
  bool once = false;  // For a node of a called function: it runs again only if a shape changes.
  bool not_taken = false;   // True if it is on a branch that the step did not take.
  std::string loop;         // The name scope of the outermost loop that contains it, or "".
  std::string within = {};  // For a node of a called function: the prefix of its ReportCall.
};

// A function that a node calls, or may call. The nodes of its body are in Report::called; their
// names begin with the prefix.
struct ReportCall {
  std::string prefix;    // "cond/then/"
  std::string caller;    // "cond"
  std::string role;      // One of: then else branch0, branch1, … cond body; "" for a plain call.
  std::string function;  // The name in the graph's library.
  std::string decided_by;            // The tensor that decides whether a branch is taken, or "".
  std::vector<std::string> results;  // Tensors.
  int64_t times = -1;                // How often the step called it; -1 before a run.
  bool repeats = false;              // True for the condition or the body of a loop.
};

struct ReportTransfer {
  std::string tensor, from, to;
  int64_t bytes = -1;  // -1 if not known before the run.
  std::vector<std::string> consumers;
};

// Nodes that are computed in one pass over the elements.
struct ReportFused {
  std::vector<std::string> nodes;
  // True if the first node is not elementwise. The others continue with each part that it has made.
  bool in_parts = false;
  // Smallest element count for which they are fused, if the count is not known yet; 0: always.
  int64_t from_elements = 0;
};

// Branches that may run at once.
struct ReportBranches {
  // How the last steps ran them: at once, in turn, or empty if that is not decided.
  std::string way;
  std::vector<std::vector<std::string>> nodes;
};

// Nodes that are computed by the kernel of a later one.
struct ReportJoined {
  std::string node;
  std::vector<std::string> nodes;
};

// A node whose values the optimizer replaces by those of another node.
struct ReportMerged {
  std::string node, with;  // `with` is a tensor.
  std::string why;         // One of: passes same undoes.
};

struct ReportPartition {
  std::string device;
  std::vector<std::string> nodes;
  int64_t recorded = 0;  // Number of nodes that a GPU replays as a whole.
  std::vector<ReportFused> fused = {};
  std::vector<ReportBranches> branches = {};
  std::vector<ReportJoined> joined = {};
  std::vector<std::string> once = {};  // Nodes that run again only if a shape changes.
  std::vector<ReportMerged> merged = {};
};

struct ReportEvent {
  std::string device, node, op, kind;  // kind is one of: compute read send recv wait.
  std::string tensor;                  // Set for a send, recv or wait.
  std::string waits_for;
  int64_t start_ns = 0, end_ns = 0;
  int64_t bytes = 0;
  int64_t iterations = 0;  // Set for a loop, which is a single event.
  // Of an event inside of a loop: the iteration of the outermost loop, and of the innermost one if
  // that is another. Otherwise 0.
  int64_t iteration = 0, inner = 0;
  std::string value = {};  // Of an event inside of a loop: its output, if that is a single number.
  // The node whose event has the time of this one, because one pass computed both; or "".
  std::string with = {};
};

// Returns true for the event of a whole loop, even if that had no iteration.
bool IsLoop(const ReportEvent& event);

// The sum over all iterations of a node in a loop.
struct ReportLoopTime {
  std::string node;
  int64_t calls = 0, ns = 0;
};

// Work that the process does once, such as loading a library.
struct ReportOnce {
  std::string what;
  int64_t ns = 0;
};

struct Report {
  int64_t version = 0;
  int64_t graph_nodes = 0;
  int64_t pruned_total = 0;
  std::vector<ReportNode> nodes;  // In graph order.
  std::vector<ReportPartition> partitions;
  std::vector<ReportTransfer> transfers;
  std::vector<ReportEvent> events;  // Empty before a run.
  // The first events inside of loops and of called functions; parts of those above.
  std::vector<ReportEvent> in_loops = {};
  std::vector<ReportLoopTime> loop_times = {};
  int64_t wall_ns = 0;
  std::vector<ReportOnce> once;
  std::vector<std::string> critical_path;
  // Placeholders that were not fed. The plan assumes feeds for them.
  std::vector<std::string> assumed;
  // Nodes whose values Python functions compute before the step (tf.py_func).
  std::vector<std::string> python = {};
  std::vector<std::string> devices = {};  // All devices of the session.
  std::vector<ReportCall> calls = {};
  std::vector<ReportNode> called = {};  // The nodes of all `calls`.

  bool Assumes(std::string_view name) const;
  bool IsPython(std::string_view name) const;
  // Returns the node, which may be one of a called function, or null.
  const ReportNode* Find(std::string_view name) const;
  // Returns the call with this prefix, or null.
  const ReportCall* FindCall(std::string_view prefix) const;
  // Returns true if the node calls functions.
  bool Calls(std::string_view node) const;
  // Returns the event of a loop, by its scope, or null if it was not measured.
  const ReportEvent* LoopEvent(std::string_view loop) const;
  // Returns the loop that a backward loop takes the gradient of: "w" for "gradients/w". Returns "" for
  // other loops.
  std::string_view ForwardLoop(std::string_view loop) const;
  // Returns "the loop w", or "the backward loop gradients/w of w".
  std::string LoopText(std::string_view loop) const;
  // Returns the time that each node computed. The time of a loop is divided among its nodes; its
  // own event keeps the rest.
  std::unordered_map<std::string_view, int64_t> ComputeTimes() const;
  // Returns the node that an event is about; for a wait, the first node that needs the tensor.
  std::string Subject(const ReportEvent& event) const;
};

// kTimes leaves out the nodes and partitions, which are half of a large report.
enum class ReportParts : uint8_t { kAll, kTimes };
// Returns false if the text is not such a document.
bool ParseReport(std::string_view json, Report* report, ReportParts parts = ReportParts::kAll);

// Returns "cpu:1" for "/job:localhost/replica:0/task:0/device:CPU:1" and "/cpu:1"; other text
// unchanged.
std::string ShortDevice(std::string_view device);
// Returns "f32" for "float32" and "f32"; an unknown name unchanged.
std::string ShortType(std::string_view dtype);

}  // namespace tensh::shell
