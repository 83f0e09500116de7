#pragma once
// The stages of a Run as plain data, and the pure functions between them: prune → place →
// partition. A plan keeps them, and explain prints these very data. Nothing here is recomputed for
// a report.
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/graph/graph.h"
#include "runtime/plan/consumers.h"
#include "runtime/plan/flow.h"

namespace tensh {

// What a Run is asked for. Order matters: values come back in the order of the fetches.
struct RunSignature {
  std::vector<ValueId> feeds, fetches;
  std::vector<NodeId> targets;
};

// A small set of ids with O(1) lookups, sized by what it holds and not by the graph.
class IdMap {
 public:
  IdMap() : IdMap(16) {}
  explicit IdMap(size_t expected);
  // The value stored for the key; UINT32_MAX when there is none.
  uint32_t Find(uint32_t key) const;
  // False when the key was there already.
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

// ② What the fetches and targets need.
struct Pruned {
  std::vector<NodeId> nodes;  // those that run, in graph (hence topological) order
  IdMap position;             // node → index in `nodes`
  IdMap fed;                  // value → index among the feeds
  // By index in `nodes`: nobody takes a value of this node, only control edges lead on from it, and
  // it has no effect, so its kernel is left out. Its place in the order stays: what comes after
  // still waits for what it would have waited for.
  std::vector<bool> unused;
  bool has_flow = false;  // a Switch, Merge or Enter is among them
  Flow flow;              // after OrderFlow
};
// Finds loops and branches, and orders the nodes so that loops lie in a row. InvalidArgument when
// an op takes values of different loops, or the nodes make a circle that is no loop.
Status OrderFlow(const Graph& graph, const RunSignature& signature, Pruned& pruned);
// Whether the node is the Merge of a loop's variable: one that a NextIteration leads to.
bool IsLoopVariable(const Graph& graph, const Pruned& pruned, NodeId node);
// Returns true if the node at this position passes values into a loop, out of it or from one
// iteration to the next: an Enter, an Exit, a NextIteration, the Merge of a loop variable or a
// Switch that the LoopCond decides. Such nodes wait between iterations. The LoopCond itself does
// not: it depends on what an iteration computes.
bool CarriesLoop(const Graph& graph, const Pruned& pruned, uint32_t position);
// Whether nothing in a loop decides anything but its own LoopCond, and nothing around it whether it
// runs: in each part of it that is cut off, compiled code knows the order of what arrives.
bool IsSimpleLoop(const Graph& graph, const Pruned& pruned, uint32_t frame);
Pruned Prune(const Graph& graph, const RunSignature& signature);

// ③ The device of each node, and the reason for it. `explain` and `why` show these reasons.
enum class PlaceReason : uint8_t {
  kAsked,            // the node, or one that it is colocated with, requests the device
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
// The text of a reason in reports. `detail` is Placement::detail: the node that a colocated one is
// with.
std::string ReasonText(PlaceReason reason, std::string_view detail = {});
struct Placement {
  std::vector<uint16_t> device;  // by position in Pruned::nodes: index in the DeviceMgr
  std::vector<PlaceReason> reason;
  std::vector<std::string> detail;    // "v" for colocated with v; what was asked for; often empty
  std::vector<uint16_t> feed_device;  // by feed: where the value arrives
  std::vector<uint32_t> group;        // by position, or empty: see GroupByWaits
};
struct PlaceOptions {
  bool allow_soft_placement = false;
  // Stateful nodes stay where an earlier plan put them.
  const std::unordered_map<uint32_t, uint16_t>* kept = nullptr;
  // For tests: a group that asks for no device goes to the next one in turn, not to the first.
  bool spread = false;
  // The consumers of the graph's nodes without inputs. If null, Place makes an index of its own
  // when it needs one, which costs a walk over the graph.
  ConsumerIndex* consumers = nullptr;
  // Of a function's body: the device it is called on. What asks for no device is there, as in
  // TensorFlow, and what is fed arrives there.
  uint16_t home = UINT16_MAX;
};
Result<Placement> Place(const Graph& graph, const RunSignature& signature, const Pruned& pruned,
                        const DeviceMgr& devices, const PlaceOptions& options);

// Nodes that wait for the same arrivals from other processes have the same group, so that a
// partition of one device and one group never waits while it could go on; in a loop, those that
// wait for the same within an iteration. Empty: nothing arrives.
std::vector<uint32_t> GroupByWaits(const Graph& graph, const Pruned& pruned);

// ④ One list of items a device, in an order that cannot deadlock, with Send/Recv pairs at the cut
// edges. A loop with nodes on several devices is begun, tested and ended on each of them; what is
// cut inside it passes once an iteration, in order, the LoopCond's value with it.
struct Transfer {
  ValueId value = kNoValue;   // kNoValue: a control edge,
  NodeId control = kNoNode;   //   from this node
  uint16_t from = 0, to = 0;  // partitions
  std::vector<NodeId> consumers;
  uint32_t loop = 0;  // a frame: neither value nor edge, but whether that loop runs at all
};
struct PlanItem {
  // The others mark where a loop's iterations begin, where its LoopCond is looked at, where they
  // end.
  enum Kind : uint8_t { kNode, kSend, kRecv, kLoopBegin, kLoopTest, kLoopEnd } kind;
  NodeId node = kNoNode;  // kNode
  uint32_t transfer = 0;  // kSend, kRecv; the frame for the loop kinds
};
struct Partition {
  uint16_t device;
  uint32_t group = 0;
  std::vector<PlanItem> items;
};
struct Partitioned {
  std::vector<Partition> parts;     // by first node; at least one
  std::vector<Transfer> transfers;  // index = channel
  std::vector<uint16_t> feed_part;  // by feed
  std::vector<uint16_t> part_of;    // by position in Pruned::nodes
};
Partitioned MakePartitions(const Graph& graph, const Pruned& pruned, const Placement& placement);

// The results of all stages for one run: everything that is decided before code is made. Programs
// are compiled from it, cuts for other processes are made from it, and `explain` prints it. The
// graph outlives it.
struct Stages {
  const Graph& graph;
  RunSignature signature;
  Pruned pruned;
  Placement placement;
  Partitioned partitioned;
  uint32_t max_node = 0;  // the last node that the run uses, by id
};
// Prunes, orders, places and partitions. InvalidArgument if a placeholder would run that is not
// fed.
Result<Stages> FindStages(const Graph& graph, RunSignature signature, const DeviceMgr& devices,
                          const PlaceOptions& options);

}  // namespace tensh
