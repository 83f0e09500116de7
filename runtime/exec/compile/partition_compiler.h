#pragma once
// Compiles one partition into instructions. Internal to exec: compile.cc creates a compiler for
// each partition, runs it and drops it.
#include <optional>
#include <unordered_map>

#include "runtime/core/bind_kernel.h"
#include "runtime/core/joined.h"
#include "runtime/exec/compile/code_builder.h"
#include "runtime/exec/compile/guarded_code.h"
#include "runtime/exec/compile/loop_compiler.h"
#include "runtime/exec/compile/memory_moves.h"

namespace tensh {

class PartitionCompiler {
 public:
  PartitionCompiler(const Stages& stages, uint16_t part, const CompileOptions& options,
                    Bindings& bindings);
  Result<PartitionCode> Run();

 private:
  Status CompileItem(const PlanItem& item);
  Status CompileNode(NodeId node);
  Status CompileKernel(NodeId node);
  Status BindVariable(NodeId node);
  Status CompileSend(uint32_t transfer);
  void CompileRecv(uint32_t transfer);
  void CompileFeeds();
  void CompileFetches();
  // Compiles a _Send or _Recv node. Returns false if the node is of another kind.
  Result<bool> CompileKeyed(NodeId node);
  // Returns true if the node needs no instruction, because its outputs are other names for the slot
  // of its input.
  bool CompileAlias(NodeId node);
  void CompileJoined(NodeId node, const JoinedKernel& kernel);
  void CompileMerge(NodeId node);
  // Makes the outputs of a node that is left out other names for those that replace them.
  void CompileLeftOut(NodeId node);
  // Returns the two parts in which the kernel of a node is compiled, or null.
  const SplitKernel* SplitOf(const BoundKernel& bound, NodeId node);
  // Emits a kernel as two instructions. `in` and `out` are those of the node.
  void EmitSplit(const SplitKernel& split, Instr instr, std::vector<uint32_t> in, uint32_t out);
  // Returns true if no output of the node but the first one is used or fetched.
  bool OnlyFirstUsed(NodeId node);

  // Returns the slot from which a node reads input i. If the input is a reference and the op takes
  // a value, emits an instruction that reads the variable immediately before the node.
  uint32_t InputSlot(NodeId node, uint32_t i);
  // Returns the slots of a node's inputs, each in the memory that its kernel requires.
  std::vector<uint32_t> KernelInputs(NodeId node);
  uint32_t EmitRead(uint32_t ref_slot, NodeId variable);
  // Returns true if the transfer crosses devices. References do not cross; the value of the
  // variable is sent.
  bool CrossesDevices(const Transfer& t) const {
    const auto& parts = stages_.partitioned.parts;
    return parts[t.from].device != parts[t.to].device;
  }
  bool Received(ValueId v) const { return received_.Find(Index(v)) != UINT32_MAX; }

  const Stages& stages_;
  const Graph& g_;
  const CompileOptions& options_;
  Bindings& bindings_;
  CodeBuilder builder_;
  PartitionCode& code_;  // of the builder
  GuardedCode guards_;
  MemoryMoves memory_;
  LoopCompiler loops_;
  IdMap received_;
  std::optional<IdMap> used_;  // by value: the used outputs that are not first ones
  std::unordered_map<uint32_t, Variable*> ref_variable_;  // by slot
};

}  // namespace tensh
