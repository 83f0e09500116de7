// Compiles the control flow of a partition. The variables of a loop are slots that the loop moves
// values into. Enter, Exit, NextIteration, LoopCond and the Switches of a usual loop need no
// instructions, because their outputs are other names for existing slots.
#include <algorithm>

#include "runtime/exec/partition_compiler.h"
#include "runtime/exec/prepare.h"

namespace tensh {
namespace {

Status PassToken(KernelCtx& c) {
  c.SetOutput(0, c.in(0));
  return {};
}

}  // namespace

bool PartitionCompiler::Guarded(NodeId node) const {
  const Flow& flow = stages_.pruned.flow;
  const uint32_t position = Position(node);  // none for a fed placeholder
  return !flow.empty() && position != UINT32_MAX && flow.guarded[position];
}

// Finds the value_index outputs that have consumers, and the nodes at which a control edge begins.
void PartitionCompiler::FindWanted() {
  const Flow& flow = stages_.pruned.flow;
  if (flow.empty()) return;
  orders_.resize(stages_.pruned.nodes.size());
  for (NodeId node : stages_.pruned.nodes) {
    for (uint32_t i = 0; i < g_.num_inputs(node); ++i)
      if (g_.index_of(g_.input(node, i)) == 1) wanted_numbers_.insert(Index(g_.input(node, i)));
    for (uint32_t i = 0; i < g_.num_controls(node); ++i)
      if (const uint32_t from = Position(g_.control(node, i)); from != UINT32_MAX)
        orders_[from] = true;
  }
}

void PartitionCompiler::Alias(ValueId v, uint32_t slot) {
  if (!IsFed(v)) slots_.Set(Index(v), slot);
}

bool PartitionCompiler::CompileAlias(NodeId node) {
  const Flow& flow = stages_.pruned.flow;
  const uint32_t position = Position(node);
  switch (flow.role[position]) {
    case OpRole::kExit:
      if (!flow.frames[flow.frame_of[position]].usual) return true;  // the loop fills the slot
      [[fallthrough]];
    case OpRole::kEnter:
    case OpRole::kNextIteration:
      Alias(g_.output(node, 0), InputSlot(node, 0));
      return true;
    case OpRole::kLoopCond:  // the loop's test reads it
      Alias(g_.output(node, 0), InMemory(InputSlot(node, 0), Lies::kHost, node));
      return true;
    case OpRole::kSwitch: {
      if (!flow.loop_switch[position] || !flow.frames[flow.frame_of[position]].usual) return false;
      const uint32_t slot = InputSlot(node, 0);
      Alias(g_.output(node, 0), slot);
      Alias(g_.output(node, 1), slot);
      return true;
    }
    case OpRole::kMerge: {
      if (IsLoopVariable(g_, stages_.pruned, node)) return true;  // BeginLoop fills it
      // The kernel of Merge checks which of its inputs has a value.
      std::vector<uint32_t> in;
      for (uint32_t i = 0; i < g_.num_inputs(node); ++i) in.push_back(InputSlot(node, i));
      const uint32_t out[] = {OutputSlot(g_.output(node, 0)), OutputSlot(g_.output(node, 1))};
      const KernelRow* kernel = g_.op(node).FindKernel(code_.device->info().type, g_.attrs(node));
      Instr instr{.fn = kernel->fn, .node = node};
      if (!instr.fn) instr.fn = g_.op(node).FindKernel("CPU", g_.attrs(node))->fn;
      NoteOutputs(node, out, instr.call);
      Emit(std::move(instr), in, out, node);
      return true;
    }
    default:
      return false;
  }
}

void PartitionCompiler::EmitGuarded(Instr instr, std::span<const uint32_t> in,
                                    std::span<const uint32_t> out, NodeId node) {
  std::vector<uint32_t> needs;
  const bool is_const = node != kNoNode && g_.op(node).role == OpRole::kConst;
  for (uint32_t slot : in)
    if (!is_bound_[slot]) needs.push_back(slot);
  for (uint32_t i = 0; node != kNoNode && i < g_.num_controls(node); ++i)
    if (Guarded(g_.control(node, i))) needs.push_back(TokenSlot(g_.control(node, i)));
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  instr.guarded_fn = instr.fn;
  instr.fn = nullptr;
  instr.kind = Instr::kGuarded;
  instr.guard_begin = static_cast<uint32_t>(code_.guards.size());
  code_.guards.insert(code_.guards.end(), needs.begin(), needs.end());
  instr.guard_end = static_cast<uint32_t>(code_.guards.size());
  if (is_const) {  // the token's slot receives the value if the node runs
    const uint32_t value = NewSlot(true, Lies::kHost);
    code_.bound.push_back({value, g_.attrs(node).Get<Tensor>("value")});
    instr.guarded_fn = PassToken;
    const uint32_t from[] = {value};
    Emit(std::move(instr), from, out, node);
  } else {
    Emit(std::move(instr), in, out, node);
  }
  if (node == kNoNode || !orders_[Position(node)]) return;
  // A Switch fills only one of its outputs, and a node without outputs none.
  const bool needs_token = g_.num_outputs(node) == 0 || IsFed(g_.output(node, 0)) ||
                           stages_.pruned.flow.role[Position(node)] == OpRole::kSwitch;
  if (needs_token) tokens_[Index(node)] = EmitToken(node, std::move(needs));
}

uint32_t PartitionCompiler::EmitToken(NodeId node, std::vector<uint32_t> needs) {
  if (token_source_ == UINT32_MAX) {
    token_source_ = NewSlot(true);
    code_.bound.push_back({token_source_, Tensor::Scalar<bool>(true)});
  }
  const uint32_t in[] = {token_source_}, out[] = {NewSlot(false)};
  Instr instr{.node = node, .kind = Instr::kGuarded, .guarded_fn = PassToken};
  instr.guard_begin = static_cast<uint32_t>(code_.guards.size());
  code_.guards.insert(code_.guards.end(), needs.begin(), needs.end());
  instr.guard_end = static_cast<uint32_t>(code_.guards.size());
  instr.is_read = true;  // not a node
  Emit(std::move(instr), in, out, kNoNode);
  return out[0];
}

uint32_t PartitionCompiler::LoopToken(uint32_t f) {
  const Flow& flow = stages_.pruned.flow;
  const LoopFrame& frame = flow.frames[f];
  auto [it, added] = loop_tokens_.try_emplace(f, UINT32_MAX);
  if (!added) return it->second;
  std::vector<uint32_t> needs;
  for (uint32_t i = frame.begin; i < frame.body; ++i)
    if (flow.frame_of[i] == f) needs.push_back(SlotOf(g_.output(stages_.pruned.nodes[i], 0)));
  return it->second = EmitToken(stages_.pruned.nodes[frame.begin], std::move(needs));
}

uint32_t PartitionCompiler::TokenSlot(NodeId node) {
  auto it = tokens_.find(Index(node));
  return it != tokens_.end() ? it->second : SlotOf(g_.output(node, 0));
}

// ---- loops ----

Status PartitionCompiler::BeginLoop(uint32_t f) {
  const Flow& flow = stages_.pruned.flow;
  const LoopFrame& frame = flow.frames[f];
  LoopCode loop;
  loop.frame = f;
  loop.usual = frame.usual;
  loop.guarded = frame.guarded;
  // Outside its home a loop has no variables. Tokens tell whether it runs.
  if (auto token = loop_tokens_.find(f); !IsHere(frame.begin) && token != loop_tokens_.end())
    loop.live.push_back(token->second);
  for (uint32_t i = frame.begin; i < frame.end; ++i) {
    if (flow.frame_of[i] != f || !IsHere(i)) continue;
    NodeId node = stages_.pruned.nodes[i];
    if (i < frame.body) {
      if (frame.usual || !g_.attrs(node).Bool("is_constant"))
        loop.live.push_back(SlotOf(g_.output(node, 0)));
    } else if (flow.role[i] == OpRole::kExit && !frame.usual) {
      loop.exits.push_back({0, OutputSlot(g_.output(node, 0)), false});
    } else if (IsLoopVariable(g_, stages_.pruned, node)) {
      const uint32_t to = OutputSlot(g_.output(node, 0));
      for (uint32_t k = 0; k < g_.num_inputs(node); ++k) {
        const uint32_t from = Position(g_.node_of(g_.input(node, k)));
        if (from != UINT32_MAX && flow.role[from] == OpRole::kNextIteration) continue;
        if (from != UINT32_MAX && flow.role[from] != OpRole::kEnter)
          return Unimplemented("the Merge ", g_.name(node),
                               " of a loop takes a first value that does not enter the loop")
              .WithNode(g_.name(node));
        loop.init.push_back({SlotOf(g_.input(node, k)), to, false});
      }
      if (wanted_numbers_.contains(Index(g_.output(node, 1))))
        loop.numbers.push_back(SlotOf(g_.output(node, 1)));
    }
  }
  for (uint32_t i = frame.begin; i < frame.body && loop.live.empty(); ++i)  // constants only
    if (flow.frame_of[i] == f) loop.live.push_back(SlotOf(g_.output(stages_.pruned.nodes[i], 0)));
  loop_of_frame_[f] = static_cast<uint32_t>(code_.loops.size());
  Instr instr{.of = {.loop = loop_of_frame_[f]},
              .node = stages_.pruned.nodes[frame.begin],
              .kind = Instr::kLoopBegin};
  code_.loops.push_back(std::move(loop));
  Emit(std::move(instr), {}, {}, kNoNode);
  code_.loops.back().begin = static_cast<uint32_t>(code_.code.size());
  return {};
}

void PartitionCompiler::TestLoop(uint32_t f) {
  const NodeId cond = stages_.pruned.flow.frames[f].cond;
  code_.loops[loop_of_frame_[f]].cond = SlotOf(g_.output(cond, 0));
  Emit({.of = {.loop = loop_of_frame_[f]}, .node = cond, .kind = Instr::kLoopTest}, {}, {},
       kNoNode);
}

void PartitionCompiler::EndLoop(uint32_t f) {
  const Flow& flow = stages_.pruned.flow;
  const LoopFrame& frame = flow.frames[f];
  LoopCode& loop = code_.loops[loop_of_frame_[f]];
  size_t exits = 0;
  for (uint32_t i = frame.body; i < frame.end; ++i) {
    if (flow.frame_of[i] != f || !IsHere(i)) continue;
    NodeId node = stages_.pruned.nodes[i];
    if (flow.role[i] == OpRole::kExit && !frame.usual)
      loop.exits[exits++].from = SlotOf(g_.input(node, 0));
    if (!IsLoopVariable(g_, stages_.pruned, node)) continue;
    for (uint32_t k = 1; k < g_.num_inputs(node); ++k) {
      const uint32_t from = Position(g_.node_of(g_.input(node, k)));
      if (from != UINT32_MAX && flow.role[from] == OpRole::kNextIteration)
        loop.next.push_back({SlotOf(g_.input(node, k)), SlotOf(g_.output(node, 0)), false});
    }
  }
  const NodeId node = frame.cond != kNoNode ? frame.cond : stages_.pruned.nodes[frame.begin];
  const uint32_t number = loop_of_frame_[f];
  Emit({.of = {.loop = number}, .node = node, .kind = Instr::kLoopNext}, {}, {}, kNoNode);
  code_.loops[number].end = static_cast<uint32_t>(code_.code.size());
  Emit({.of = {.loop = number}, .node = node, .kind = Instr::kLoopEnd}, {}, {}, kNoNode);
}

}  // namespace tensh
