#include "runtime/plan/rewrites.h"

#include <algorithm>

#include "runtime/plan/pure.h"

namespace tensh {
namespace {

class Rewriter {
 public:
  Rewriter(const Stages& stages, const DeviceMgr& devices)
      : g_(stages.graph),
        p_(stages.pruned),
        part_of_(stages.partitioned.part_of),
        leaves_(p_.nodes.size()),
        pure_(g_),
        same_(stages, out_) {
    const RunSignature& signature = stages.signature;
    const auto leave = [&](NodeId n) {
      if (const uint32_t at = p_.position.Find(Index(n)); at != UINT32_MAX) leaves_[at] = true;
    };
    for (ValueId fetch : signature.fetches) leave(g_.node_of(fetch));
    for (NodeId target : signature.targets) leave(target);
    for (ValueId feed : signature.feeds) {
      const OpRole role = g_.op(g_.node_of(feed)).role;
      only_placeholders_ &= role == OpRole::kPlaceholder;
    }
    for (const Partition& part : stages.partitioned.parts)
      on_host_.push_back(devices[part.device].allocator()->is_host());
  }

  Rewrites Run(const std::vector<Transfer>& transfers) {
    for (uint32_t i = 0; i < p_.nodes.size(); ++i)
      if (!p_.unused[i] && on_host_[part_of_[i]]) Visit(i);
    FindUnneeded(transfers);
    return std::move(out_);
  }

 private:
  void Visit(uint32_t i) {
    const NodeId node = p_.nodes[i];
    const bool is_const = g_.op(node).role == OpRole::kConst;
    if ((!is_const && !pure_.Contains(node)) || AnyFed(node)) return;
    if (leaves_[i] || is_const) {
      (void)same_.FirstOf(i);
      return;
    }
    const OpDef& op = g_.op(node);
    if (const ValueId passed = PassedValue(g_, node); passed != kNoValue)
      return LeaveOut(node, Rewrites::kPasses, passed);
    if (const ValueId back = &op == transpose_ ? TransposedBack(i) : kNoValue; back != kNoValue)
      return LeaveOut(node, Rewrites::kCancels, back);
    // Control inputs may say that a value is computed again later, to save memory.
    if (g_.num_controls(node)) return;
    const uint32_t first = same_.FirstOf(i);
    if (first == i) return;
    out_.nodes.Insert(Index(node), Rewrites::kSame);
    for (uint32_t k = 0; k < g_.num_outputs(node); ++k)
      out_.values.Insert(Index(g_.output(node, k)), Index(g_.output(p_.nodes[first], k)));
  }

  bool AnyFed(NodeId node) const {
    if (!p_.fed.size()) return false;
    for (uint32_t k = 0; k < g_.num_outputs(node); ++k)
      if (p_.fed.Find(Index(g_.output(node, k))) != UINT32_MAX) return true;
    return false;
  }

  ValueId Replaced(ValueId v) const {
    const uint32_t by = out_.values.size() ? out_.values.Find(Index(v)) : UINT32_MAX;
    return by == UINT32_MAX ? v : ValueId{by};
  }

  // Replaces output 0 of the node by one of the inputs of a node of its partition. A value that comes
  // from another partition has its own name there.
  void LeaveOut(NodeId node, Rewrites::Kind kind, ValueId by) {
    const uint16_t part = part_of_[p_.position.Find(Index(node))];
    const uint32_t from = p_.position.Find(Index(g_.node_of(by)));
    if (from != UINT32_MAX && part_of_[from] == part) by = Replaced(by);
    out_.nodes.Insert(Index(node), kind);
    out_.values.Insert(Index(g_.output(node, 0)), Index(by));
  }

  ValueId TransposedBack(uint32_t outer) {
    if (!only_placeholders_) return kNoValue;  // the axes may be fed
    const ValueId in = Replaced(g_.input(p_.nodes[outer], 0));
    const uint32_t inner = p_.position.Find(Index(g_.node_of(in)));
    if (inner == UINT32_MAX || part_of_[inner] != part_of_[outer] || p_.unused[inner] ||
        p_.fed.Find(Index(in)) != UINT32_MAX)
      return kNoValue;
    const ValueId x = tensh::TransposedBack(g_, p_.nodes[inner], p_.nodes[outer]);
    if (x != kNoValue) cancelled_.push_back(inner);
    return x;
  }

  // Leaves out the nodes that were undone, if nothing else uses their values.
  void FindUnneeded(const std::vector<Transfer>& transfers) {
    if (cancelled_.empty()) return;
    std::vector<bool> used(p_.nodes.size());
    const auto use = [&](ValueId v) {
      for (const ValueId each : {v, Replaced(v)})
        if (const uint32_t at = p_.position.Find(Index(g_.node_of(each))); at != UINT32_MAX)
          used[at] = true;
    };
    for (const Transfer& transfer : transfers)
      if (transfer.value != kNoValue) use(transfer.value);
    for (uint32_t i = 0; i < p_.nodes.size(); ++i) {
      const NodeId node = p_.nodes[i];
      if (p_.unused[i] || out_.LeavesOut(node)) continue;
      for (uint32_t k = 0; k < g_.num_inputs(node); ++k) use(g_.input(node, k));
    }
    for (uint32_t i : cancelled_)
      if (!used[i] && !leaves_[i]) out_.nodes.Insert(Index(p_.nodes[i]), Rewrites::kUnneeded);
  }

  const Graph& g_;
  const Pruned& p_;
  const std::vector<uint16_t>& part_of_;
  std::vector<bool> leaves_;   // by position: is fetched, or a target
  std::vector<bool> on_host_;  // by partition
  const OpDef* const transpose_ = g_.FindOp("Transpose");
  bool only_placeholders_ = true;  // nothing else is fed
  std::vector<uint32_t> cancelled_;
  PureNodes pure_;
  Rewrites out_;
  SameNodes same_;
};

}  // namespace

Rewrites FindRewrites(const Stages& stages, const DeviceMgr& devices) {
  if (!stages.pruned.flow.empty() || stages.pruned.nodes.size() > kMostRewritten) return {};
  return Rewriter(stages, devices).Run(stages.partitioned.transfers);
}

}  // namespace tensh
