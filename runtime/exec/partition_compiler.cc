#include "runtime/exec/partition_compiler.h"

#include <algorithm>

#include "runtime/exec/prepare.h"

namespace tensh {
namespace {

// Reads a variable, for a consumer that takes a value and not a reference.
Status ReadVariable(KernelCtx& c) {
  Variable* variable = c.variable(0);
  Tensor value = variable->Read();
  if (!value) return FailedPrecondition("Attempting to use uninitialized value ", variable->name);
  c.SetOutput(0, std::move(value));
  return {};
}

}  // namespace

PartitionCompiler::PartitionCompiler(const Stages& stages, uint16_t part,
                                     const CompileOptions& options, Bindings& bindings)
    : stages_(stages),
      g_(stages.graph),
      part_(part),
      options_(options),
      bindings_(bindings),
      slots_(stages.partitioned.parts[part].items.size() + 4) {
  code_.device = &(*options.devices)[stages.partitioned.parts[part].device];
  code_.allocator = code_.device->allocator();
  own_memory_ = code_.allocator && !code_.allocator->is_host();
  for (size_t d = 0; d < options.devices->size(); ++d) {
    Allocator* memory = (*options.devices)[d].allocator();
    mixed_ |= memory && !memory->is_host();
  }
  if (options.allocator && code_.allocator == HostAllocator()) code_.allocator = options.allocator;
}

Result<PartitionCode> PartitionCompiler::Run() {
  for (uint32_t f = 0; f < stages_.signature.feeds.size(); ++f) {
    if (stages_.partitioned.feed_part[f] != part_) continue;
    uint32_t slot = SlotOf(stages_.signature.feeds[f]);
    lies_[slot] = options_.takes_feeds ? Lies::kAnywhere : Lies::kHost;
    code_.feeds.push_back({f, slot});
    code_.drop_at_end.push_back(slot);
  }
  FindWanted();
  for (const PlanItem& item : stages_.partitioned.parts[part_].items)
    TENSH_RETURN_IF_ERROR(CompileItem(item));
  TENSH_RETURN_IF_ERROR(memory_status_);
  CompileFetches();
  std::vector<bool> keep = is_bound_;
  for (const auto& [f, slot] : code_.feeds) keep[slot] = !options_.takes_feeds;
  for (const auto& [f, slot, is_ref] : code_.fetches) keep[slot] = true;
  PointInto();
  if (options_.fuse && stages_.pruned.flow.empty()) FindFused(g_, code_, keep);
  if (own_memory_ && stages_.pruned.flow.empty() && !options_.takes_feeds)
    FindReplays(g_, code_, lies_, is_bound_);
  FindLastUses(code_, std::move(keep));
  return std::move(code_);
}

uint32_t PartitionCompiler::SlotOf(ValueId v) {
  uint32_t slot = slots_.Find(Index(v));
  if (slot != UINT32_MAX) return slot;
  slot = NewSlot(false);
  slots_.Insert(Index(v), slot);
  return slot;
}

uint32_t PartitionCompiler::NewSlot(bool is_bound, Lies lies) {
  is_bound_.push_back(is_bound);
  lies_.push_back(lies);
  return code_.n_slots++;
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
      return BeginLoop(item.transfer);
    case PlanItem::kLoopTest:
      TestLoop(item.transfer);
      return {};
    case PlanItem::kLoopEnd:
      EndLoop(item.transfer);
      return {};
  }
  return {};
}

Status PartitionCompiler::CompileNode(NodeId node) {
  const OpDef& op = g_.op(node);
  if (Unused(node)) return {};
  if (op.role == OpRole::kConst && !Guarded(node))
    return Bind(g_.output(node, 0), g_.attrs(node).Get<Tensor>("value"));
  if (op.role == OpRole::kVariable) return BindVariable(node);
  if (!stages_.pruned.flow.empty() && CompileAlias(node)) return {};
  TENSH_ASSIGN(const bool keyed, CompileKeyed(node));
  if (keyed) return {};
  return CompileKernel(node);
}

Status PartitionCompiler::CompileKernel(NodeId node) {
  TENSH_ASSIGN(BoundKernel bound, BindNode(g_, node, *code_.device, options_));
  const std::vector<uint32_t> in = KernelInputs(node);
  Instr instr{.fn = bound.fn, .node = node};
  instr.call.state = bound.state.get();
  instr.call.contract = bound.contract;
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < g_.num_outputs(node); ++i) out.push_back(OutputSlot(g_.output(node, i)));
  NoteOutputs(node, out, instr.call);
  if (Guarded(node))
    EmitGuarded(std::move(instr), in, out, node);
  else
    Emit(std::move(instr), in, out, node);
  if (bound.state) code_.states.push_back(std::move(bound.state));
  if (bound.own) code_.contracts.push_back(std::move(bound.own));
  return {};
}

uint32_t PartitionCompiler::InputSlot(NodeId node, uint32_t i) {
  ValueId v = g_.input(node, i);
  uint32_t slot = SlotOf(v);
  if (!IsRef(g_.dtype(v)) || IsFed(v) || Received(v) || TakesReference(g_, node, i)) return slot;
  return EmitRead(slot, g_.node_of(v));
}

uint32_t PartitionCompiler::EmitRead(uint32_t ref_slot, NodeId variable) {
  BringVariableHere(ref_slot, g_.dtype(g_.output(variable, 0)), variable);
  uint32_t value = NewSlot(false);
  Instr instr{.fn = ReadVariable, .node = variable, .is_read = true};
  uint32_t in[] = {ref_slot}, out[] = {value};
  if (stages_.pruned.flow.empty())
    Emit(std::move(instr), in, out, kNoNode);
  else
    EmitGuarded(std::move(instr), in, out, kNoNode);
  auto it = ref_variable_.find(ref_slot);
  if (it != ref_variable_.end()) bindings_.variables_read.push_back(it->second);
  return value;
}

void PartitionCompiler::Emit(Instr instr, std::span<const uint32_t> in,
                             std::span<const uint32_t> out, NodeId node) {
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

Status PartitionCompiler::Bind(ValueId v, Tensor tensor) {
  uint32_t slot = OutputSlot(v);
  is_bound_[slot] = true;
  lies_[slot] = Lies::kHost;
  code_.bound.push_back({slot, std::move(tensor)});
  return {};
}

Status PartitionCompiler::BindVariable(NodeId node) {
  TENSH_ASSIGN(auto variable, FindVariable(g_, node, *options_.resources));
  ValueId v = g_.output(node, 0);
  if (stages_.pruned.fed.Find(Index(v)) == UINT32_MAX) ref_variable_[SlotOf(v)] = variable.get();
  Tensor reference = ReferenceTo(variable.get());
  bindings_.resources.push_back(std::move(variable));
  return Bind(v, std::move(reference));
}

Status PartitionCompiler::CompileSend(uint32_t t) {
  const Transfer& transfer = stages_.partitioned.transfers[t];
  Instr instr{.of = {.transfer = t}, .kind = Instr::kSend};
  if (transfer.loop) {
    instr.slot = LoopToken(transfer.loop);
    instr.node = transfer.control;
  } else if (transfer.value == kNoValue) {
    instr.slot = Guarded(transfer.control) ? TokenSlot(transfer.control) : UINT32_MAX;
    instr.node = transfer.control;
  } else {
    instr.node = g_.node_of(transfer.value);
    instr.slot = SlotOf(transfer.value);
    bool fed = stages_.pruned.fed.Find(Index(transfer.value)) != UINT32_MAX;
    if (IsRef(g_.dtype(transfer.value)) && !fed && CrossesDevices(transfer))
      instr.slot = EmitRead(instr.slot, instr.node);
    Device& to = (*options_.devices)[stages_.partitioned.parts[transfer.to].device];
    if (mixed_ && to.allocator()->is_host() && IsPod(BaseType(g_.dtype(transfer.value))) &&
        (!IsRef(g_.dtype(transfer.value)) || CrossesDevices(transfer)))
      instr.slot = InMemory(instr.slot, Lies::kHost, instr.node);
  }
  uint32_t in[] = {instr.slot};
  Emit(std::move(instr), std::span(in, in[0] == UINT32_MAX ? 0 : 1), {}, kNoNode);
  return {};
}

void PartitionCompiler::CompileRecv(uint32_t t) {
  const Transfer& transfer = stages_.partitioned.transfers[t];
  Instr instr{.of = {.transfer = t}, .slot = UINT32_MAX, .kind = Instr::kRecv};
  instr.node = transfer.value == kNoValue ? transfer.control : g_.node_of(transfer.value);
  // If no consumer needs the value, the partition still waits for it and then drops it.
  const bool taken = std::any_of(transfer.consumers.begin(), transfer.consumers.end(),
                                 [&](NodeId consumer) { return !Unused(consumer); });
  if (transfer.value != kNoValue && taken) {
    instr.slot = SlotOf(transfer.value);
    if (CrossesDevices(transfer)) received_.Insert(Index(transfer.value), 0);
  }
  if (transfer.loop)
    loop_tokens_[transfer.loop] = instr.slot = NewSlot(false);
  else if (transfer.value == kNoValue && Guarded(transfer.control))
    tokens_[Index(transfer.control)] = instr.slot = NewSlot(false);
  Emit(std::move(instr), {}, {}, kNoNode);
}

void PartitionCompiler::CompileFetches() {
  for (uint32_t f = 0; f < stages_.signature.fetches.size(); ++f) {
    ValueId v = stages_.signature.fetches[f];
    uint32_t feed = stages_.pruned.fed.Find(Index(v));
    uint16_t home =
        feed != UINT32_MAX
            ? stages_.partitioned.feed_part[feed]
            : stages_.partitioned.part_of[stages_.pruned.position.Find(Index(g_.node_of(v)))];
    if (home != part_) continue;
    uint32_t slot = SlotOf(v);
    bool is_ref = IsRef(g_.dtype(v)) && feed == UINT32_MAX;
    code_.fetches.push_back({f, slot, is_ref});
    if (is_ref && ref_variable_.contains(slot))
      bindings_.variables_read.push_back(ref_variable_[slot]);
    if (!is_bound_[slot] && !is_ref) code_.drop_at_end.push_back(slot);
  }
}

void PartitionCompiler::PointInto() {
  for (size_t i = 0; i < code_.code.size(); ++i) {
    Instr& instr = code_.code[i];
    instr.call.in = code_.slot_ids.data() + offsets_[i].slots;
    instr.call.out = instr.call.in + instr.call.n_in;
    instr.call.out_dtypes = code_.dtypes.data() + offsets_[i].dtypes;
  }
}

}  // namespace tensh
