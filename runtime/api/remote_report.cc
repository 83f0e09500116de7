#include "runtime/api/remote_report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "runtime/api/named_devices.h"

namespace tensh::api {
namespace {

constexpr uint16_t kNowhere = UINT16_MAX;

// Corrects the reasons of nodes that the server placed. The server does not report its reasons. A
// node that is not on the device that it requests is marked as such.
void NoteMoved(const DeviceMgr& devices, Stages& stages) {
  Placement& placement = stages.placement;
  for (size_t i = 0; i < stages.pruned.nodes.size(); ++i) {
    const auto asked = DeviceName::Parse(stages.graph.device(stages.pruned.nodes[i]));
    PlaceReason& reason = placement.reason[i];
    const bool asks = asked.ok() && !asked->empty();
    if (reason == PlaceReason::kKept) reason = asks ? PlaceReason::kAsked : PlaceReason::kDefault;
    if (!asks || reason != PlaceReason::kAsked) continue;
    if (asked->Matches(devices[placement.device[i]].name())) continue;
    reason = PlaceReason::kAskedNotGot;
    placement.detail[i] = "the server chose otherwise";
  }
}

// Finds the partition and the transfer of the plan for an event.
class Placed {
 public:
  explicit Placed(const Stages& stages) : stages_(stages) {
    const std::vector<Transfer>& transfers = stages.partitioned.transfers;
    for (uint32_t t = 0; t < transfers.size(); ++t)
      transfers_.emplace(KeyOf(transfers[t].value, transfers[t].control,
                               stages.partitioned.parts[transfers[t].to].device),
                         t);
  }

  bool Compute(const RemoteRecord::Event& e, StepEvent* out) const {
    const uint32_t position = stages_.pruned.position.Find(Index(e.value.node));
    if (position >= stages_.partitioned.part_of.size()) return false;
    *out = {StepEvent::kCompute,
            stages_.partitioned.part_of[position],
            e.value.node,
            0,
            e.start_ns,
            e.end_ns,
            e.bytes};
    return out->part < stages_.partitioned.parts.size();
  }

  // `from` and `to` are devices, or kNowhere if the server does not report them.
  bool Move(const RemoteRecord::Event& e, uint16_t from, uint16_t to, StepEvent* out) const {
    const Graph& g = stages_.graph;
    const bool control = e.value.index == TSH_NO_NODE;
    if (!control && e.value.index >= g.num_outputs(e.value.node)) return false;
    const Key key = control ? KeyOf(kNoValue, e.value.node, to)
                            : KeyOf(g.output(e.value.node, e.value.index), kNoNode, to);
    auto found = transfers_.find(key);
    if (to == kNowhere) {
      found = transfers_.begin();
      while (found != transfers_.end() && !SameEdge(*found, key, from)) ++found;
    }
    if (found == transfers_.end()) return false;
    const Transfer& transfer = stages_.partitioned.transfers[found->second];
    const bool send = e.kind == TENSH_SEND;
    *out = {send ? StepEvent::kSend : StepEvent::kRecv,
            send ? transfer.from : transfer.to,
            e.value.node,
            found->second,
            e.start_ns,
            e.end_ns,
            e.bytes};
    return true;
  }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint16_t>;
  static Key KeyOf(ValueId value, NodeId control, uint16_t to) {
    return {Index(value), value == kNoValue ? Index(control) : 0, to};
  }
  bool SameEdge(const std::pair<const Key, uint32_t>& entry, const Key& key, uint16_t from) const {
    const Transfer& transfer = stages_.partitioned.transfers[entry.second];
    return std::get<0>(entry.first) == std::get<0>(key) &&
           std::get<1>(entry.first) == std::get<1>(key) &&
           stages_.partitioned.parts[transfer.from].device == from;
  }

  const Stages& stages_;
  std::map<Key, uint32_t> transfers_;
};

// The server's recv starts when the value is requested. The part before its send ended becomes a
// wait.
void CutWaits(std::vector<StepEvent>* events) {
  std::map<uint32_t, int64_t> sent;
  for (const StepEvent& e : *events)
    if (e.kind == StepEvent::kSend) sent[e.transfer] = e.end_ns;
  for (StepEvent& e : *events) {
    const auto found = sent.find(e.transfer);
    if (e.kind == StepEvent::kRecv && found != sent.end())
      e.start_ns = std::clamp(found->second, e.start_ns, e.end_ns);
  }
}

// Servers report the bytes of a transfer where it arrives, or not at all. Then the shape tells them,
// if it is known.
void FillBytes(const Stages& stages, std::vector<StepEvent>* events) {
  std::map<uint32_t, int64_t> moved;
  const auto moves = [](const StepEvent& e) {
    return e.kind == StepEvent::kSend || e.kind == StepEvent::kRecv;
  };
  for (const StepEvent& e : *events) {
    if (!moves(e)) continue;
    int64_t& bytes = moved[e.transfer];
    bytes = std::max(bytes, e.bytes);
  }
  const Graph& g = stages.graph;
  for (auto& [transfer, bytes] : moved) {
    const ValueId value = stages.partitioned.transfers[transfer].value;
    if (bytes > 0 || value == kNoValue || g.dtype(value) == DType::kString) continue;
    if (g.shape(value).IsFullyKnown())
      bytes = g.shape(value).num_elements() * static_cast<int64_t>(SizeOf(g.dtype(value)));
  }
  for (StepEvent& e : *events)
    if (moves(e)) e.bytes = moved[e.transfer];
}

// Separates the events inside of loops from the others, as in a step that runs here: servers report
// each execution of a node, without the iteration.
class Loops {
 public:
  Loops(const Stages& stages, StepTrace* step)
      : stages_(stages), flow_(stages.pruned.flow), step_(*step) {}

  void Sort() {
    if (flow_.empty()) return;
    std::vector<StepEvent> outside;
    for (const StepEvent& e : step_.events) {
      const uint32_t at = Position(e);
      const uint32_t loop = e.kind == StepEvent::kCompute && at != UINT32_MAX ? Outermost(at) : 0;
      if (loop == 0)
        outside.push_back(e);
      else if (flow_.role[at] != OpRole::kLoopCond)
        AddInside(e);
      else if (flow_.frame_of[at] == loop)
        Widen(loop, e);
    }
    step_.events = std::move(outside);
    std::stable_sort(
        step_.in_loops.begin(), step_.in_loops.end(),
        [](const LoopEvent& a, const LoopEvent& b) { return a.event.start_ns < b.event.start_ns; });
    // A server tells at most so many events of each partition.
    const bool all = step_.in_loops.size() < kLoopEvents;
    for (uint32_t f = 1; f < flow_.frames.size(); ++f)
      if (flow_.frames[f].parent == 0) Number(f, all);
    step_.partial = !all || several_;
    for (const auto& [loop, event] : whole_) step_.events.push_back(event);
  }

 private:
  uint32_t Position(const StepEvent& e) const {
    return e.node == kNoNode ? UINT32_MAX : stages_.pruned.position.Find(Index(e.node));
  }
  uint32_t Outermost(uint32_t position) const {
    uint32_t f = flow_.frame_of[position];
    while (f != 0 && flow_.frames[f].parent != 0) f = flow_.frames[f].parent;
    return f;
  }
  void AddInside(const StepEvent& e) {
    LoopSum& sum = step_.loop_sums[Index(e.node)];
    ++sum.calls;
    sum.ns += e.end_ns - e.start_ns;
    step_.in_loops.push_back({e, 0, 0, ""});
  }
  void Widen(uint32_t loop, const StepEvent& e) {
    const auto [at, added] = whole_.emplace(loop, e);
    StepEvent& event = at->second;
    // A server that tells each execution is TensorFlow's, which folds nodes and leaves them out.
    several_ |= !added;
    event.iterations = added ? e.bytes : 0;  // several events are single executions
    event.bytes = 0;
    event.start_ns = std::min(event.start_ns, e.start_ns);
    event.end_ns = std::max(event.end_ns, e.end_ns);
  }

  // Numbers the iterations of an outermost loop by the executions of a node that runs in each one,
  // before the condition is known.
  void Number(uint32_t loop, bool all) {
    const LoopFrame& frame = flow_.frames[loop];
    NodeId anchor = kNoNode;
    int64_t calls = 0;
    for (uint32_t i = frame.body; i < frame.test && i < frame.tail; ++i) {
      const NodeId node = stages_.pruned.nodes[i];
      const auto sum = step_.loop_sums.find(Index(node));
      if (flow_.frame_of[i] != loop || sum == step_.loop_sums.end() || sum->second.calls <= calls)
        continue;
      anchor = node, calls = sum->second.calls;
    }
    int64_t iteration = 0;
    std::optional<StepEvent> span;
    for (LoopEvent& e : step_.in_loops) {
      if (Outermost(Position(e.event)) != loop) continue;
      iteration += e.event.node == anchor ? 1 : 0;
      e.iteration = std::max<int64_t>(iteration, 1);
      if (!span) span = e.event;
      span->end_ns = std::max(span->end_ns, e.event.end_ns);
    }
    if (!span || anchor == kNoNode || frame.cond == kNoNode) return;
    span->node = frame.cond, span->bytes = 0;
    const auto [at, added] = whole_.emplace(loop, *span);
    if (all || added) at->second.iterations = all ? calls - 1 : 0;
  }

  const Stages& stages_;
  const Flow& flow_;
  StepTrace& step_;
  std::map<uint32_t, StepEvent> whole_;  // the event of each outermost loop
  bool several_ = false;                 // a LoopCond has several events
};

}  // namespace

tensh_dist_trace RemoteRecord::table() {
  tensh_dist_trace table{};
  table.context = this;
  table.place = [](void* self, tsh_node node, const char* device) {
    static_cast<RemoteRecord*>(self)->places.emplace_back(NodeId{node}, device);
  };
  table.event = [](void* self, const tensh_dist_event* e) {
    static_cast<RemoteRecord*>(self)->events.push_back({e->kind,
                                                        {NodeId{e->value.node}, e->value.index},
                                                        e->device,
                                                        e->to ? e->to : "",
                                                        e->start_ns,
                                                        e->end_ns,
                                                        e->bytes});
  };
  return table;
}

Status RemoteStages::SetDevices(std::span<const DeviceInfo> devices) {
  std::lock_guard lock(mu_);
  if (devices_.size() > 0) return {};
  TENSH_ASSIGN(devices_, NamedDevices(devices));
  return {};
}

bool RemoteStages::has_devices() const {
  std::lock_guard lock(mu_);
  return devices_.size() > 0;
}

const DeviceMgr& RemoteStages::devices() const {
  static const DeviceMgr none;
  std::lock_guard lock(mu_);
  return devices_.size() > 0 ? devices_ : none;
}

uint16_t RemoteStages::DeviceNamed(const std::string& name) const {
  for (size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i].info().name == name) return static_cast<uint16_t>(i);
  return kNowhere;
}

Result<std::shared_ptr<const Stages>> RemoteStages::Find(const RunRequest& request) {
  TENSH_ASSIGN(RunSignature signature, CheckRequest(graph_, request));
  std::lock_guard lock(mu_);
  const PlaceOptions options{soft_placement_, &said_, false};
  TENSH_ASSIGN(Stages stages, FindStages(graph_, std::move(signature), devices_, options));
  NoteMoved(devices_, stages);
  return std::make_shared<const Stages>(std::move(stages));
}

Result<RunTrace> RemoteStages::Trace(const RunRequest& request, const RemoteRecord& record) {
  {
    std::lock_guard lock(mu_);
    for (const auto& [node, name] : record.places)
      if (const uint16_t device = DeviceNamed(name); device != kNowhere)
        said_[Index(node)] = device;
  }
  RunTrace trace;
  TENSH_ASSIGN(trace.run.stages, Find(request));
  const Placed placed(*trace.run.stages);
  for (const RemoteRecord::Event& e : record.events) {
    if (Index(e.value.node) >= graph_.size()) continue;
    StepEvent event{};
    const bool known = e.kind == TENSH_COMPUTE
                           ? placed.Compute(e, &event)
                           : placed.Move(e, DeviceNamed(e.device), DeviceNamed(e.to), &event);
    if (known) trace.step.events.push_back(event);
  }
  CutWaits(&trace.step.events);
  FillBytes(*trace.run.stages, &trace.step.events);
  Loops(*trace.run.stages, &trace.step).Sort();
  trace.step.wall_ns = record.wall_ns;
  for (const StepEvent& e : trace.step.events)
    trace.step.wall_ns = std::max(trace.step.wall_ns, e.end_ns);
  return trace;
}

void RemoteStages::Forget(uint32_t first_node) {
  std::lock_guard lock(mu_);
  std::erase_if(said_, [&](const auto& entry) { return entry.first >= first_node; });
}

}  // namespace tensh::api
