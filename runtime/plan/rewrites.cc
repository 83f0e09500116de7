#include "runtime/plan/rewrites.h"

#include <algorithm>
#include <array>

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
    for (const Partition& part : stages.partitioned.parts) {
      Device& device = devices[part.device];
      on_host_.push_back(device.allocator()->is_host());
      on_cpu_.push_back(on_host_.back() && device.info().type == "CPU");
    }
  }

  Rewrites Run(const std::vector<Transfer>& transfers) {
    for (uint32_t i = 0; i < p_.nodes.size(); ++i)
      if (!p_.unused[i] && on_host_[part_of_[i]]) Visit(i);
    FindFlags();
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

  // Replaces output 0 of the node by one of the inputs of a node of its partition. A value that comes
  // from another partition has its own name there.
  void LeaveOut(NodeId node, Rewrites::Kind kind, ValueId by) {
    const uint16_t part = part_of_[p_.position.Find(Index(node))];
    const uint32_t from = p_.position.Find(Index(g_.node_of(by)));
    if (from != UINT32_MAX && part_of_[from] == part) by = out_.Replaced(by);
    out_.nodes.Insert(Index(node), kind);
    out_.values.Insert(Index(g_.output(node, 0)), Index(by));
  }

  ValueId TransposedBack(uint32_t outer) {
    if (!only_placeholders_) return kNoValue;  // the axes may be fed
    const ValueId in = out_.Replaced(g_.input(p_.nodes[outer], 0));
    const uint32_t inner = p_.position.Find(Index(g_.node_of(in)));
    if (inner == UINT32_MAX || part_of_[inner] != part_of_[outer] || p_.unused[inner] ||
        p_.fed.Find(Index(in)) != UINT32_MAX)
      return kNoValue;
    const ValueId x = tensh::TransposedBack(g_, p_.nodes[inner], p_.nodes[outer]);
    if (x != kNoValue) undone_.emplace_back(inner, Rewrites::kUnneeded);
    return x;
  }

  // Returns true if the node at this position may write to a variable.
  bool MayWrite(uint32_t i) const {
    const NodeId node = p_.nodes[i];
    const OpRole role = g_.op(node).role;
    if (role == OpRole::kIdentity || role == OpRole::kReadVariable) return false;
    for (uint32_t k = 0; k < g_.num_inputs(node); ++k) {
      const DType type = g_.dtype(g_.input(node, k));
      if (IsRef(type) || type == DType::kResource || type == DType::kVariant) return true;
    }
    return false;
  }

  // Finds the products that read the input of a Transpose instead of its output.
  void FindFlags() {
    if (!only_placeholders_) return;  // the axes may be fed
    uint32_t after_write = 0;
    for (uint32_t i = 0; i < p_.nodes.size(); ++i) {
      if (p_.unused[i] || out_.LeavesOut(p_.nodes[i])) continue;
      if (MayWrite(i)) after_write = i + 1;
      if (!on_cpu_[part_of_[i]] || !IsProduct(p_.nodes[i])) continue;
      uint32_t bits = 0;
      for (uint32_t k = 0; k < 2; ++k)
        if (IsTransposed(i, k, after_write)) bits |= 1u << k;
      if (bits) out_.flags.Insert(Index(p_.nodes[i]), bits);
    }
  }

  // Returns true if the kernel of the node can transpose its matrices. The adjoint of a complex matrix
  // is also conjugated.
  bool IsProduct(NodeId node) const {
    const OpDef* const op = &g_.op(node);
    if (op == products_[0]) return true;
    return std::find(products_.begin(), products_.end(), op) != products_.end() &&
           !IsComplex(g_.dtype(g_.output(node, 0)));
  }

  // Returns true if input k of a product comes from a transpose of matrices at or behind the position
  // `from`, and notes that the transpose may be left out.
  bool IsTransposed(uint32_t product, uint32_t k, uint32_t from) {
    const ValueId in = out_.Replaced(g_.input(p_.nodes[product], k));
    const uint32_t at = p_.position.Find(Index(g_.node_of(in)));
    if (at == UINT32_MAX || at < from || part_of_[at] != part_of_[product] || p_.unused[at])
      return false;
    const NodeId node = p_.nodes[at];
    if (&g_.op(node) != transpose_ || !pure_.Contains(node) || AnyFed(node) ||
        !TransposesMatrices(g_, node))
      return false;
    undone_.emplace_back(at, Rewrites::kFlag);
    return true;
  }

  // Leaves out the transposes that were undone or became flags, if nothing else uses their values.
  void FindUnneeded(const std::vector<Transfer>& transfers) {
    if (undone_.empty()) return;
    std::vector<bool> used(p_.nodes.size());
    const auto use = [&](ValueId v) {
      for (const ValueId each : {v, out_.Replaced(v)})
        if (const uint32_t at = p_.position.Find(Index(g_.node_of(each))); at != UINT32_MAX)
          used[at] = true;
    };
    for (const Transfer& transfer : transfers)
      if (transfer.value != kNoValue) use(transfer.value);
    for (uint32_t i = 0; i < p_.nodes.size(); ++i) {
      const NodeId node = p_.nodes[i];
      if (p_.unused[i] || out_.LeavesOut(node)) continue;
      for (uint32_t k = 0; k < g_.num_inputs(node); ++k) {
        const ValueId in = g_.input(node, k);
        use(out_.Transposes(node, k) ? g_.input(g_.node_of(out_.Replaced(in)), 0) : in);
      }
    }
    for (const auto& [at, kind] : undone_)
      if (!used[at] && !leaves_[at]) out_.nodes.Insert(Index(p_.nodes[at]), kind);
  }

  const Graph& g_;
  const Pruned& p_;
  const std::vector<uint16_t>& part_of_;
  std::vector<bool> leaves_;   // by position: is fetched, or a target
  std::vector<bool> on_host_;  // by partition: the memory of its device is that of the host
  std::vector<bool> on_cpu_;   // by partition
  const OpDef* const transpose_ = g_.FindOp("Transpose");
  const std::array<const OpDef*, 4> products_ = {g_.FindOp("MatMul"), g_.FindOp("BatchMatMul"),
                                                 g_.FindOp("BatchMatMulV2"),
                                                 g_.FindOp("BatchMatMulV3")};
  bool only_placeholders_ = true;  // nothing else is fed
  // The positions of transposes that are left out, with this kind, if nothing else uses them.
  std::vector<std::pair<uint32_t, Rewrites::Kind>> undone_;
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
