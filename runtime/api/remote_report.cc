#include "runtime/api/remote_report.h"

#include <algorithm>
#include <map>
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
