#pragma once
// Tracks which memory holds each value in the partition of a device with its own memory. Internal to
// exec: a part of PartitionCompiler.
//
// The registration of a kernel lists the arguments that must be in host memory. Before a kernel runs,
// an instruction moves an argument that is in the wrong memory. Constants are moved once, when the
// plan is compiled. In code without control flow a value is moved at most once in a step.
#include <unordered_map>
#include <vector>

#include "runtime/exec/compile/guarded_code.h"

namespace tensh {

// Returns true if `list`, names with blanks between them, contains `name` or is "*".
bool IsInList(std::string_view list, std::string_view name);
// Returns the memory that a plug-in's kernel requires for each tensor of `args`. `row` may be null.
std::vector<Lies> ArgumentMemory(const std::vector<ArgDef>& args, const PluginKernel* row,
                                 Attrs attrs);

class MemoryMoves {
 public:
  MemoryMoves(CodeBuilder& builder, GuardedCode& guards, const DeviceMgr& devices);
  MemoryMoves(const MemoryMoves&) = delete;

  bool own() const { return own_; }      // the device of the partition has its own memory
  bool mixed() const { return mixed_; }  // some device of the run has its own memory
  // The error of the first constant that did not fit into the memory of the device.
  const Status& status() const { return status_; }

  // Returns a slot that holds the value of `slot` in the memory `wanted`. Emits a move if
  // necessary. `node` appears in error messages.
  uint32_t InMemory(uint32_t slot, Lies wanted, NodeId node);
  // Emits an instruction that moves the value of a variable to this device. `slot` holds the
  // reference or handle, of this type.
  void BringVariableHere(uint32_t slot, DType dtype, NodeId node);
  // Returns the memory that the kernel of a node requires for each input; kDevice if the
  // registration does not say.
  std::vector<Lies> InputMemory(NodeId node) const;
  // Notes where the kernel of a node puts its outputs.
  void NoteOutputs(NodeId node, std::span<const uint32_t> out, KernelCall& call);

 private:
  uint32_t ConstantInMemory(uint32_t slot, Lies wanted);
  Instr NewMove(KernelFn fn, Lies to, NodeId node);
  Allocator* MemoryOf(Lies lies);

  CodeBuilder& b_;
  GuardedCode& guards_;
  bool own_ = false, mixed_ = false;
  std::unordered_map<uint64_t, uint32_t> moved_;  // copies of values in other memory
  Status status_;
};

}  // namespace tensh
