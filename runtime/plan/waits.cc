#include <algorithm>
#include <map>

#include "runtime/plan/stages.h"

namespace tensh {
namespace {

// Sets of arrivals. They are interned, so equal sets have equal ids. Id 0 is the empty set.
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
  // Returns the id of `set`, or `otherwise` if there are very many sets. A coarser group is
  // correct, but waits longer.
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

// The group of a node is the set of arrivals that it waits for within its loop. The nodes that
// carry a loop (its home) wait between iterations, and nodes that wait for nothing within an
// iteration join them. A loop that contains an arrival counts as an arrival for the nodes after it.
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
  // Visits the nodes of a frame, from position `begin` on. `home` is the group of the nodes that
  // wait for nothing.
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
      if (at < i) waits = sets_.Union(waits, waits_[at]);  // skips the back edge of a loop
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
  Sets sets_;  // of positions of arrivals, and of n_ + frame for loops that contain one
  std::vector<uint32_t> waits_, group_;
};

}  // namespace

std::vector<uint32_t> GroupByWaits(const Graph& graph, const Pruned& pruned) {
  const auto& roles = pruned.flow.role;
  if (std::find(roles.begin(), roles.end(), OpRole::kRecv) == roles.end()) return {};
  return Grouper(graph, pruned).Run();
}

}  // namespace tensh
