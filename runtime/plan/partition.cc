#include <algorithm>
#include <map>
#include <set>

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
    FindParticipants();
    if (out_.parts.size() > 1) FindCuts(), CutLoops();
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

  // Creates one transfer for each pair of a value (or control source) and a destination, however
  // many consumers it has there.
  void FindCuts() {
    for (uint32_t i = 0; i < p_.nodes.size(); ++i) {
      NodeId node = p_.nodes[i];
      uint16_t to = out_.part_of[i];
      for (uint32_t k = 0; k < g_.num_inputs(node); ++k) {
        ValueId v = g_.input(node, k);
        const uint16_t from = PartOfValue(v);
        if (from != to) AddConsumer(Cut(v, kNoNode, from, to), node);
      }
      for (uint32_t k = 0; k < g_.num_controls(node); ++k) {
        NodeId source = g_.control(node, k);
        const uint32_t position = p_.position.Find(Index(source));
        if (position == UINT32_MAX) continue;  // a fed placeholder
        uint16_t from = out_.part_of[position];
        if (from != to) AddConsumer(Cut(kNoValue, source, from, to), node);
      }
    }
  }

  uint16_t PartOfValue(ValueId v) const {
    const uint32_t feed = p_.fed.Find(Index(v));
    return feed != UINT32_MAX ? out_.feed_part[feed]
                              : out_.part_of[p_.position.Find(Index(g_.node_of(v)))];
  }

  uint32_t Cut(ValueId value, NodeId control, uint16_t from, uint16_t to) {
    auto key = std::make_tuple(Index(value), Index(control), to);
    auto [it, added] = cuts_.try_emplace(key, static_cast<uint32_t>(out_.transfers.size()));
    if (added) out_.transfers.push_back({value, control, from, to, {}, 0});
    return it->second;
  }

  void AddConsumer(uint32_t transfer, NodeId node) {
    auto& consumers = out_.transfers[transfer].consumers;
    if (consumers.empty() || consumers.back() != node) consumers.push_back(node);
  }

  // ---- loops ----

  bool InNoLoop() const { return p_.flow.frames.size() < 2; }
  uint16_t HomeOf(uint32_t frame) const { return out_.part_of[p_.flow.frames[frame].begin]; }

  void FindParticipants() {
    in_loop_.resize(p_.flow.frames.size());
    for (uint32_t i = 0; i < p_.flow.frame_of.size(); ++i)
      for (uint32_t f = p_.flow.frame_of[i]; f; f = p_.flow.frames[f].parent)
        if (in_loop_[f].emplace(out_.part_of[i], i).second == false) break;
  }

  // Every partition of a loop except its home is told whether the loop runs, and in each iteration
  // whether another one follows.
  void CutLoops() {
    for (uint32_t f = 1; f < p_.flow.frames.size(); ++f) {
      const LoopFrame& frame = p_.flow.frames[f];
      for (const auto& [part, first] : in_loop_[f]) {
        if (!frame.usual) continue;
        if (frame.guarded && part != HomeOf(f))
          out_.transfers.push_back(
              {kNoValue, p_.nodes[frame.begin], HomeOf(f), part, {p_.nodes[first]}, f});
        const ValueId cond = g_.output(frame.cond, 0);
        const uint16_t from = PartOfValue(cond);
        if (from == part) continue;
        const uint32_t t = Cut(cond, kNoNode, from, part);
        if (!out_.transfers[t].consumers.empty()) continue;
        AddConsumer(t, p_.nodes[first]);
        only_tested_.insert(t);
      }
    }
  }

  // Returns the innermost loop in which node i yields one value per iteration. For an Enter or Exit
  // that is the loop around its own.
  uint32_t Level(uint32_t i) const {
    if (InNoLoop()) return 0;
    const OpRole role = p_.flow.role[i];
    const uint32_t f = p_.flow.frame_of[i];
    return role == OpRole::kEnter || role == OpRole::kExit ? p_.flow.frames[f].parent : f;
  }

  // Returns the position of node i as seen from a frame around it: its own, or that of the first
  // node of the inner loop that contains it.
  uint32_t SeenFrom(uint32_t frame, uint32_t i) const {
    uint32_t f = Level(i);
    if (f == frame || p_.flow.frame_of[i] == frame) return i;
    while (f && p_.flow.frames[f].parent != frame) f = p_.flow.frames[f].parent;
    return p_.flow.frames[f].begin;
  }

  // Returns 0 for a node that runs in every iteration, 1 for one that runs if the loop condition is
  // true, and 2 for one that runs after the loop has ended.
  int Section(uint32_t frame, uint32_t i) const {
    if (!frame) return 0;
    const LoopFrame& f = p_.flow.frames[frame];
    return i < f.test ? 0 : i < f.tail ? 1 : 2;
  }

  // A Send follows its producer. A Recv precedes its first consumer, or the loop that contains the
  // consumer. If the test of the loop lies between producer and consumer, the Send is moved behind
  // the test, so that Send and Recv run equally often.
  void PlaceTransfer(uint32_t t) {
    const Transfer& transfer = out_.transfers[t];
    if (transfer.loop) {
      begins_.emplace(transfer.loop, t);
      return;
    }
    const uint32_t from = p_.position.Find(
        Index(transfer.value == kNoValue ? transfer.control : g_.node_of(transfer.value)));
    const bool fed = transfer.value != kNoValue && p_.fed.Find(Index(transfer.value)) != UINT32_MAX;
    const uint32_t level = fed ? 0 : Level(from);
    uint32_t at = UINT32_MAX;
    for (NodeId consumer : transfer.consumers)
      at = std::min(at, SeenFrom(level, p_.position.Find(Index(consumer))));
    // The loop's test needs the condition, even if its first other consumer comes later.
    const bool tests = level && p_.nodes[from] == p_.flow.frames[level].cond;
    if (tests && only_tested_.contains(t)) at = p_.flow.frames[level].test;
    if (tests && at >= p_.flow.frames[level].test)
      test_recvs_.emplace(level, t);
    else
      recvs_.emplace(at, t);
    if (fed)
      out_.parts[transfer.from].items.push_back({PlanItem::kSend, kNoNode, t});
    else if (const int section = Section(level, at); !tests && section > Section(level, from))
      late_sends_.emplace(std::pair(level, section), t);
    else
      sends_.emplace(Index(p_.nodes[from]), t);
  }

  // Every partition lists its items in graph order. The order is the same everywhere, so waits
  // cannot form a cycle.
  void Emit() {
    for (uint32_t t = 0; t < out_.transfers.size(); ++t) PlaceTransfer(t);
    if (p_.flow.empty())
      for (uint32_t i = 0; i < p_.nodes.size(); ++i) EmitNode(i);
    else
      EmitFrame(0);
  }

  template <class Map, class Key>
  void EmitTransfers(const Map& map, const Key& key, PlanItem::Kind kind) {
    for (auto [it, end] = map.equal_range(key); it != end; ++it) {
      const Transfer& transfer = out_.transfers[it->second];
      out_.parts[kind == PlanItem::kSend ? transfer.from : transfer.to].items.push_back(
          {kind, kNoNode, it->second});
    }
  }

  void EmitNode(uint32_t i) {
    EmitTransfers(recvs_, i, PlanItem::kRecv);
    out_.parts[out_.part_of[i]].items.push_back({PlanItem::kNode, p_.nodes[i], 0});
    EmitTransfers(sends_, Index(p_.nodes[i]), PlanItem::kSend);
  }

  void EmitMark(uint32_t f, PlanItem::Kind kind) {
    const NodeId cond = p_.flow.frames[f].cond;
    for (const auto& [part, first] : in_loop_[f]) out_.parts[part].items.push_back({kind, cond, f});
  }

  // Emits the markers and transfers at position i of a loop.
  void EmitMarks(uint32_t f, uint32_t i) {
    const LoopFrame& frame = p_.flow.frames[f];
    if (i == frame.body) {
      EmitTransfers(begins_, f, PlanItem::kSend);
      EmitTransfers(begins_, f, PlanItem::kRecv);
      EmitMark(f, PlanItem::kLoopBegin);
    }
    if (i == frame.test && frame.usual) {
      EmitTransfers(test_recvs_, f, PlanItem::kRecv);
      EmitMark(f, PlanItem::kLoopTest);
      EmitTransfers(late_sends_, std::pair(f, 1), PlanItem::kSend);
    }
    if (i == frame.tail) {
      EmitMark(f, PlanItem::kLoopEnd);
      EmitTransfers(late_sends_, std::pair(f, 2), PlanItem::kSend);
    }
  }

  void EmitFrame(uint32_t f) {
    const LoopFrame& frame = p_.flow.frames[f];
    for (uint32_t i = frame.begin;;) {
      if (f) EmitMarks(f, i);
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
  std::multimap<uint32_t, uint32_t> sends_, recvs_;               // by node; by position: transfers
  std::multimap<uint32_t, uint32_t> begins_, test_recvs_;         // by frame
  std::multimap<std::pair<uint32_t, int>, uint32_t> late_sends_;  // by frame and section
  std::set<uint32_t> only_tested_;  // transfers that only the test of a loop consumes
  std::vector<std::map<uint16_t, uint32_t>> in_loop_;  // by frame: partition -> its first node
  Partitioned out_;
};

}  // namespace

Partitioned MakePartitions(const Graph& graph, const Pruned& pruned, const Placement& placement) {
  return Partitioner(graph, pruned, placement).Run();
}

}  // namespace tensh
