// From partitions to instructions.
#include <algorithm>
#include <chrono>

#include "runtime/core/run_kernel.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/prepare.h"

namespace tensh {
namespace {

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The value of a variable, as a snapshot, for a consumer that takes no reference.
Status ReadVariable(KernelCtx& c) noexcept {
  Variable* variable = c.variable(0);
  Tensor value = variable->Read();
  if (!value) return FailedPrecondition("Attempting to use uninitialized value ", variable->name);
  c.SetOutput(0, std::move(value));
  return {};
}

// Compiles one partition.
class PartitionCompiler {
 public:
  PartitionCompiler(Plan& plan, uint16_t part, const CompileOptions& options)
      : plan_(plan),
        g_(plan.graph),
        part_(part),
        options_(options),
        slots_(plan.partitioned.parts[part].items.size() + 4) {
    code_.device = &(*options.devices)[plan.partitioned.parts[part].device];
  }

  Result<PartitionCode> Run() {
    for (uint32_t f = 0; f < plan_.signature.feeds.size(); ++f) {
      if (plan_.partitioned.feed_part[f] != part_) continue;
      uint32_t slot = SlotOf(plan_.signature.feeds[f]);
      code_.feeds.push_back({f, slot});
      code_.drop_at_end.push_back(slot);
    }
    for (const PlanItem& item : plan_.partitioned.parts[part_].items)
      TENSH_RETURN_IF_ERROR(CompileItem(item));
    CompileFetches();
    FindLastUses();
    PointInto();
    return std::move(code_);
  }

 private:
  uint32_t SlotOf(ValueId v) {
    uint32_t slot = slots_.Find(Index(v));
    if (slot != UINT32_MAX) return slot;
    slot = NewSlot(false);
    slots_.Insert(Index(v), slot);
    return slot;
  }
  bool Unused(NodeId node) const {
    return plan_.pruned.unused[plan_.pruned.position.Find(Index(node))];
  }
  uint32_t NewSlot(bool is_bound) {
    is_bound_.push_back(is_bound);
    return code_.n_slots++;
  }

  Status CompileItem(const PlanItem& item) {
    switch (item.kind) {
      case PlanItem::kNode:
        return CompileNode(item.node);
      case PlanItem::kSend:
        return CompileSend(item.transfer);
      case PlanItem::kRecv:
        CompileRecv(item.transfer);
        return {};
    }
    return {};
  }

  Status CompileNode(NodeId node) {
    const OpDef& op = g_.op(node);
    if (Unused(node)) return {};
    if (op.name == "Const") return Bind(g_.output(node, 0), g_.attrs(node).Get<Tensor>("value"));
    if (op.name == "VariableV2") return BindVariable(node);
    const KernelRow* kernel = op.FindKernel(code_.device->info().type, g_.attrs(node));
    TENSH_CHECK(kernel, "placed without a kernel: ", g_.name(node));
    std::unique_ptr<KernelState> state;
    if (kernel->prepare) {
      NodePrepareCtx ctx(g_, node, *options_.resources);
      auto prepared = kernel->prepare(ctx);
      if (!prepared.ok()) return std::move(prepared).status().WithNode(g_.name(node));
      state = *std::move(prepared);
    }
    std::vector<uint32_t> in;
    for (uint32_t i = 0; i < g_.num_inputs(node); ++i) in.push_back(InputSlot(node, i));
    Instr instr{.fn = kernel->fn, .node = node};
    instr.call.state = state.get();
    std::vector<uint32_t> out;
    for (uint32_t i = 0; i < g_.num_outputs(node); ++i)
      out.push_back(OutputSlot(g_.output(node, i)));
    Emit(std::move(instr), in, out, node);
    if (state) code_.states.push_back(std::move(state));
    return {};
  }

  // A node may run although its value is fed, for a control edge's sake: consumers still see the
  // feed.
  uint32_t OutputSlot(ValueId v) {
    return plan_.pruned.fed.Find(Index(v)) == UINT32_MAX ? SlotOf(v) : NewSlot(false);
  }

  // The slot an input is read from. A reference whose consumer wants the value is read right before
  // it.
  uint32_t InputSlot(NodeId node, uint32_t i) {
    ValueId v = g_.input(node, i);
    uint32_t slot = SlotOf(v);
    bool fed = plan_.pruned.fed.Find(Index(v)) != UINT32_MAX;
    if (!IsRef(g_.dtype(v)) || fed || Received(v) || TakesReference(g_, node, i)) return slot;
    return EmitRead(slot, g_.node_of(v));
  }

  // A value that came through a Recv is no reference any more.
  bool Received(ValueId v) const { return received_.Find(Index(v)) != UINT32_MAX; }

  uint32_t EmitRead(uint32_t ref_slot, NodeId variable) {
    uint32_t value = NewSlot(false);
    Instr instr{.fn = ReadVariable, .node = variable, .is_read = true};
    uint32_t in[] = {ref_slot}, out[] = {value};
    Emit(std::move(instr), in, out, kNoNode);
    auto it = ref_variable_.find(ref_slot);
    if (it != ref_variable_.end()) plan_.variables_read.push_back(it->second);
    return value;
  }

  void Emit(Instr instr, std::span<const uint32_t> in, std::span<const uint32_t> out, NodeId node) {
    instr.call.n_in = static_cast<uint16_t>(in.size());
    instr.call.n_out = static_cast<uint16_t>(out.size());
    offsets_.push_back(
        {static_cast<uint32_t>(code_.slot_ids.size()), static_cast<uint32_t>(code_.dtypes.size())});
    code_.slot_ids.insert(code_.slot_ids.end(), in.begin(), in.end());
    code_.slot_ids.insert(code_.slot_ids.end(), out.begin(), out.end());
    for (uint32_t i = 0; i < out.size(); ++i)
      code_.dtypes.push_back(node == kNoNode ? DType::kInvalid
                                             : BaseType(g_.dtype(g_.output(node, i))));
    code_.code.push_back(std::move(instr));
  }

  Status Bind(ValueId v, Tensor tensor) {
    uint32_t slot = OutputSlot(v);
    is_bound_[slot] = true;
    code_.bound.push_back({slot, std::move(tensor)});
    return {};
  }

  Status BindVariable(NodeId node) {
    TENSH_ASSIGN(auto variable, FindVariable(g_, node, *options_.resources));
    ValueId v = g_.output(node, 0);
    if (plan_.pruned.fed.Find(Index(v)) == UINT32_MAX) ref_variable_[SlotOf(v)] = variable.get();
    Tensor reference = ReferenceTo(variable.get());
    plan_.resources.push_back(std::move(variable));
    return Bind(v, std::move(reference));
  }

  Status CompileSend(uint32_t t) {
    const Transfer& transfer = plan_.partitioned.transfers[t];
    Instr instr{.transfer = t, .kind = Instr::kSend};
    if (transfer.value == kNoValue) {
      instr.slot = UINT32_MAX;
      instr.node = transfer.control;
    } else {
      instr.node = g_.node_of(transfer.value);
      instr.slot = SlotOf(transfer.value);
      bool fed = plan_.pruned.fed.Find(Index(transfer.value)) != UINT32_MAX;
      if (IsRef(g_.dtype(transfer.value)) && !fed) instr.slot = EmitRead(instr.slot, instr.node);
    }
    uint32_t in[] = {instr.slot};
    Emit(std::move(instr), std::span(in, transfer.value == kNoValue ? 0 : 1), {}, kNoNode);
    return {};
  }

  void CompileRecv(uint32_t t) {
    const Transfer& transfer = plan_.partitioned.transfers[t];
    Instr instr{.transfer = t, .slot = UINT32_MAX, .kind = Instr::kRecv};
    instr.node = transfer.value == kNoValue ? transfer.control : g_.node_of(transfer.value);
    // Where nobody takes the value, the wait remains and the value is dropped.
    const bool taken = std::any_of(transfer.consumers.begin(), transfer.consumers.end(),
                                   [&](NodeId consumer) { return !Unused(consumer); });
    if (transfer.value != kNoValue && taken) {
      instr.slot = SlotOf(transfer.value);
      received_.Insert(Index(transfer.value), 0);
    }
    Emit(std::move(instr), {}, {}, kNoNode);
  }

  void CompileFetches() {
    for (uint32_t f = 0; f < plan_.signature.fetches.size(); ++f) {
      ValueId v = plan_.signature.fetches[f];
      uint32_t feed = plan_.pruned.fed.Find(Index(v));
      uint16_t home =
          feed != UINT32_MAX
              ? plan_.partitioned.feed_part[feed]
              : plan_.partitioned.part_of[plan_.pruned.position.Find(Index(g_.node_of(v)))];
      if (home != part_) continue;
      uint32_t slot = SlotOf(v);
      bool is_ref = IsRef(g_.dtype(v)) && feed == UINT32_MAX;
      code_.fetches.push_back({f, slot, is_ref});
      if (is_ref && ref_variable_.contains(slot))
        plan_.variables_read.push_back(ref_variable_[slot]);
      if (!is_bound_[slot] && !is_ref) code_.drop_at_end.push_back(slot);
    }
  }

  // Behind its last use a slot is released, unless it is bound or leaves the step. An input used
  // here for the last time, and only once here, may be forwarded.
  void FindLastUses() {
    std::vector<bool> keep(is_bound_.begin(), is_bound_.end());
    for (uint32_t slot : code_.drop_at_end) keep[slot] = true;
    for (const auto& [f, slot, is_ref] : code_.fetches) keep[slot] = true;
    std::vector<bool> seen = keep;
    std::vector<std::vector<uint32_t>> released(code_.code.size());
    for (size_t i = code_.code.size(); i-- > 0;) {
      Instr& instr = code_.code[i];
      const uint32_t* in = code_.slot_ids.data() + offsets_[i].slots;
      for (uint32_t k = 0; k < instr.call.n_in; ++k) {
        if (seen[in[k]]) continue;
        seen[in[k]] = true;
        released[i].push_back(in[k]);
        uint32_t uses = 0;
        for (uint32_t j = 0; j < instr.call.n_in; ++j) uses += in[j] == in[k];
        if (uses == 1 && k < 32 && instr.kind == Instr::kKernel) instr.call.forwardable |= 1u << k;
      }
      // An output nobody uses is released at once; a retained small buffer is not lost by that.
      for (uint32_t k = 0; k < instr.call.n_out; ++k) {
        uint32_t out = in[instr.call.n_in + k];
        if (!seen[out]) released[i].push_back(out);
      }
    }
    for (size_t i = 0; i < released.size(); ++i) {
      code_.code[i].release_begin = static_cast<uint32_t>(code_.releases.size());
      code_.releases.insert(code_.releases.end(), released[i].begin(), released[i].end());
      code_.code[i].release_end = static_cast<uint32_t>(code_.releases.size());
    }
  }

  void PointInto() {
    for (size_t i = 0; i < code_.code.size(); ++i) {
      Instr& instr = code_.code[i];
      instr.call.in = code_.slot_ids.data() + offsets_[i].slots;
      instr.call.out = instr.call.in + instr.call.n_in;
      instr.call.out_dtypes = code_.dtypes.data() + offsets_[i].dtypes;
    }
  }

  Plan& plan_;
  const Graph& g_;
  const uint16_t part_;
  const CompileOptions& options_;
  PartitionCode code_;
  IdMap slots_, received_;
  std::vector<bool> is_bound_;
  struct Offsets {
    uint32_t slots, dtypes;
  };
  std::vector<Offsets> offsets_;
  std::unordered_map<uint32_t, Variable*> ref_variable_;
};

// All placeholders that would run and are not fed, in one message.
Status CheckFeeds(const Plan& plan) {
  const Graph& g = plan.graph;
  std::vector<NodeId> unfed;
  for (NodeId n : plan.pruned.nodes)
    if (g.op(n).name == "Placeholder") unfed.push_back(n);
  if (unfed.empty()) return {};
  std::string hint = "feed ", list;
  for (size_t i = 0; i < unfed.size() && i < 10; ++i) {
    ValueId v = g.output(unfed[i], 0);
    list += StrCat(i ? ", " : "", g.name(unfed[i]), " ", ShortName(g.dtype(v)), g.shape(v));
    hint += StrCat(i ? ", " : "", g.name(unfed[i]), "=…");
  }
  if (unfed.size() > 10) list += StrCat(", and ", unfed.size() - 10, " more");
  ValueId first = g.output(unfed[0], 0);
  std::string shape_text = g.shape(first).has_rank() && g.shape(first).rank() > 0
                               ? StrCat(" and shape ", g.shape(first))
                               : "";
  Status status =
      unfed.size() == 1
          ? InvalidArgument("You must feed a value for placeholder tensor '", g.name(unfed[0]),
                            "' with dtype ", SignatureName(g.dtype(first)), shape_text)
          : InvalidArgument(unfed.size(), " placeholders are not fed: ", list);
  return std::move(status).WithHint(hint).WithNode(g.name(unfed[0]));
}

}  // namespace

Result<std::shared_ptr<Plan>> Compile(const Graph& graph, RunSignature signature,
                                      const CompileOptions& options) {
  int64_t start = NowNs();
  auto plan = std::make_shared<Plan>(graph, std::move(signature));
  plan->graph_version = graph.version();
  plan->pruned = Prune(graph, plan->signature);
  TENSH_RETURN_IF_ERROR(CheckFeeds(*plan));
  TENSH_ASSIGN(plan->placement,
               Place(graph, plan->signature, plan->pruned, *options.devices, options.place));
  plan->partitioned = MakePartitions(graph, plan->pruned, plan->placement);
  for (uint16_t part = 0; part < plan->partitioned.parts.size(); ++part) {
    TENSH_ASSIGN(PartitionCode code, PartitionCompiler(*plan, part, options).Run());
    plan->parts.push_back(std::move(code));
  }
  if (!plan->pruned.nodes.empty()) plan->max_node = Index(plan->pruned.nodes.back());
  for (ValueId v : plan->signature.feeds)
    plan->max_node = std::max(plan->max_node, Index(graph.node_of(v)));
  plan->compile_ns = NowNs() - start;
  return plan;
}

}  // namespace tensh
