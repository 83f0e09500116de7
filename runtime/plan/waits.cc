#include <algorithm>
#include <map>
#include <numeric>

#include "runtime/plan/stages.h"

namespace tensh {
namespace {

// Sets of arrivals. They are interned, so equal sets have equal ids. Id 0 is the empty set.
class Sets {
 public:
  Sets() : sets_(1) {}
  uint32_t Single(uint32_t arrival) { return Intern({arrival}, 0); }
  size_t SizeOf(uint32_t set) const { return sets_[set].size(); }
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

constexpr uint32_t kNoWait = UINT32_MAX;

// Numbers what the nodes wait for, by position; kNoWait for nodes that do not wait. A Recv waits for
// an arrival. Nodes that wait for the same kind of queue operation share a number, so that they keep
// their order, unless a node that waits for the other kind depends on one of them: it must then be
// able to go on although another one is waiting.
std::vector<uint32_t> NumberWaits(const Graph& g, const Pruned& p, bool queues) {
  const auto n = static_cast<uint32_t>(p.nodes.size());
  std::vector<uint32_t> number(n, kNoWait);
  const auto kind = [&](uint32_t i) { return g.op(p.nodes[i]).waits_for; };
  std::vector<uint8_t> leads_to(n);  // by position: a bit for each kind
  for (uint32_t i = n; i-- > 0;) {
    const bool waits = kind(i) != WaitsFor::kNothing;
    if (!p.flow.empty() && p.flow.role[i] == OpRole::kRecv) number[i] = i;
    if (queues && waits) {
      const bool shares = p.flow.empty() && !(leads_to[i] & ~(1u << static_cast<int>(kind(i))));
      number[i] = shares ? kNoWait - static_cast<uint32_t>(kind(i)) : i;
    }
    const uint8_t from_here =
        leads_to[i] | static_cast<uint8_t>(waits ? 1u << static_cast<int>(kind(i)) : 0);
    const auto pass = [&](NodeId from) {
      const uint32_t at = p.position.Find(Index(from));
      if (at < i) leads_to[at] |= from_here;
    };
    if (!from_here) continue;
    for (uint32_t k = 0; k < g.num_inputs(p.nodes[i]); ++k) pass(g.node_of(g.input(p.nodes[i], k)));
    for (uint32_t k = 0; k < g.num_controls(p.nodes[i]); ++k) pass(g.control(p.nodes[i], k));
  }
  return number;
}

// The group of a node is the set of arrivals, or other waits, that precede it within its loop. The
// nodes that carry a loop (its home) wait between iterations, and nodes that wait for nothing within
// an iteration join them. A loop that contains an arrival counts as an arrival for the nodes after
// it.
class Grouper {
 public:
  Grouper(const Graph& graph, const Pruned& pruned, bool queues)
      : g_(graph),
        p_(pruned),
        flow_(pruned.flow),
        n_(static_cast<uint32_t>(pruned.nodes.size())),
        number_(NumberWaits(graph, pruned, queues)),
        waits_(n_, 0),
        group_(n_, 0) {}

  std::vector<uint32_t> Run() {
    Walk(0, 0, n_, 0);
    return std::move(group_);
  }
  // For nodes without control flow, after Run: the number of waits that precede each node, if each
  // set of waits contains all smaller ones. Empty if they differ otherwise.
  std::vector<uint32_t> Ranks() {
    uint32_t largest = 0;
    for (uint32_t set : waits_) {
      const uint32_t both = sets_.Union(largest, set);
      if (both != largest && both != set) return {};
      largest = both;
    }
    std::vector<uint32_t> ranks;
    for (uint32_t set : waits_) ranks.push_back(static_cast<uint32_t>(sets_.SizeOf(set)));
    return ranks;
  }

 private:
  // Visits the nodes of a frame, from position `begin` on. `home` is the group of the nodes that
  // wait for nothing.
  void Walk(uint32_t frame, uint32_t begin, uint32_t end, uint32_t home) {
    for (uint32_t i = begin; i < end;) {
      uint32_t inner = flow_.empty() ? 0 : flow_.frame_of[i];
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
      if (number_[i] != kNoWait) waits = sets_.Union(waits, sets_.Single(n_ + f));
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
    uint32_t waits = number_[i] != kNoWait ? sets_.Single(number_[i]) : 0;
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
  const std::vector<uint32_t> number_;
  Sets sets_;  // of numbers, and of n_ + frame for loops that contain a waiting node
  std::vector<uint32_t> waits_, group_;
};

}  // namespace

void ArrangeWaits(const Graph& graph, Pruned& pruned) {
  bool takes = false, others = false;
  for (NodeId n : pruned.nodes) {
    const OpDef& op = graph.op(n);
    takes |= op.waits_for == WaitsFor::kElements;
    others |= op.waits_for == WaitsFor::kRoom || op.role == OpRole::kRecv;
  }
  if (!takes) return;
  pruned.takes_elements = true;
  pruned.waits_apart = others;
  if (!pruned.flow.empty()) return;
  Grouper grouper(graph, pruned, true);
  (void)grouper.Run();
  const std::vector<uint32_t> ranks = grouper.Ranks();
  if (ranks.empty()) return;
  pruned.waits_apart = false;
  std::vector<uint32_t> order(pruned.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return ranks[a] < ranks[b]; });
  std::vector<NodeId> nodes;
  std::vector<bool> unused;
  for (uint32_t i : order) {
    pruned.position.Set(Index(pruned.nodes[i]), static_cast<uint32_t>(nodes.size()));
    nodes.push_back(pruned.nodes[i]);
    unused.push_back(pruned.unused[i]);
  }
  pruned.nodes = std::move(nodes);
  pruned.unused = std::move(unused);
}

std::vector<uint32_t> GroupByWaits(const Graph& graph, const Pruned& pruned) {
  const auto& roles = pruned.flow.role;
  if (!pruned.waits_apart && std::find(roles.begin(), roles.end(), OpRole::kRecv) == roles.end())
    return {};
  return Grouper(graph, pruned, pruned.waits_apart).Run();
}

}  // namespace tensh
