// The parts of a graph that a drawing shows: its nodes, and the name scopes that contain them.
//
// Each device has a tree of its own, because a scope may have nodes on several. A scope with very
// many parts gets groups: a series of similar names ("add … add_99") or a stretch of the graph. So a
// level has few parts however large the graph is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shell/explain/report.h"

namespace tensh::shell {

constexpr size_t kNoPart = SIZE_MAX;

struct GraphPart {
  std::string key;    // Unique, and the same in the next drawing of the graph.
  std::string label;  // Below the name of the part around it: "kernel".
  std::string scope;  // The full name of a scope; "" for a group.
  size_t parent = kNoPart;
  size_t node = SIZE_MAX;  // The index in the report, if this is a node.
  size_t lane = 0;         // The device; graph_parts.lanes() names it.
  size_t nodes = 0;        // The number of nodes in it.
  bool auxiliary = false;  // Only initialisers, savers, summaries, gradients and updates.
  bool loop = false;       // The scope of a loop.
  bool shown = false;      // False for a scope that its nodes have replaced.
  bool marked = false;     // It has a fetched node.
  char like = 0;           // A letter that scopes with the same ops share, or 0.
  std::vector<size_t> parts = {};
};

// An edge of the graph. The indices are those of the report's nodes.
struct GraphWire {
  size_t from = 0, to = 0;
  int64_t bytes = -1;            // -1 if unknown.
  std::string_view tensor = {};  // "add:0", of the report; "" if it is a control edge.
  bool control = false;
  bool loop = false;  // It takes a value to the next iteration.
};

class GraphParts {
 public:
  // Keeps a reference to the report.
  explicit GraphParts(const Report& report);

  const Report& report() const { return report_; }
  const std::vector<GraphPart>& parts() const { return parts_; }  // The first is the graph.
  const std::vector<GraphWire>& wires() const { return wires_; }
  // Returns the wires of a node: the indices of those that leave it, then of those that enter it.
  const std::vector<size_t>& WiresOf(size_t node) const { return wires_of_[node]; }
  // The names of the lanes: devices, and last "not run" if there are pruned nodes.
  const std::vector<std::string>& lanes() const { return lanes_; }
  bool pruned_lane() const { return pruned_lane_; }
  // Returns the index of a lane among the devices, or SIZE_MAX if it is not a device.
  size_t DeviceOf(size_t lane) const;
  size_t Find(std::string_view key) const;  // Returns kNoPart if there is no such part.
  size_t PartOf(size_t node) const { return part_of_[node]; }
  // Returns the parts of a name scope: one for each device.
  std::vector<size_t> ScopesNamed(std::string_view scope) const;
  size_t FindNode(std::string_view name) const;
  // Returns the part directly in `level` that contains `part`, or kNoPart if it is outside.
  size_t Within(size_t part, size_t level) const;
  std::vector<size_t> NodesIn(size_t part) const;
  // Returns the parts to open at first: from the top, while at most `budget` boxes are visible.
  std::vector<size_t> OpenAtFirst(size_t budget) const;

 private:
  void MakeLanes();
  void MakeTree();
  size_t ScopePart(size_t lane, std::string_view scope);
  std::string LaneKey(size_t lane) const;
  void Tidy(size_t part);
  void Group(size_t part);
  std::string GroupKey(size_t parent, size_t inner) const;
  size_t AddGroup(size_t parent, std::string key, std::string label, std::vector<size_t> parts);
  void Chunk(size_t part);
  void Finish();
  void MakeWires();
  void MarkAuxiliary();
  std::vector<bool> FromInputs(const std::function<bool(size_t)>& kept) const;
  bool ServesAuxiliary(size_t node, const std::vector<bool>& computed) const;
  void FindLikes();

  const Report& report_;
  std::vector<GraphPart> parts_;
  std::vector<GraphWire> wires_;
  std::vector<std::vector<size_t>> wires_of_;
  std::vector<std::string> lanes_;
  std::vector<size_t> lane_of_, part_of_;
  std::vector<bool> auxiliary_;
  bool pruned_lane_ = false;
  std::unordered_map<std::string, size_t> by_key_;
  std::unordered_map<std::string_view, size_t> by_name_;
};

// The two parts of the name of a device of a cluster, "/job:worker/replica:0/task:1/device:CPU:0" or
// "/job:worker/task:1/cpu:0": "/job:worker/task:1" and "cpu:0". For other devices, the task is "" and the device is unchanged.
std::string TaskOfDevice(std::string_view device);
std::string DeviceInTask(std::string_view device);
// Returns "worker:1" for that task, and "worker:1 cpu:0" for that device.
std::string BriefTask(std::string task);
std::string BriefDevice(std::string_view device);

// Returns the bytes of a type such as "f32[2,3]", in which unknown extents count as 1, or -1.
int64_t TypeBytes(std::string_view type);

}  // namespace tensh::shell
