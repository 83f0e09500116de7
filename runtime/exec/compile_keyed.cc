// Ends of edges that another process has the other end of.
#include <cstdio>

#include "runtime/exec/edge_key.h"
#include "runtime/exec/partition_compiler.h"

namespace tensh {
std::string EdgeKey(std::string_view sender, uint64_t incarnation, std::string_view receiver,
                    std::string_view name) {
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(incarnation));
  return StrCat(sender, ";", hex, ";", receiver, ";", name, ";0:0");
}

namespace {

std::string KeyOf(Attrs attrs) {
  return EdgeKey(attrs.String("send_device"),
                 static_cast<uint64_t>(attrs.Int("send_device_incarnation")),
                 attrs.String("recv_device"), attrs.String("tensor_name"));
}

}  // namespace

Result<bool> PartitionCompiler::CompileKeyed(NodeId node) {
  const std::string& op = g_.op(node).name;
  const bool is_send = op == "_Send" || op == "_HostSend";
  if (!is_send && op != "_Recv" && op != "_HostRecv") return false;
  const Flow& flow = plan_.pruned.flow;
  if (!flow.empty() && flow.frame_of[Position(node)])
    return Unimplemented("the loop '", flow.frames[flow.frame_of[Position(node)]].name,
                         "' is spread over several devices: ", g_.name(node), " is in it")
        .WithNode(g_.name(node))
        .WithHint("place the whole loop on one device");
  const Attrs attrs = g_.attrs(node);
  const auto number = static_cast<uint32_t>(plan_.keyed.size());
  plan_.keyed.push_back({KeyOf(attrs), attrs.Type(is_send ? "T" : "tensor_type"), is_send, part_});
  Instr instr{.transfer = number, .node = node};
  if (!is_send) {
    instr.kind = Instr::kKeyRecv;
    instr.slot = OutputSlot(g_.output(node, 0));
    Emit(std::move(instr), {}, {}, kNoNode);
    return true;
  }
  instr.kind = Instr::kKeySend;
  instr.slot = InputSlot(node, 0);
  instr.guard_begin = static_cast<uint32_t>(code_.guards.size());
  for (uint32_t i = 0; i < g_.num_controls(node); ++i)
    if (Guarded(g_.control(node, i))) code_.guards.push_back(TokenSlot(g_.control(node, i)));
  instr.guard_end = static_cast<uint32_t>(code_.guards.size());
  const uint32_t in[] = {instr.slot};
  Emit(std::move(instr), in, {}, kNoNode);
  return true;
}

}  // namespace tensh
