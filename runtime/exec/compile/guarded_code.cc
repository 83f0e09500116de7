#include "runtime/exec/compile/guarded_code.h"

#include <algorithm>

namespace tensh {
namespace {

Status PassToken(KernelCtx& c) {
  c.SetOutput(0, c.in(0));
  return {};
}

}  // namespace

GuardedCode::GuardedCode(CodeBuilder& builder) : b_(builder) {
  if (b_.flow().empty()) return;
  const Graph& graph = b_.graph();
  orders_.resize(b_.stages().pruned.nodes.size());
  for (NodeId node : b_.stages().pruned.nodes)
    for (uint32_t i = 0; i < graph.num_controls(node); ++i)
      if (const uint32_t from = b_.Position(graph.control(node, i)); from != UINT32_MAX)
        orders_[from] = true;
}

bool GuardedCode::Guarded(NodeId node) const {
  const Flow& flow = b_.flow();
  const uint32_t position = b_.Position(node);  // none for a fed placeholder
  return !flow.empty() && position != UINT32_MAX && flow.guarded[position];
}

void GuardedCode::EmitGuarded(Instr instr, std::span<const uint32_t> in,
                              std::span<const uint32_t> out, NodeId node) {
  std::vector<uint32_t> needs;
  const bool is_const = node != kNoNode && b_.graph().op(node).role == OpRole::kConst;
  for (uint32_t slot : in)
    if (!b_.is_bound()[slot]) needs.push_back(slot);
  for (uint32_t i = 0; node != kNoNode && i < b_.graph().num_controls(node); ++i)
    if (Guarded(b_.graph().control(node, i)))
      needs.push_back(TokenSlot(b_.graph().control(node, i)));
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  instr.guarded_fn = instr.fn;
  instr.fn = nullptr;
  instr.kind = Instr::kGuarded;
  b_.SetGuards(instr, needs);
  if (is_const) {  // the token's slot receives the value if the node runs
    instr.guarded_fn = PassToken;
    const uint32_t from[] = {
        b_.NewConstant(b_.graph().attrs(node).Get<Tensor>("value"), Lies::kHost)};
    b_.Emit(instr, from, out, node);
  } else {
    b_.Emit(instr, in, out, node);
  }
  if (node == kNoNode || !orders_[b_.Position(node)]) return;
  // Only one output of a Switch is filled, and a node without outputs fills none.
  const bool needs_token = b_.graph().num_outputs(node) == 0 ||
                           b_.IsFed(b_.graph().output(node, 0)) ||
                           b_.flow().role[b_.Position(node)] == OpRole::kSwitch;
  if (needs_token) tokens_[Index(node)] = EmitToken(node, needs);
}

void GuardedCode::EmitHelper(Instr instr, std::span<const uint32_t> in,
                             std::span<const uint32_t> out) {
  if (b_.flow().empty())
    b_.Emit(instr, in, out, kNoNode);
  else
    EmitGuarded(instr, in, out, kNoNode);
}

uint32_t GuardedCode::EmitToken(NodeId node, const std::vector<uint32_t>& needs) {
  if (source_ == UINT32_MAX) source_ = b_.NewConstant(Tensor::Scalar<bool>(true));
  const uint32_t in[] = {source_}, out[] = {b_.NewSlot(false)};
  Instr instr{.node = node, .kind = Instr::kGuarded, .guarded_fn = PassToken};
  b_.SetGuards(instr, needs);
  instr.is_read = true;  // does not belong to a node
  b_.Emit(instr, in, out, kNoNode);
  return out[0];
}

uint32_t GuardedCode::LoopToken(uint32_t f) {
  const Flow& flow = b_.flow();
  const LoopFrame& frame = flow.frames[f];
  auto [it, added] = loop_tokens_.try_emplace(f, UINT32_MAX);
  if (!added) return it->second;
  std::vector<uint32_t> needs;
  for (uint32_t i = frame.begin; i < frame.body; ++i)
    if (flow.frame_of[i] == f)
      needs.push_back(b_.SlotOf(b_.graph().output(b_.stages().pruned.nodes[i], 0)));
  return it->second = EmitToken(b_.stages().pruned.nodes[frame.begin], needs);
}

uint32_t GuardedCode::TokenSlot(NodeId node) {
  auto it = tokens_.find(Index(node));
  return it != tokens_.end() ? it->second : b_.SlotOf(b_.graph().output(node, 0));
}

uint32_t GuardedCode::FindLoopToken(uint32_t frame) const {
  const auto it = loop_tokens_.find(frame);
  return it == loop_tokens_.end() ? UINT32_MAX : it->second;
}

}  // namespace tensh
