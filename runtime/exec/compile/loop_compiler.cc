#include "runtime/exec/compile/loop_compiler.h"

#include "runtime/exec/compile/prepare.h"

namespace tensh {

LoopCompiler::LoopCompiler(CodeBuilder& builder, GuardedCode& guards)
    : b_(builder), guards_(guards) {
  if (b_.flow().empty()) return;
  const Graph& graph = b_.graph();
  for (NodeId node : b_.stages().pruned.nodes)
    for (uint32_t i = 0; i < graph.num_inputs(node); ++i)
      if (graph.index_of(graph.input(node, i)) == 1)
        wanted_numbers_.insert(Index(graph.input(node, i)));
}

Status LoopCompiler::Begin(uint32_t f) {
  const Flow& flow = b_.flow();
  const LoopFrame& frame = flow.frames[f];
  LoopCode loop;
  loop.frame = f;
  loop.usual = frame.usual;
  loop.guarded = frame.guarded;
  // Outside its home a loop has no variables. Tokens tell whether it runs.
  if (const uint32_t token = guards_.FindLoopToken(f);
      !b_.IsHere(frame.begin) && token != UINT32_MAX)
    loop.live.push_back(token);
  for (uint32_t i = frame.begin; i < frame.end; ++i) {
    if (flow.frame_of[i] != f || !b_.IsHere(i)) continue;
    NodeId node = b_.stages().pruned.nodes[i];
    if (i < frame.body) {
      if (frame.usual || !b_.graph().attrs(node).Bool("is_constant"))
        loop.live.push_back(b_.SlotOf(b_.graph().output(node, 0)));
    } else if (flow.role[i] == OpRole::kExit && !frame.usual) {
      loop.exits.push_back({0, b_.OutputSlot(b_.graph().output(node, 0)), false});
    } else if (IsLoopVariable(b_.graph(), b_.stages().pruned, node)) {
      const uint32_t to = b_.OutputSlot(b_.graph().output(node, 0));
      for (uint32_t k = 0; k < b_.graph().num_inputs(node); ++k) {
        const uint32_t from = b_.Position(b_.graph().node_of(b_.graph().input(node, k)));
        if (from != UINT32_MAX && flow.role[from] == OpRole::kNextIteration) continue;
        if (from != UINT32_MAX && flow.role[from] != OpRole::kEnter)
          return Unimplemented("the Merge ", b_.graph().name(node),
                               " of a loop takes a first value that does not enter the loop")
              .WithNode(b_.graph().name(node));
        loop.init.push_back({b_.SlotOf(b_.graph().input(node, k)), to, false});
      }
      if (wanted_numbers_.contains(Index(b_.graph().output(node, 1))))
        loop.numbers.push_back(b_.SlotOf(b_.graph().output(node, 1)));
    }
  }
  for (uint32_t i = frame.begin; i < frame.body && loop.live.empty(); ++i)  // constants only
    if (flow.frame_of[i] == f)
      loop.live.push_back(b_.SlotOf(b_.graph().output(b_.stages().pruned.nodes[i], 0)));
  loop_of_frame_[f] = static_cast<uint32_t>(b_.code().loops.size());
  Instr instr{.of = {.loop = loop_of_frame_[f]},
              .node = b_.stages().pruned.nodes[frame.begin],
              .kind = Instr::kLoopBegin};
  b_.code().loops.push_back(std::move(loop));
  b_.Emit(instr, {}, {}, kNoNode);
  b_.code().loops.back().begin = static_cast<uint32_t>(b_.code().code.size());
  return {};
}

void LoopCompiler::Test(uint32_t f) {
  const NodeId cond = b_.flow().frames[f].cond;
  b_.code().loops[loop_of_frame_[f]].cond = b_.SlotOf(b_.graph().output(cond, 0));
  b_.Emit({.of = {.loop = loop_of_frame_[f]}, .node = cond, .kind = Instr::kLoopTest}, {}, {},
          kNoNode);
}

void LoopCompiler::End(uint32_t f) {
  const Flow& flow = b_.flow();
  const LoopFrame& frame = flow.frames[f];
  LoopCode& loop = b_.code().loops[loop_of_frame_[f]];
  size_t exits = 0;
  for (uint32_t i = frame.body; i < frame.end; ++i) {
    if (flow.frame_of[i] != f || !b_.IsHere(i)) continue;
    NodeId node = b_.stages().pruned.nodes[i];
    if (flow.role[i] == OpRole::kExit && !frame.usual)
      loop.exits[exits++].from = b_.SlotOf(b_.graph().input(node, 0));
    if (!IsLoopVariable(b_.graph(), b_.stages().pruned, node)) continue;
    for (uint32_t k = 1; k < b_.graph().num_inputs(node); ++k) {
      const uint32_t from = b_.Position(b_.graph().node_of(b_.graph().input(node, k)));
      if (from != UINT32_MAX && flow.role[from] == OpRole::kNextIteration)
        loop.next.push_back(
            {b_.SlotOf(b_.graph().input(node, k)), b_.SlotOf(b_.graph().output(node, 0)), false});
    }
  }
  const NodeId node = frame.cond != kNoNode ? frame.cond : b_.stages().pruned.nodes[frame.begin];
  const uint32_t number = loop_of_frame_[f];
  b_.Emit({.of = {.loop = number}, .node = node, .kind = Instr::kLoopNext}, {}, {}, kNoNode);
  b_.code().loops[number].end = static_cast<uint32_t>(b_.code().code.size());
  b_.Emit({.of = {.loop = number}, .node = node, .kind = Instr::kLoopEnd}, {}, {}, kNoNode);
}

}  // namespace tensh
