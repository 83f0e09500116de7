// Tracks which memory holds each value in the partition of a device with its own memory. The
// registration of a kernel lists the arguments that must be in host memory. Before a kernel runs,
// an instruction moves an argument that is in the wrong memory. Constants are moved once, when the
// plan is compiled. In code without control flow a value is moved at most once in a step.
#include <algorithm>

#include "runtime/core/run_kernel.h"
#include "runtime/exec/partition_compiler.h"
#include "runtime/exec/prepare.h"

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

Instr PartitionCompiler::NewMove(KernelFn fn, Lies to, NodeId node) {
  Allocator* memory = to == Lies::kHost ? HostAllocator() : code_.device->allocator();
  code_.states.push_back(std::make_unique<MemoryState>(memory));
  Instr instr{.fn = fn, .node = node, .is_read = true, .is_move = true};
  instr.call.state = code_.states.back().get();
  return instr;
}

uint32_t PartitionCompiler::InMemory(uint32_t slot, Lies wanted, NodeId node) {
  if (!own_memory_ || wanted == Lies::kAnywhere || lies_[slot] == wanted) return slot;
  const uint64_t key = uint64_t{slot} * 2 + (wanted == Lies::kHost);
  if (auto it = moved_.find(key); it != moved_.end()) return it->second;
  if (is_bound_[slot]) return moved_[key] = BoundInMemory(slot, wanted);
  const uint32_t moved = NewSlot(false, wanted);
  const uint32_t in[] = {slot}, out[] = {moved};
  if (stages_.pruned.flow.empty()) {
    Emit(NewMove(Move, wanted, node), in, out, kNoNode);
    moved_[key] = moved;
  } else {
    EmitGuarded(NewMove(Move, wanted, node), in, out, kNoNode);
  }
  return moved;
}

uint32_t PartitionCompiler::BoundInMemory(uint32_t slot, Lies wanted) {
  const auto bound = std::find_if(code_.bound.begin(), code_.bound.end(),
                                  [&](const auto& each) { return each.slot == slot; });
  Allocator* memory = wanted == Lies::kHost ? HostAllocator() : code_.device->allocator();
  Result<Tensor> there = bound->tensor.CopyTo(memory);
  if (!there.ok()) {
    if (memory_status_.ok()) memory_status_ = std::move(there).status();
    return slot;
  }
  const uint32_t moved = NewSlot(true, wanted);
  code_.bound.push_back({moved, *std::move(there)});
  return moved;
}

void PartitionCompiler::BringVariableHere(uint32_t slot, DType dtype, NodeId node) {
  // A reference to a string may be an old-style handle. Strings are always in host memory.
  if (!mixed_ || BaseType(dtype) == DType::kString) return;
  const uint32_t in[] = {slot};
  Instr instr = NewMove(BringVariable, own_memory_ ? Lies::kDevice : Lies::kHost, node);
  if (stages_.pruned.flow.empty())
    Emit(std::move(instr), in, {}, kNoNode);
  else
    EmitGuarded(std::move(instr), in, {}, kNoNode);
}

std::vector<uint32_t> PartitionCompiler::KernelInputs(NodeId node) {
  const OpDef& op = g_.op(node);
  const PluginKernel* row =
      mixed_ ? op.FindPluginKernel(code_.device->info().type, g_.attrs(node)) : nullptr;
  const std::vector<Lies> wanted =
      row ? ArgumentMemory(op.inputs, row, g_.attrs(node)) : std::vector<Lies>();
  std::vector<uint32_t> in;
  for (uint32_t i = 0; i < g_.num_inputs(node); ++i) {
    const ValueId v = g_.input(node, i);
    uint32_t slot = InputSlot(node, i);
    if (mixed_) {
      const Lies lies = i < wanted.size() ? wanted[i] : Lies::kDevice;
      const bool refers = IsRef(g_.dtype(v)) && TakesReference(g_, node, i);
      if (refers || BaseType(g_.dtype(v)) == DType::kResource) {
        if (lies != Lies::kAnywhere) BringVariableHere(slot, g_.dtype(v), node);
      } else if (IsPod(BaseType(g_.dtype(v)))) {
        slot = InMemory(slot, lies, node);
      }
    }
    in.push_back(slot);
  }
  return in;
}

void PartitionCompiler::NoteOutputs(NodeId node, std::span<const uint32_t> out, KernelCall& call) {
  if (!own_memory_) return;
  const OpDef& op = g_.op(node);
  const PluginKernel* row = op.FindPluginKernel(code_.device->info().type, g_.attrs(node));
  const std::vector<Lies> lies = ArgumentMemory(op.outputs, row, g_.attrs(node));
  for (uint32_t i = 0; i < out.size(); ++i) {
    const DType dtype = g_.dtype(g_.output(node, i));
    const bool object = IsRef(dtype) || !IsPod(dtype);
    lies_[out[i]] = object ? Lies::kAnywhere : i < lies.size() ? lies[i] : Lies::kDevice;
    if (lies_[out[i]] == Lies::kHost) call.host_outputs |= 1u << std::min(i, 31u);
  }
  if (row && row->host == "*") call.host_outputs = UINT32_MAX;
}

}  // namespace tensh
