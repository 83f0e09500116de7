// Compiles the ends of edges to other processes.
#include <cstdio>

#include "runtime/exec/compile/edge_key.h"
#include "runtime/exec/compile/partition_compiler.h"

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
  const Flow& flow = builder_.flow();
  const uint32_t frame = flow.empty() ? 0 : flow.frame_of[builder_.Position(node)];
  const auto number = static_cast<uint32_t>(bindings_.keyed.size());
  Keyed& edge = bindings_.keyed.emplace_back(KeyedEdge(g_, node, frame != 0));
  edge.part = builder_.part();
  edge.frame = frame;
  const bool is_send = edge.is_send;
  if (frame && is_send) {
    LoopCode& loop = loops_.CodeOf(frame);
    const uint32_t position = builder_.Position(node);
    if (position >= flow.frames[frame].tail)
      loop.sends_ended.push_back(number);
    else if (position >= flow.frames[frame].test)
      loop.sends_going_on.push_back(number);
  }
  Instr instr{.of = {.keyed = number}, .node = node};
  if (!is_send) {
    instr.kind = Instr::kKeyRecv;
    instr.slot = builder_.OutputSlot(g_.output(node, 0));
    builder_.Emit(instr, {}, {}, kNoNode);
    return true;
  }
  instr.kind = Instr::kKeySend;
  instr.slot = memory_.InMemory(InputSlot(node, 0), Lies::kHost, node);
  std::vector<uint32_t> needs;
  for (uint32_t i = 0; i < g_.num_controls(node); ++i)
    if (guards_.Guarded(g_.control(node, i)))
      needs.push_back(guards_.TokenSlot(g_.control(node, i)));
  builder_.SetGuards(instr, needs);
  const uint32_t in[] = {instr.slot};
  builder_.Emit(instr, in, {}, kNoNode);
  return true;
}

}  // namespace tensh
