#include <map>

#include "runtime/plan/stages.h"

namespace tensh {
namespace {

class Partitioner {
 public:
  Partitioner(const Graph& graph, const Pruned& pruned, const Placement& placement)
      : g_(graph), p_(pruned), placement_(placement) {}

  Partitioned Run() {
    for (uint32_t i = 0; i < p_.nodes.size(); ++i)
      out_.part_of.push_back(
          PartOn(placement_.device[i], placement_.group.empty() ? 0 : placement_.group[i]));
    for (uint16_t device : placement_.feed_device) out_.feed_part.push_back(PartOn(device, 0));
    if (out_.parts.empty()) out_.parts.push_back({0, 0, {}});
    if (out_.parts.size() > 1) FindCuts();
    Emit();
    return std::move(out_);
  }

 private:
  uint16_t PartOn(uint16_t device, uint32_t group) {
    const auto next = static_cast<uint16_t>(out_.parts.size());
    auto [it, added] = part_on_.try_emplace({device, group}, next);
    if (added) out_.parts.push_back({device, group, {}});
    return it->second;
  }

  // One transfer a value (or control source) and destination, however many consumers it has there.
  void FindCuts() {
    for (uint32_t i = 0; i < p_.nodes.size(); ++i) {
      NodeId node = p_.nodes[i];
      uint16_t to = out_.part_of[i];
      for (uint32_t k = 0; k < g_.num_inputs(node); ++k) {
        ValueId v = g_.input(node, k);
        uint32_t feed = p_.fed.Find(Index(v));
        uint16_t from = feed != UINT32_MAX ? out_.feed_part[feed]
                                           : out_.part_of[p_.position.Find(Index(g_.node_of(v)))];
        if (from != to) AddConsumer(Cut(v, kNoNode, from, to), node);
      }
      for (uint32_t k = 0; k < g_.num_controls(node); ++k) {
        NodeId source = g_.control(node, k);
        const uint32_t position = p_.position.Find(Index(source));
        if (position == UINT32_MAX) continue;  // a placeholder that is fed
        uint16_t from = out_.part_of[position];
        if (from != to) AddConsumer(Cut(kNoValue, source, from, to), node);
      }
    }
  }

  uint32_t Cut(ValueId value, NodeId control, uint16_t from, uint16_t to) {
    auto key = std::make_tuple(Index(value), Index(control), to);
    auto [it, added] = cuts_.try_emplace(key, static_cast<uint32_t>(out_.transfers.size()));
    if (added) out_.transfers.push_back({value, control, from, to, {}});
    return it->second;
  }

  void AddConsumer(uint32_t transfer, NodeId node) {
    auto& consumers = out_.transfers[transfer].consumers;
    if (consumers.empty() || consumers.back() != node) consumers.push_back(node);
  }

  // Every partition lists its items in graph order: a Send right behind its producer, a Recv right
  // before its first consumer, or before the loop that is in. As the order is the same everywhere,
  // no set of waits can close a circle.
  void Emit() {
    for (uint32_t t = 0; t < out_.transfers.size(); ++t) {
      const Transfer& transfer = out_.transfers[t];
      bool fed = transfer.value != kNoValue && p_.fed.Find(Index(transfer.value)) != UINT32_MAX;
      if (fed)
        out_.parts[transfer.from].items.push_back({PlanItem::kSend, kNoNode, t});
      else
        sends_.emplace(
            Index(transfer.value == kNoValue ? transfer.control : g_.node_of(transfer.value)), t);
      recvs_.emplace(FirstOfLoop(p_.position.Find(Index(transfer.consumers.front()))), t);
    }
    if (p_.flow.empty())
      for (uint32_t i = 0; i < p_.nodes.size(); ++i) EmitNode(i);
    else
      EmitFrame(0);
  }

  // The position of the first node of the outermost loop around position i.
  uint32_t FirstOfLoop(uint32_t i) const {
    if (p_.flow.empty() || !p_.flow.frame_of[i]) return i;
    uint32_t f = p_.flow.frame_of[i];
    while (p_.flow.frames[f].parent) f = p_.flow.frames[f].parent;
    return p_.flow.frames[f].begin;
  }

  void EmitNode(uint32_t i) {
    for (auto [it, end] = recvs_.equal_range(i); it != end; ++it)
      out_.parts[out_.transfers[it->second].to].items.push_back(
          {PlanItem::kRecv, kNoNode, it->second});
    auto& items = out_.parts[out_.part_of[i]].items;
    items.push_back({PlanItem::kNode, p_.nodes[i], 0});
    for (auto [it, end] = sends_.equal_range(Index(p_.nodes[i])); it != end; ++it)
      items.push_back({PlanItem::kSend, kNoNode, it->second});
  }

  void EmitFrame(uint32_t f) {
    const LoopFrame& frame = p_.flow.frames[f];
    auto mark = [&](PlanItem::Kind kind) {
      if (f) out_.parts[out_.part_of[frame.begin]].items.push_back({kind, frame.cond, f});
    };
    for (uint32_t i = frame.begin;;) {
      if (i == frame.body) mark(PlanItem::kLoopBegin);
      if (i == frame.test && frame.usual) mark(PlanItem::kLoopTest);
      if (i == frame.tail) mark(PlanItem::kLoopEnd);
      if (i >= frame.end) return;
      uint32_t inner = p_.flow.frame_of[i];
      if (inner == f) {
        EmitNode(i++);
        continue;
      }
      while (p_.flow.frames[inner].parent != f) inner = p_.flow.frames[inner].parent;
      EmitFrame(inner);
      i = p_.flow.frames[inner].end;
    }
  }

  const Graph& g_;
  const Pruned& p_;
  const Placement& placement_;
  std::map<std::pair<uint16_t, uint32_t>, uint16_t> part_on_;
  std::map<std::tuple<uint32_t, uint32_t, uint16_t>, uint32_t> cuts_;
  std::multimap<uint32_t, uint32_t> sends_, recvs_;  // by node; by position: transfers
  Partitioned out_;
};

}  // namespace

Partitioned MakePartitions(const Graph& graph, const Pruned& pruned, const Placement& placement) {
  return Partitioner(graph, pruned, placement).Run();
}

}  // namespace tensh
