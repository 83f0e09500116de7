#pragma once
// The stages of a Run as plain data, and the pure functions between them: prune → place →
// partition. A plan keeps them, and explain prints these very data. Nothing here is recomputed for
// a report.
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/device/device.h"
#include "runtime/core/joined.h"
#include "runtime/graph/graph.h"
#include "runtime/plan/consumers.h"
#include "runtime/plan/flow.h"

namespace tensh {

// The values and nodes that a Run names. The values of a step are in the order of `feeds` and
// `fetches`.
struct RunSignature {
  std::vector<ValueId> feeds, fetches;
  std::vector<NodeId> targets;
};

// A hash map from ids to numbers. Its size depends on the entries, not on the graph, so that
// pruning costs O(pruned nodes).
class IdMap {
 public:
  IdMap() : IdMap(16) {}
  explicit IdMap(size_t expected);
  // Returns the value of the key, or UINT32_MAX if the key is absent.
  uint32_t Find(uint32_t key) const;
  // Returns false, and changes nothing, if the key is present.
  bool Insert(uint32_t key, uint32_t value);
  void Set(uint32_t key, uint32_t value);
  size_t size() const { return count_; }

 private:
  struct Slot {
    uint32_t key = UINT32_MAX, value = 0;
  };
  size_t Probe(uint32_t key) const;
  void Grow();
  std::vector<Slot> slots_;
  size_t count_ = 0;
};

// ② The nodes that the fetches and targets need.
struct Pruned {
  std::vector<NodeId> nodes;  // in graph order, which is topological, until OrderFlow
  IdMap position;             // node → index in `nodes`
  IdMap fed;                  // value → index among the feeds
  // By index in `nodes`: true if no value of the node is used, only control edges lead on from it,
  // and it has no effect. Its kernel is left out. The node keeps its position, so that its
  // successors still wait for its predecessors.
  std::vector<bool> unused;
  bool has_flow = false;  // `nodes` contains a Switch, Merge or Enter
  // A node waits for elements of a queue (OpDef::waits_for). If the step has several partitions, each
  // needs a thread.
  bool takes_elements = false;
  // Nodes that wait for elements or room in a queue are in partitions of their own (see
  // ArrangeWaits).
  bool waits_apart = false;
  Flow flow;  // after OrderFlow
};
// Finds loops and branches, fills in `flow`, and reorders `nodes` so that each loop is consecutive.
// Returns InvalidArgument if a node takes values of different loops, or if the nodes form a cycle
// that is not a loop.
Status OrderFlow(const Graph& graph, const RunSignature& signature, Pruned& pruned);
// Returns true if the node is the Merge of a loop variable, that is, if a NextIteration leads to
// it.
bool IsLoopVariable(const Graph& graph, const Pruned& pruned, NodeId node);
// Returns true if the node at this position passes values into a loop, out of it or from one
// iteration to the next: an Enter, an Exit, a NextIteration, the Merge of a loop variable or a
// Switch that the LoopCond decides. Such nodes wait between iterations. The LoopCond itself does
// not: it depends on what an iteration computes.
bool CarriesLoop(const Graph& graph, const Pruned& pruned, uint32_t position);
// Returns true if the loop body contains no other control flow and the loop itself is not inside a
// conditional. If such a loop is cut across devices, the order in which values arrive in each part
// is known when it is compiled.
bool IsSimpleLoop(const Graph& graph, const Pruned& pruned, uint32_t frame);
Pruned Prune(const Graph& graph, const RunSignature& signature);

// ③ The device of each node, and the reason for it. `explain` and `why` show these reasons.
enum class PlaceReason : uint8_t {
  kAsked,            // the node, or one that it is colocated with, requests this device
  kAskedNotGot,      // soft placement: the requested device does not exist or has no kernel
  kOnlyKernel,       // the first choice has no kernel
  kColocated,        // the device of another node; Placement::detail names it
  kFedHere,          // the node is fed and does not run: the device that its feed arrives on
  kDefault,          // the first device with a kernel
  kKept,             // a stateful node, on the device that an earlier plan gave it
  kFollowsInput,     // a Switch outside of loops, on the device of its data
  kFollowsConsumer,  // a node without inputs, on the device of all its consumers
};
inline constexpr int kPlaceReasons = 9;
// Returns the text of a reason in reports. `detail` is Placement::detail.
std::string ReasonText(PlaceReason reason, std::string_view detail = {});
struct Placement {
  std::vector<uint16_t> device;  // by position in Pruned::nodes: index in the DeviceMgr
  std::vector<PlaceReason> reason;
  std::vector<std::string> detail;    // a colocated node, or the requested device; often empty
  std::vector<uint16_t> feed_device;  // by feed: the device on which the value arrives
  std::vector<uint32_t> group;        // by position: see GroupByWaits; may be empty
};
struct PlaceOptions {
  bool allow_soft_placement = false;
  // The devices of stateful nodes in earlier plans, by node id. These nodes are not moved. May be
  // null.
  const std::unordered_map<uint32_t, uint16_t>* kept = nullptr;
  // For tests: a group that requests no device goes to the next device in turn instead of the
  // first.
  bool spread = false;
  // The consumers of the graph's nodes without inputs. If null, Place builds an index when it needs
  // one, which costs a walk over the graph.
  ConsumerIndex* consumers = nullptr;
  // For the body of a function: the device of the node that calls it. The arguments arrive there,
  // and nodes that request no device are placed there, as in TensorFlow. UINT16_MAX otherwise.
  uint16_t home = UINT16_MAX;
};
Result<Placement> Place(const Graph& graph, const RunSignature& signature, const Pruned& pruned,
                        const DeviceMgr& devices, const PlaceOptions& options);

// Keeps nodes that wait for elements of a queue (OpDef::waits_for) from holding back others, whose
// effect they may be waiting for. If their waits follow one another, reorders `nodes` so that each
// node comes before the waits that it does not depend on. Otherwise, as when a step both adds and
// takes elements, sets waits_apart.
void ArrangeWaits(const Graph& graph, Pruned& pruned);

// Assigns nodes that wait for the same arrivals from other processes, and, if waits_apart is set,
// for the same queues, to the same group, so that a partition (one device and one group) never waits
// while part of it could run. Within a loop, the arrivals of one iteration count. Returns an empty
// vector if the nodes need only one group.
std::vector<uint32_t> GroupByWaits(const Graph& graph, const Pruned& pruned);

// ④ A list of items for each device, with a Send and a Recv for each cut edge, in an order that
// cannot deadlock. A loop with nodes on several devices begins, tests its condition and ends on
// each of them. The values that cross devices inside the loop, and the value of its LoopCond, are
// sent once in each iteration.
struct Transfer {
  ValueId value = kNoValue;   // if kNoValue, the transfer is a control edge
  NodeId control = kNoNode;   //   from this node
  uint16_t from = 0, to = 0;  // partitions
  std::vector<NodeId> consumers;
  // If not 0: a loop frame. The transfer tells whether this loop runs, and carries no value.
  uint32_t loop = 0;
};
struct PlanItem {
  // The loop kinds mark the beginning of an iteration, the test of the LoopCond and the end.
  enum Kind : uint8_t { kNode, kSend, kRecv, kLoopBegin, kLoopTest, kLoopEnd } kind;
  NodeId node = kNoNode;  // kNode
  uint32_t transfer = 0;  // kSend, kRecv: the transfer; loop kinds: the frame
};
struct Partition {
  uint16_t device;
  uint32_t group = 0;
  std::vector<PlanItem> items;
};
struct Partitioned {
  std::vector<Partition> parts;     // ordered by first node; at least one
  std::vector<Transfer> transfers;  // the index is the number of the channel
  std::vector<uint16_t> feed_part;  // by feed: the partition on which the value arrives
  std::vector<uint16_t> part_of;    // by position in Pruned::nodes
};
Partitioned MakePartitions(const Graph& graph, const Pruned& pruned, const Placement& placement);

// The values that the optimizer replaces by equal ones of the same partition (rewrites.h). The nodes
// that would compute them are left out of the program. The stages before stay as they are.
struct Rewrites {
  enum Kind : uint8_t {
    kPasses,    // it passes on the value of its input
    kSame,      // an earlier node computes the same values
    kCancels,   // it undoes the node before it
    kUnneeded,  // its values were used only by nodes that are left out
    kFlag,      // a Transpose; the products that use it transpose its input
  };
  IdMap nodes;  // node → Kind
  // Value of such a node → the value that takes its place; not for kUnneeded and kFlag.
  IdMap values;
  IdMap flags;  // product → a set of bits: bit i means that it transposes input i in its kernel
  IdMap joins;  // node that computes with another kernel → index in `joined`
  std::vector<JoinedKernel> joined;
  bool LeavesOut(NodeId node) const {
    return nodes.size() && nodes.Find(Index(node)) != UINT32_MAX;
  }
  // Returns the value that takes the place of `v` in its partition.
  ValueId Replaced(ValueId v) const {
    const uint32_t by = values.size() ? values.Find(Index(v)) : UINT32_MAX;
    return by == UINT32_MAX ? v : ValueId{by};
  }
  // True if input i of the node is the output of a Transpose whose input its kernel reads instead.
  bool Transposes(NodeId node, uint32_t i) const {
    const uint32_t bits = flags.size() ? flags.Find(Index(node)) : UINT32_MAX;
    return bits != UINT32_MAX && (bits >> i & 1);
  }
};

// The results of all stages for one run, from which programs are compiled, cuts for other processes
// are made, and `explain` prints. The graph must outlive them.
struct Stages {
  const Graph& graph;
  RunSignature signature;
  Pruned pruned;
  Placement placement;
  Partitioned partitioned;
  uint32_t max_node = 0;   // the last node that the run uses, by id
  bool optimized = false;  // as CompileOptions::optimize
  Rewrites rewrites = {};  // empty unless the program is optimized
};
// Prunes, orders, places and partitions. Returns InvalidArgument if a placeholder would run that is
// not fed, and the errors of OrderFlow and Place.
Result<Stages> FindStages(const Graph& graph, RunSignature signature, const DeviceMgr& devices,
                          const PlaceOptions& options);

}  // namespace tensh
