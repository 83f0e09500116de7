#include "runtime/exec/compile/memory_moves.h"

#include <algorithm>

#include "runtime/core/run_kernel.h"

namespace tensh {
namespace {

struct MemoryState : KernelState {
  explicit MemoryState(Allocator* m) : memory(m) {}
  Allocator* const memory;
};

Status Move(KernelCtx& c) {
  TENSH_ASSIGN(Tensor moved, c.in(0).CopyTo(c.state<MemoryState>().memory));
  c.SetOutput(0, std::move(moved));
  return {};
}

// Moves the value of a variable to the memory of this device. It is in the memory in which it was
// last written.
Status BringVariable(KernelCtx& c) {
  Variable* variable = c.variable(0);
  if (!variable) return {};
  std::lock_guard lock(variable->mu);
  if (!variable->value) return {};
  TENSH_ASSIGN(variable->value, variable->value.CopyTo(c.state<MemoryState>().memory));
  return {};
}

}  // namespace

bool IsInList(std::string_view list, std::string_view name) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

std::vector<Lies> ArgumentMemory(const std::vector<ArgDef>& args, const PluginKernel* row,
                                 Attrs attrs) {
  static const PluginKernel plain;
  if (!row) row = &plain;
  std::vector<Lies> list;
  for (const ArgDef& arg : args) {
    const ArgTypes types = TypesOf(arg, attrs);
    const Lies lies = IsInList(row->host, arg.name)   ? Lies::kHost
                      : IsInList(row->pass, arg.name) ? Lies::kAnywhere
                      : row->host == "*"              ? Lies::kHost
                      : row->pass == "*"              ? Lies::kAnywhere
                                                      : Lies::kDevice;
    list.insert(list.end(), static_cast<size_t>(types.count), lies);
  }
  return list;
}

MemoryMoves::MemoryMoves(CodeBuilder& builder, GuardedCode& guards, const DeviceMgr& devices)
    : b_(builder), guards_(guards) {
  const Allocator* here = b_.code().device->allocator();
  own_ = here && !here->is_host();
  for (size_t d = 0; d < devices.size(); ++d) {
    const Allocator* memory = devices[d].allocator();
    mixed_ |= memory && !memory->is_host();
  }
}

Allocator* MemoryMoves::MemoryOf(Lies lies) {
  return lies == Lies::kHost ? HostAllocator() : b_.code().device->allocator();
}

Instr MemoryMoves::NewMove(KernelFn fn, Lies to, NodeId node) {
  b_.code().states.push_back(std::make_unique<MemoryState>(MemoryOf(to)));
  Instr instr{.fn = fn, .node = node, .is_read = true, .is_move = true};
  instr.call.state = b_.code().states.back().get();
  return instr;
}

uint32_t MemoryMoves::InMemory(uint32_t slot, Lies wanted, NodeId node) {
  if (!own_ || wanted == Lies::kAnywhere || b_.lies()[slot] == wanted) return slot;
  const uint64_t key = uint64_t{slot} * 2 + (wanted == Lies::kHost);
  if (auto it = moved_.find(key); it != moved_.end()) return it->second;
  if (b_.is_bound()[slot]) return moved_[key] = ConstantInMemory(slot, wanted);
  const uint32_t moved = b_.NewSlot(false, wanted);
  const uint32_t in[] = {slot}, out[] = {moved};
  guards_.EmitHelper(NewMove(Move, wanted, node), in, out);
  if (b_.flow().empty()) moved_[key] = moved;
  return moved;
}

uint32_t MemoryMoves::ConstantInMemory(uint32_t slot, Lies wanted) {
  const auto bound = std::find_if(b_.code().bound.begin(), b_.code().bound.end(),
                                  [&](const auto& each) { return each.slot == slot; });
  Result<Tensor> there = bound->tensor.CopyTo(MemoryOf(wanted));
  if (!there.ok()) {
    if (status_.ok()) status_ = std::move(there).status();
    return slot;
  }
  return b_.NewConstant(*std::move(there), wanted);
}

void MemoryMoves::BringVariableHere(uint32_t slot, DType dtype, NodeId node) {
  // A reference to a string may be an old-style handle. Strings are always in host memory.
  if (!mixed_ || BaseType(dtype) == DType::kString) return;
  const uint32_t in[] = {slot};
  Instr instr = NewMove(BringVariable, own_ ? Lies::kDevice : Lies::kHost, node);
  guards_.EmitHelper(instr, in, {});
}

std::vector<Lies> MemoryMoves::InputMemory(NodeId node) const {
  const OpDef& op = b_.graph().op(node);
  const Attrs attrs = b_.graph().attrs(node);
  const PluginKernel* row = op.FindPluginKernel(b_.code().device->info().type, attrs);
  std::vector<Lies> wanted = row ? ArgumentMemory(op.inputs, row, attrs) : std::vector<Lies>();
  wanted.resize(b_.graph().num_inputs(node), Lies::kDevice);
  return wanted;
}

void MemoryMoves::NoteOutputs(NodeId node, std::span<const uint32_t> out, KernelCall& call) {
  if (!own_) return;
  const OpDef& op = b_.graph().op(node);
  const PluginKernel* row =
      op.FindPluginKernel(b_.code().device->info().type, b_.graph().attrs(node));
  const std::vector<Lies> lies = ArgumentMemory(op.outputs, row, b_.graph().attrs(node));
  for (uint32_t i = 0; i < out.size(); ++i) {
    const DType dtype = b_.graph().dtype(b_.graph().output(node, i));
    const bool object = IsRef(dtype) || !IsPod(dtype);
    b_.lies()[out[i]] = object ? Lies::kAnywhere : i < lies.size() ? lies[i] : Lies::kDevice;
    if (b_.lies()[out[i]] == Lies::kHost) call.host_outputs |= 1u << std::min(i, 31u);
  }
  if (row && row->host == "*") call.host_outputs = UINT32_MAX;
}

}  // namespace tensh
