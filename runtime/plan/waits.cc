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

}  // namespace

std::vector<uint32_t> GroupByWaits(const Graph& graph, const Pruned& pruned) {
  const Flow& flow = pruned.flow;
  const auto& kinds = flow.kind;
  if (std::find(kinds.begin(), kinds.end(), FlowKind::kArrival) == kinds.end()) return {};
  const auto n = static_cast<uint32_t>(pruned.nodes.size());
  Sets sets;
  std::vector<uint32_t> group(n, 0);
  auto waits_of = [&](uint32_t i) {
    const NodeId node = pruned.nodes[i];
    uint32_t waits = kinds[i] == FlowKind::kArrival ? sets.Single(i) : 0;
    auto add = [&](NodeId from) {
      const uint32_t at = pruned.position.Find(Index(from));
      if (at < i) waits = sets.Union(waits, group[at]);  // not the back edge of a loop
    };
    for (uint32_t k = 0; k < graph.num_inputs(node); ++k)
      if (pruned.fed.Find(Index(graph.input(node, k))) == UINT32_MAX)
        add(graph.node_of(graph.input(node, k)));
    for (uint32_t k = 0; k < graph.num_controls(node); ++k) add(graph.control(node, k));
    return waits;
  };
  for (uint32_t i = 0; i < n;) {
    uint32_t frame = flow.frame_of[i], end = i + 1;
    while (frame && flow.frames[frame].parent) frame = flow.frames[frame].parent;
    if (frame) end = flow.frames[frame].end;  // a loop runs in one place, with all it waits for
    uint32_t waits = 0;
    for (uint32_t k = i; k < end; ++k) waits = sets.Union(waits, waits_of(k));
    for (uint32_t k = i; k < end; ++k) group[k] = waits;
    i = end;
  }
  return group;
}

}  // namespace tensh
