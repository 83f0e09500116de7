#include "runtime/exec/compile/partition_compiler.h"

#include <algorithm>

#include "runtime/exec/compile/code_passes.h"
#include "runtime/exec/compile/prepare.h"
#include "runtime/plan/rewrites.h"

namespace tensh {
namespace {

// Reads a variable, for a consumer that takes a value and not a reference.
Status ReadVariable(KernelCtx& c) {
  Variable* variable = c.variable(0);
  Tensor value = variable->Read();
  if (!value) return Uninitialized(*variable);
  c.SetOutput(0, std::move(value));
  return {};
}

}  // namespace

PartitionCompiler::PartitionCompiler(const Stages& stages, uint16_t part,
                                     const CompileOptions& options, Bindings& bindings)
    : stages_(stages),
      g_(stages.graph),
      options_(options),
      bindings_(bindings),
      builder_(stages, part, (*options.devices)[stages.partitioned.parts[part].device]),
      code_(builder_.code()),
      guards_(builder_),
      memory_(builder_, guards_, *options.devices),
      loops_(builder_, guards_) {
  if (options.allocator && code_.allocator == HostAllocator()) code_.allocator = options.allocator;
}

Result<PartitionCode> PartitionCompiler::Run() {
  CompileFeeds();
  for (const PlanItem& item : stages_.partitioned.parts[builder_.part()].items)
    TENSH_RETURN_IF_ERROR(CompileItem(item));
  TENSH_RETURN_IF_ERROR(memory_.status());
  CompileFetches();
  builder_.PointInto();
  std::vector<bool> keep = builder_.is_bound();
  for (const auto& [f, slot] : code_.feeds) keep[slot] = !options_.takes_feeds;
  for (const auto& [f, slot, is_ref] : code_.fetches) keep[slot] = true;
  const bool straight = builder_.flow().empty();
  const bool once = options_.optimize && straight && !memory_.own() &&
                    stages_.pruned.nodes.size() <= kMostRewritten;
  if (once) FindOnce(g_, code_, builder_.is_bound(), keep);
  if (options_.optimize && straight) FindFused(g_, code_, keep);
  if (once && code_.device->runner()->threads() > 1) FindBranches(g_, code_);
  if (memory_.own() && straight && !options_.takes_feeds)
    FindReplays(g_, code_, builder_.lies(), builder_.is_bound());
  FindLastUses(code_, std::move(keep));
  if (once) LinkOnce(code_);
  return std::move(code_);
}

void PartitionCompiler::CompileFeeds() {
  for (uint32_t f = 0; f < stages_.signature.feeds.size(); ++f) {
    if (stages_.partitioned.feed_part[f] != builder_.part()) continue;
    const uint32_t slot = builder_.SlotOf(stages_.signature.feeds[f]);
    builder_.lies()[slot] = options_.takes_feeds ? Lies::kAnywhere : Lies::kHost;
    code_.feeds.push_back({f, slot});
    code_.drop_at_end.push_back(slot);
  }
}

Status PartitionCompiler::CompileItem(const PlanItem& item) {
  switch (item.kind) {
    case PlanItem::kNode:
      return CompileNode(item.node);
    case PlanItem::kSend:
      return CompileSend(item.transfer);
    case PlanItem::kRecv:
      CompileRecv(item.transfer);
      return {};
    case PlanItem::kLoopBegin:
      return loops_.Begin(item.transfer);
    case PlanItem::kLoopTest:
      loops_.Test(item.transfer);
      return {};
    case PlanItem::kLoopEnd:
      loops_.End(item.transfer);
      return {};
  }
  return {};
}

Status PartitionCompiler::CompileNode(NodeId node) {
  const OpDef& op = g_.op(node);
  if (builder_.Unused(node)) return {};
  if (stages_.rewrites.LeavesOut(node)) {
    CompileLeftOut(node);
    return {};
  }
  if (op.role == OpRole::kConst && !guards_.Guarded(node)) {
    builder_.Bind(g_.output(node, 0), g_.attrs(node).Get<Tensor>("value"));
    return {};
  }
  if (op.role == OpRole::kVariable) return BindVariable(node);
  if (!builder_.flow().empty() && CompileAlias(node)) return {};
  if (const uint32_t join = stages_.rewrites.joins.Find(Index(node)); join != UINT32_MAX) {
    CompileJoined(node, stages_.rewrites.joined[join]);
    return {};
  }
  TENSH_ASSIGN(const bool keyed, CompileKeyed(node));
  if (keyed) return {};
  return CompileKernel(node);
}

void PartitionCompiler::CompileJoined(NodeId node, const JoinedKernel& kernel) {
  Instr instr{.fn = kernel.fn, .node = node, .is_joined = true};
  instr.call.state = kernel.state.get();  // the plan keeps it with its stages
  std::vector<uint32_t> in;
  for (const uint32_t v : kernel.inputs) in.push_back(builder_.SlotOf(ValueId{v}));
  const uint32_t out[] = {builder_.OutputSlot(g_.output(node, 0))};
  memory_.NoteOutputs(node, out, instr.call);
  builder_.Emit(instr, in, out, node);
}

bool PartitionCompiler::CompileAlias(NodeId node) {
  const Flow& flow = builder_.flow();
  const uint32_t position = builder_.Position(node);
  switch (flow.role[position]) {
    case OpRole::kExit:
      if (!flow.frames[flow.frame_of[position]].usual) return true;  // the loop fills the slot
      [[fallthrough]];
    case OpRole::kEnter:
    case OpRole::kNextIteration:
      builder_.Alias(g_.output(node, 0), InputSlot(node, 0));
      return true;
    case OpRole::kLoopCond:  // the loop's test reads it
      builder_.Alias(g_.output(node, 0), memory_.InMemory(InputSlot(node, 0), Lies::kHost, node));
      return true;
    case OpRole::kSwitch: {
      if (!flow.loop_switch[position] || !flow.frames[flow.frame_of[position]].usual) return false;
      const uint32_t slot = InputSlot(node, 0);
      builder_.Alias(g_.output(node, 0), slot);
      builder_.Alias(g_.output(node, 1), slot);
      return true;
    }
    case OpRole::kMerge:
      if (!IsLoopVariable(g_, stages_.pruned, node)) CompileMerge(node);  // LoopCompiler fills it
      return true;
    default:
      return false;
  }
}

void PartitionCompiler::CompileLeftOut(NodeId node) {
  for (uint32_t i = 0; i < g_.num_outputs(node); ++i) {
    const ValueId v = g_.output(node, i);
    const uint32_t by = stages_.rewrites.values.Find(Index(v));
    if (by != UINT32_MAX) builder_.Alias(v, builder_.SlotOf(ValueId{by}));
  }
}

void PartitionCompiler::CompileMerge(NodeId node) {
  // The kernel of Merge checks which of its inputs has a value.
  std::vector<uint32_t> in;
  for (uint32_t i = 0; i < g_.num_inputs(node); ++i) in.push_back(InputSlot(node, i));
  const uint32_t out[] = {builder_.OutputSlot(g_.output(node, 0)),
                          builder_.OutputSlot(g_.output(node, 1))};
  const KernelRow* kernel = g_.op(node).FindKernel(code_.device->info().type, g_.attrs(node));
  Instr instr{.fn = kernel->fn, .node = node};
  if (!instr.fn) instr.fn = g_.op(node).FindKernel("CPU", g_.attrs(node))->fn;
  memory_.NoteOutputs(node, out, instr.call);
  builder_.Emit(instr, in, out, node);
}

Status PartitionCompiler::CompileKernel(NodeId node) {
  TENSH_ASSIGN(BoundKernel bound, BindNode(g_, node, *code_.device, options_, &stages_.rewrites));
  const std::vector<uint32_t> in = KernelInputs(node);
  Instr instr{.fn = bound.fn, .node = node};
  instr.call.state = bound.state.get();
  instr.call.contract = bound.contract;
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < g_.num_outputs(node); ++i)
    out.push_back(builder_.OutputSlot(g_.output(node, i)));
  memory_.NoteOutputs(node, out, instr.call);
  const SplitKernel* split = SplitOf(bound, node);
  if (split)
    EmitSplit(*split, instr, in, out[0]);
  else if (guards_.Guarded(node))
    guards_.EmitGuarded(instr, in, out, node);
  else
    builder_.Emit(instr, in, out, node);
  if (bound.state) code_.states.push_back(std::move(bound.state));
  if (bound.own) code_.contracts.push_back(std::move(bound.own));
  return {};
}

const SplitKernel* PartitionCompiler::SplitOf(const BoundKernel& bound, NodeId node) {
  if (!options_.optimize || !bound.state || !builder_.flow().empty()) return nullptr;
  if (code_.device->info().type != "CPU") return nullptr;
  const auto* joined = dynamic_cast<const JoinedState*>(bound.state.get());
  return joined && joined->split && OnlyFirstUsed(node) ? joined->split : nullptr;
}

bool PartitionCompiler::OnlyFirstUsed(NodeId node) {
  if (!used_) {
    used_.emplace();
    const auto use = [&](ValueId v) {
      const uint32_t by = stages_.rewrites.values.Find(Index(v));
      if (by != UINT32_MAX) v = ValueId{by};
      if (g_.index_of(v) > 0) used_->Insert(Index(v), 0);
    };
    for (const NodeId user : stages_.pruned.nodes)
      for (uint32_t i = 0; i < g_.num_inputs(user); ++i) use(g_.input(user, i));
    for (const ValueId fetch : stages_.signature.fetches) use(fetch);
  }
  for (uint32_t i = 1; i < g_.num_outputs(node); ++i)
    if (used_->Find(Index(g_.output(node, i))) != UINT32_MAX) return false;
  return true;
}

void PartitionCompiler::EmitSplit(const SplitKernel& split, Instr instr, std::vector<uint32_t> in,
                                  uint32_t out) {
  const uint32_t vectors[] = {builder_.NewSlot(false)};
  Instr first = instr;
  first.fn = split.vectors;
  first.call.contract = nullptr;  // it is about all inputs, which the second part checks
  first.is_vectors = true;
  builder_.Emit(first, std::span(in).subspan(1), vectors, instr.node);
  in.push_back(vectors[0]);
  instr.fn = split.rows;
  instr.is_rows = true;
  builder_.Emit(instr, in, std::span(&out, 1), instr.node);
}

uint32_t PartitionCompiler::InputSlot(NodeId node, uint32_t i) {
  if (stages_.rewrites.Transposes(node, i)) {
    const ValueId transposed = stages_.rewrites.Replaced(g_.input(node, i));
    return InputSlot(g_.node_of(transposed), 0);
  }
  ValueId v = g_.input(node, i);
  uint32_t slot = builder_.SlotOf(v);
  if (!IsRef(g_.dtype(v)) || builder_.IsFed(v) || Received(v) || TakesReference(g_, node, i))
    return slot;
  return EmitRead(slot, g_.node_of(v));
}

std::vector<uint32_t> PartitionCompiler::KernelInputs(NodeId node) {
  const std::vector<Lies> wanted =
      memory_.mixed() ? memory_.InputMemory(node) : std::vector<Lies>();
  std::vector<uint32_t> in;
  for (uint32_t i = 0; i < g_.num_inputs(node); ++i) {
    const ValueId v = g_.input(node, i);
    uint32_t slot = InputSlot(node, i);
    if (memory_.mixed()) {
      const bool refers = IsRef(g_.dtype(v)) && TakesReference(g_, node, i);
      if (refers || BaseType(g_.dtype(v)) == DType::kResource) {
        if (wanted[i] != Lies::kAnywhere) memory_.BringVariableHere(slot, g_.dtype(v), node);
      } else if (IsPod(BaseType(g_.dtype(v)))) {
        slot = memory_.InMemory(slot, wanted[i], node);
      }
    }
    in.push_back(slot);
  }
  return in;
}

uint32_t PartitionCompiler::EmitRead(uint32_t ref_slot, NodeId variable) {
  memory_.BringVariableHere(ref_slot, g_.dtype(g_.output(variable, 0)), variable);
  uint32_t value = builder_.NewSlot(false);
  Instr instr{.fn = ReadVariable, .node = variable, .is_read = true};
  uint32_t in[] = {ref_slot}, out[] = {value};
  guards_.EmitHelper(instr, in, out);
  auto it = ref_variable_.find(ref_slot);
  if (it != ref_variable_.end()) bindings_.variables_read.push_back(it->second);
  return value;
}

Status PartitionCompiler::BindVariable(NodeId node) {
  TENSH_ASSIGN(auto variable, FindVariable(g_, node, *options_.resources));
  ValueId v = g_.output(node, 0);
  if (!builder_.IsFed(v)) ref_variable_[builder_.SlotOf(v)] = variable.get();
  Tensor reference = ReferenceTo(variable.get());
  bindings_.resources.push_back(std::move(variable));
  builder_.Bind(v, std::move(reference));
  return {};
}

Status PartitionCompiler::CompileSend(uint32_t t) {
  const Transfer& transfer = stages_.partitioned.transfers[t];
  Instr instr{.of = {.transfer = t}, .kind = Instr::kSend};
  if (transfer.loop) {
    instr.slot = guards_.LoopToken(transfer.loop);
    instr.node = transfer.control;
  } else if (transfer.value == kNoValue) {
    instr.slot =
        guards_.Guarded(transfer.control) ? guards_.TokenSlot(transfer.control) : UINT32_MAX;
    instr.node = transfer.control;
  } else {
    instr.node = g_.node_of(transfer.value);
    instr.slot = builder_.SlotOf(transfer.value);
    if (IsRef(g_.dtype(transfer.value)) && !builder_.IsFed(transfer.value) &&
        CrossesDevices(transfer))
      instr.slot = EmitRead(instr.slot, instr.node);
    Device& to = (*options_.devices)[stages_.partitioned.parts[transfer.to].device];
    if (memory_.mixed() && to.allocator()->is_host() && IsPod(BaseType(g_.dtype(transfer.value))) &&
        (!IsRef(g_.dtype(transfer.value)) || CrossesDevices(transfer)))
      instr.slot = memory_.InMemory(instr.slot, Lies::kHost, instr.node);
  }
  uint32_t in[] = {instr.slot};
  builder_.Emit(instr, std::span(in, in[0] == UINT32_MAX ? 0 : 1), {}, kNoNode);
  return {};
}

void PartitionCompiler::CompileRecv(uint32_t t) {
  const Transfer& transfer = stages_.partitioned.transfers[t];
  Instr instr{.of = {.transfer = t}, .slot = UINT32_MAX, .kind = Instr::kRecv};
  instr.node = transfer.value == kNoValue ? transfer.control : g_.node_of(transfer.value);
  // If no consumer needs the value, the partition still waits for it and then drops it.
  const bool taken = std::any_of(transfer.consumers.begin(), transfer.consumers.end(),
                                 [&](NodeId consumer) { return !builder_.Unused(consumer); });
  if (transfer.value != kNoValue && taken) {
    instr.slot = builder_.SlotOf(transfer.value);
    if (CrossesDevices(transfer)) received_.Insert(Index(transfer.value), 0);
  }
  if (transfer.loop)
    instr.slot = guards_.ReceiveLoopToken(transfer.loop);
  else if (transfer.value == kNoValue && guards_.Guarded(transfer.control))
    instr.slot = guards_.ReceiveToken(transfer.control);
  builder_.Emit(instr, {}, {}, kNoNode);
}

void PartitionCompiler::CompileFetches() {
  for (uint32_t f = 0; f < stages_.signature.fetches.size(); ++f) {
    ValueId v = stages_.signature.fetches[f];
    uint32_t feed = stages_.pruned.fed.Find(Index(v));
    uint16_t home =
        feed != UINT32_MAX
            ? stages_.partitioned.feed_part[feed]
            : stages_.partitioned.part_of[stages_.pruned.position.Find(Index(g_.node_of(v)))];
    if (home != builder_.part()) continue;
    uint32_t slot = builder_.SlotOf(v);
    bool is_ref = IsRef(g_.dtype(v)) && feed == UINT32_MAX;
    code_.fetches.push_back({f, slot, is_ref});
    if (is_ref && ref_variable_.contains(slot))
      bindings_.variables_read.push_back(ref_variable_[slot]);
    if (!builder_.is_bound()[slot] && !is_ref) code_.drop_at_end.push_back(slot);
  }
}

}  // namespace tensh
