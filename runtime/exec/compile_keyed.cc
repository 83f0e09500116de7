// Compiles the ends of edges to other processes.
#include <cstdio>

#include "runtime/exec/edge_key.h"
#include "runtime/exec/partition_compiler.h"

namespace tensh {
std::string EdgeKey(std::string_view sender, uint64_t incarnation, std::string_view receiver,
                    std::string_view name, bool in_loop) {
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(incarnation));
  return StrCat(sender, ";", hex, ";", receiver, ";", name, in_loop ? ";" : ";0:0");
}

bool IsKeyed(const OpDef& op) { return op.role == OpRole::kSend || op.role == OpRole::kRecv; }

Keyed KeyedEdge(const Graph& graph, NodeId node, bool in_loop) {
  const Attrs attrs = graph.attrs(node);
  const bool is_send = graph.num_inputs(node) > 0;
  return {EdgeKey(attrs.String("send_device"),
                  static_cast<uint64_t>(attrs.Int("send_device_incarnation")),
                  attrs.String("recv_device"), attrs.String("tensor_name"), in_loop),
          attrs.Type(is_send ? "T" : "tensor_type"), is_send, 0};
}

Result<bool> PartitionCompiler::CompileKeyed(NodeId node) {
  if (!IsKeyed(g_.op(node))) return false;
  const Flow& flow = stages_.pruned.flow;
  const uint32_t frame = flow.empty() ? 0 : flow.frame_of[Position(node)];
  const auto number = static_cast<uint32_t>(bindings_.keyed.size());
  Keyed& edge = bindings_.keyed.emplace_back(KeyedEdge(g_, node, frame != 0));
  edge.part = part_;
  edge.frame = frame;
  const bool is_send = edge.is_send;
  if (frame && is_send) {
    LoopCode& loop = code_.loops[loop_of_frame_[frame]];
    const uint32_t position = Position(node);
    if (position >= flow.frames[frame].tail)
      loop.sends_ended.push_back(number);
    else if (position >= flow.frames[frame].test)
      loop.sends_going_on.push_back(number);
  }
  Instr instr{.of = {.keyed = number}, .node = node};
  if (!is_send) {
    instr.kind = Instr::kKeyRecv;
    instr.slot = OutputSlot(g_.output(node, 0));
    Emit(std::move(instr), {}, {}, kNoNode);
    return true;
  }
  instr.kind = Instr::kKeySend;
  instr.slot = InMemory(InputSlot(node, 0), Lies::kHost, node);
  instr.guard_begin = static_cast<uint32_t>(code_.guards.size());
  for (uint32_t i = 0; i < g_.num_controls(node); ++i)
    if (Guarded(g_.control(node, i))) code_.guards.push_back(TokenSlot(g_.control(node, i)));
  instr.guard_end = static_cast<uint32_t>(code_.guards.size());
  const uint32_t in[] = {instr.slot};
  Emit(std::move(instr), in, {}, kNoNode);
  return true;
}

}  // namespace tensh
