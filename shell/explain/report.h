// What a run looked like: the JSON document of tsh_session_explain and tsh_session_run_traced as
// plain data. The views of this folder print these very fields; they never work anything out again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

struct ReportNode {
  int64_t id = -1;
  std::string name, op;
  std::string type;                 // "f32[2,?]"
  std::vector<std::string> inputs;  // node names, "^" kept before control inputs
  std::string state;                // runs fed fetch target pruned
  std::string device;               // "cpu:0", "" when pruned
  std::string asked;                // the device asked for, as written; "" when none
  std::string reason;               // why that device, from the decision log
  std::string reason_detail;        // what stood in the way of the device asked for
  std::string pruned_why;
  std::string pruned_by;   // the fed node that cut it off, or ""
  bool not_taken = false;  // on a branch that the step did not take
  std::string loop;        // the name scope of the outermost loop it runs in, or ""
};

struct ReportTransfer {
  std::string tensor, from, to;
  int64_t bytes = -1;  // -1: not known before the run
  std::vector<std::string> consumers;
};

// Nodes that one pass over the elements does.
struct ReportFused {
  std::vector<std::string> nodes;
  int64_t from_elements = 0;  // where there are so many, which is not known yet; 0: always
};

struct ReportPartition {
  std::string device;
  std::vector<std::string> nodes;
  int64_t recorded = 0;  // of them, what a GPU replays as a whole
  std::vector<ReportFused> fused = {};
};

struct ReportEvent {
  std::string device, node, op, kind;  // kind: compute read send recv wait
  std::string tensor;                  // of a send, recv or wait
  std::string waits_for;
  int64_t start_ns = 0, end_ns = 0;
  int64_t bytes = 0;
  int64_t iterations = 0;  // of a loop, which is one event
};

struct Report {
  int64_t version = 0;
  int64_t graph_nodes = 0;
  int64_t pruned_total = 0;
  std::vector<ReportNode> nodes;  // in graph order
  std::vector<ReportPartition> partitions;
  std::vector<ReportTransfer> transfers;
  std::vector<ReportEvent> events;  // empty before a run
  int64_t wall_ns = 0;
  std::vector<std::string> critical_path;

  const ReportNode* Find(std::string_view name) const;
  // The node that an event is about; for a wait, the first that needs the tensor.
  std::string Subject(const ReportEvent& event) const;
};

// False when the text is not such a document.
bool ParseReport(std::string_view json, Report* report);

// "/job:localhost/replica:0/task:0/device:CPU:1" and "/cpu:1" as "cpu:1"; other text unchanged.
std::string ShortDevice(std::string_view device);
// "float32" and "f32" as "f32"; a name we do not know unchanged.
std::string ShortType(std::string_view dtype);

}  // namespace tensh::shell
