#include <algorithm>
#include <map>

#include "runtime/plan/stages.h"

namespace tensh {
namespace {

// Sets of arrivals, interned: equal sets have equal ids. 0 is the empty one.
class Sets {
 public:
  Sets() : sets_(1) {}
  uint32_t Single(uint32_t arrival) { return Intern({arrival}, 0); }
  uint32_t Union(uint32_t a, uint32_t b) {
    if (a == b || !b) return a;
    if (!a) return b;
    auto [it, added] = unions_.try_emplace({std::min(a, b), std::max(a, b)}, 0);
    if (!added) return it->second;
    std::vector<uint32_t> both;
    std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                   std::back_inserter(both));
    return it->second = Intern(std::move(both), a);
  }

 private:
  // A coarser group only waits longer: `otherwise` when there are very many.
  uint32_t Intern(std::vector<uint32_t> set, uint32_t otherwise) {
    auto found = ids_.find(set);
    if (found != ids_.end()) return found->second;
    if (sets_.size() >= kMost) return otherwise;
    sets_.push_back(set);
    const auto id = static_cast<uint32_t>(sets_.size() - 1);
    ids_.emplace(std::move(set), id);
    return id;
  }
  static constexpr size_t kMost = 4096;
  std::vector<std::vector<uint32_t>> sets_;  // sorted
  std::map<std::vector<uint32_t>, uint32_t> ids_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> unions_;
};

// A node's group is what it waits for within the loop it is in. What carries a loop (its home)
// waits between the iterations, so nodes that wait for nothing within one are with the home; a loop
// in which something arrives is itself something that what comes behind it waits for.
class Grouper {
 public:
  Grouper(const Graph& graph, const Pruned& pruned)
      : g_(graph),
        p_(pruned),
        flow_(pruned.flow),
        n_(static_cast<uint32_t>(pruned.nodes.size())),
        waits_(n_, 0),
        group_(n_, 0) {}

  std::vector<uint32_t> Run() {
    Walk(0, 0, n_, 0);
    return std::move(group_);
  }

 private:
  // The nodes of a frame, from position `begin` on; `home` is the group of what waits for nothing.
  void Walk(uint32_t frame, uint32_t begin, uint32_t end, uint32_t home) {
    for (uint32_t i = begin; i < end;) {
      uint32_t inner = flow_.frame_of[i];
      if (inner == frame) {
        waits_[i] = frame && CarriesLoop(g_, p_, i) ? 0 : WaitsOf(i);
        group_[i] = waits_[i] ? waits_[i] : home;
        ++i;
        continue;
      }
      while (flow_.frames[inner].parent != frame) inner = flow_.frames[inner].parent;
      WalkLoop(inner, home);
      i = flow_.frames[inner].end;
    }
  }

  void WalkLoop(uint32_t f, uint32_t around) {
    const LoopFrame& loop = flow_.frames[f];
    uint32_t waits = 0;
    for (uint32_t i = loop.begin; i < loop.end; ++i) {
      const bool enters = flow_.frame_of[i] == f && flow_.role[i] == OpRole::kEnter;
      if (enters || !loop.usual) waits = sets_.Union(waits, WaitsOf(i));
      if (flow_.role[i] == OpRole::kRecv) waits = sets_.Union(waits, sets_.Single(n_ + f));
    }
    const uint32_t home = waits ? waits : around;
    if (loop.usual)
      Walk(f, loop.begin, loop.end, home);
    else
      std::fill(&group_[0] + loop.begin, &group_[0] + loop.end, home);
    for (uint32_t i = loop.begin; i < loop.end; ++i)
      if (flow_.frame_of[i] == f && flow_.role[i] == OpRole::kExit) waits_[i] = waits;
  }

  uint32_t WaitsOf(uint32_t i) {
    const NodeId node = p_.nodes[i];
    uint32_t waits = flow_.role[i] == OpRole::kRecv ? sets_.Single(i) : 0;
    const auto add = [&](NodeId from) {
      const uint32_t at = p_.position.Find(Index(from));
      if (at < i) waits = sets_.Union(waits, waits_[at]);  // not the back edge of a loop
    };
    for (uint32_t k = 0; k < g_.num_inputs(node); ++k)
      if (p_.fed.Find(Index(g_.input(node, k))) == UINT32_MAX) add(g_.node_of(g_.input(node, k)));
    for (uint32_t k = 0; k < g_.num_controls(node); ++k) add(g_.control(node, k));
    return waits;
  }

  const Graph& g_;
  const Pruned& p_;
  const Flow& flow_;
  const uint32_t n_;
  Sets sets_;  // of positions, and n_ + frame
  std::vector<uint32_t> waits_, group_;
};

}  // namespace

std::vector<uint32_t> GroupByWaits(const Graph& graph, const Pruned& pruned) {
  const auto& roles = pruned.flow.role;
  if (std::find(roles.begin(), roles.end(), OpRole::kRecv) == roles.end()) return {};
  return Grouper(graph, pruned).Run();
}

}  // namespace tensh
