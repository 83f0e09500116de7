// Ends of edges that another process has the other end of.
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

namespace {

std::string KeyOf(Attrs attrs, bool in_loop) {
  return EdgeKey(attrs.String("send_device"),
                 static_cast<uint64_t>(attrs.Int("send_device_incarnation")),
                 attrs.String("recv_device"), attrs.String("tensor_name"), in_loop);
}

}  // namespace

bool PartitionCompiler::IsSimpleLoop(uint32_t f) const {
  const Flow& flow = plan_.pruned.flow;
  const LoopFrame& frame = flow.frames[f];
  bool simple = frame.usual && !frame.parent;
  for (uint32_t i = frame.begin; simple && i < frame.end; ++i) {
    const bool merges = flow.kind[i] == FlowKind::kMerge,
               either = flow.kind[i] == FlowKind::kSwitch;
    simple = flow.frame_of[i] == f && (!either || flow.loop_switch[i]) &&
             (!merges || IsLoopVariable(plan_.pruned.nodes[i]));
  }
  return simple;
}

Result<bool> PartitionCompiler::CompileKeyed(NodeId node) {
  const std::string& op = g_.op(node).name;
  const bool is_send = op == "_Send" || op == "_HostSend";
  if (!is_send && op != "_Recv" && op != "_HostRecv") return false;
  const Flow& flow = plan_.pruned.flow;
  const uint32_t frame = flow.empty() ? 0 : flow.frame_of[Position(node)];
  if (frame && !IsSimpleLoop(frame))
    return Unimplemented("the loop '", flow.frames[frame].name,
                         "' is spread over several tasks: ", g_.name(node),
                         " is in it, and so are branches or loops")
        .WithNode(g_.name(node))
        .WithHint("place the whole loop on one task");
  const Attrs attrs = g_.attrs(node);
  const auto number = static_cast<uint32_t>(plan_.keyed.size());
  plan_.keyed.push_back(
      {KeyOf(attrs, frame != 0), attrs.Type(is_send ? "T" : "tensor_type"), is_send, part_, frame});
  if (frame && is_send) {
    LoopCode& loop = code_.loops[loop_of_frame_[frame]];
    const uint32_t position = Position(node);
    if (position >= flow.frames[frame].tail)
      loop.sends_ended.push_back(number);
    else if (position >= flow.frames[frame].test)
      loop.sends_going_on.push_back(number);
  }
  Instr instr{.transfer = number, .node = node};
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
