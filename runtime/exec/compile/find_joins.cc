#include "runtime/core/joined.h"
#include "runtime/exec/compile/joins.h"
#include "runtime/plan/pure.h"
#include "runtime/plan/rewrites.h"

namespace tensh {
namespace {

class JoinFinder final : private NodesBefore {
 public:
  JoinFinder(Stages& stages, const CompileOptions& options)
      : stages_(stages),
        g_(stages.graph),
        p_(stages.pruned),
        options_(options),
        pure_(g_),
        leaves_(p_.nodes.size()) {
    const auto leave = [&](NodeId n) {
      if (const uint32_t at = p_.position.Find(Index(n)); at != UINT32_MAX) leaves_[at] = true;
    };
    for (const ValueId fetch : stages.signature.fetches) leave(g_.node_of(fetch));
    for (const NodeId target : stages.signature.targets) leave(target);
  }

  void Run() {
    for (uint32_t i = 0; i < p_.nodes.size(); ++i)
      if (IsCandidate(i)) Join(i);
    if (!stages_.rewrites.joined.empty()) LeaveOutInner();
  }

 private:
  // Only Cast has such a kernel. It ends all arithmetic whose result has another type.
  bool IsCandidate(uint32_t i) {
    const NodeId node = p_.nodes[i];
    if (p_.unused[i] || g_.op(node).role != OpRole::kCast || g_.num_controls(node)) return false;
    const DType to = BaseType(g_.dtype(g_.output(node, 0)));
    if (to != DType::kFloat && SizeOf(to) > 2) return false;
    return !stages_.rewrites.LeavesOut(node) && !IsFed(g_.output(node, 0));
  }

  void Join(uint32_t i) {
    const NodeId node = p_.nodes[i];
    part_ = stages_.partitioned.part_of[i];
    const uint16_t device = stages_.partitioned.parts[part_].device;
    const Result<BoundKernel> bound = BindNode(g_, node, (*options_.devices)[device], options_);
    if (!bound.ok() || !bound->state) return;
    const auto* state = dynamic_cast<const JoinedState*>(bound->state.get());
    JoinedKernel made;
    if (!state || !state->join || !state->join(*this, Index(g_.output(node, 0)), made)) return;
    for (const uint32_t v : made.inner) inner_.Insert(Index(g_.node_of(ValueId{v})), 0);
    Rewrites& rewrites = stages_.rewrites;
    rewrites.joins.Insert(Index(node), static_cast<uint32_t>(rewrites.joined.size()));
    rewrites.joined.push_back(std::move(made));
  }

  // Later nodes come first: a node is used if one is that stays.
  void LeaveOutInner() {
    std::vector<bool> used = leaves_;
    const auto use = [&](ValueId v) {
      for (const ValueId each : {v, ValueId{Replaced(Index(v))}})
        if (const uint32_t at = p_.position.Find(Index(g_.node_of(each))); at != UINT32_MAX)
          used[at] = true;
    };
    for (const Transfer& transfer : stages_.partitioned.transfers)
      if (transfer.value != kNoValue) use(transfer.value);
    Rewrites& rewrites = stages_.rewrites;
    for (size_t i = p_.nodes.size(); i-- > 0;) {
      const NodeId node = p_.nodes[i];
      if (p_.unused[i] || rewrites.LeavesOut(node)) continue;
      if (!used[i] && inner_.Find(Index(node)) != UINT32_MAX) {
        rewrites.nodes.Insert(Index(node), Rewrites::kUnneeded);
        continue;
      }
      const uint32_t join = rewrites.joins.Find(Index(node));
      if (join != UINT32_MAX)
        for (const uint32_t v : rewrites.joined[join].inputs) use(ValueId{v});
      else
        for (uint32_t k = 0; k < g_.num_inputs(node); ++k) use(g_.input(node, k));
    }
  }

  bool IsFed(ValueId v) const { return p_.fed.Find(Index(v)) != UINT32_MAX; }
  uint32_t Replaced(uint32_t v) const {
    const IdMap& values = stages_.rewrites.values;
    const uint32_t by = values.size() ? values.Find(v) : UINT32_MAX;
    return by == UINT32_MAX ? v : by;
  }

  // ---- NodesBefore ----

  const OpDef* OpOf(uint32_t v) const override {
    const NodeId node = g_.node_of(ValueId{v});
    const uint32_t at = p_.position.Find(Index(node));
    if (at == UINT32_MAX || leaves_[at] || p_.unused[at] || IsFed(ValueId{v}) ||
        g_.index_of(ValueId{v}) || g_.num_controls(node) ||
        stages_.partitioned.part_of[at] != part_ || !pure_.Contains(node))
      return nullptr;
    return &g_.op(node);
  }
  Attrs AttrsOf(uint32_t v) const override { return g_.attrs(g_.node_of(ValueId{v})); }
  // A value that comes from another partition has its own name.
  uint32_t InputOf(uint32_t v, int i) const override {
    const ValueId in = g_.input(g_.node_of(ValueId{v}), static_cast<uint32_t>(i));
    const uint32_t at = p_.position.Find(Index(g_.node_of(in)));
    const bool here = at != UINT32_MAX && stages_.partitioned.part_of[at] == part_;
    return here ? Replaced(Index(in)) : Index(in);
  }
  const Tensor* ConstantOf(uint32_t v) const override {
    const NodeId node = g_.node_of(ValueId{v});
    if (g_.op(node).role != OpRole::kConst || IsFed(ValueId{v})) return nullptr;
    return &g_.attrs(node).Get<Tensor>("value");
  }
  DType TypeOf(uint32_t v) const override { return g_.dtype(ValueId{v}); }
  const Shape& ShapeOf(uint32_t v) const override { return g_.shape(ValueId{v}); }
  std::shared_ptr<const KernelState> StateOf(uint32_t v) const override {
    if (!OpOf(v)) return nullptr;
    const uint16_t device = stages_.partitioned.parts[part_].device;
    Result<BoundKernel> bound =
        BindNode(g_, g_.node_of(ValueId{v}), (*options_.devices)[device], options_);
    return bound.ok() ? std::move(bound->state) : nullptr;
  }

  Stages& stages_;
  const Graph& g_;
  const Pruned& p_;
  const CompileOptions& options_;
  mutable PureNodes pure_;
  std::vector<bool> leaves_;  // by position: is fetched, or a target
  uint16_t part_ = 0;
  IdMap inner_;  // nodes of patterns
};

}  // namespace

void FindJoins(Stages& stages, const CompileOptions& options) {
  if (!stages.pruned.flow.empty() || stages.pruned.nodes.size() > kMostRewritten) return;
  for (const Partition& part : stages.partitioned.parts)
    if (!(*options.devices)[part.device].allocator()->is_host()) return;
  JoinFinder(stages, options).Run();
}

}  // namespace tensh
