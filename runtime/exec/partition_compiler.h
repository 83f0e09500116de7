#pragma once
// Compiles one partition into instructions. Internal to exec: compile.cc creates a compiler for
// each partition, runs it and drops it.
#include <unordered_map>
#include <unordered_set>

#include "runtime/exec/plan.h"

namespace tensh {

// The memory that holds a value, or that a kernel requires.
enum class Lies : uint8_t { kAnywhere, kHost, kDevice };
// Returns true if `list`, names with blanks between them, contains `name` or is "*".
bool IsInList(std::string_view list, std::string_view name);
// Returns the memory that a plug-in's kernel requires for each tensor of `args`. `row` may be null.
std::vector<Lies> ArgumentMemory(const std::vector<ArgDef>& args, const PluginKernel* row,
                                 Attrs attrs);

class PartitionCompiler {
 public:
  PartitionCompiler(const Stages& stages, uint16_t part, const CompileOptions& options,
                    Bindings& bindings);
  Result<PartitionCode> Run();

 private:
  Status CompileItem(const PlanItem& item);
  Status CompileNode(NodeId node);
  Status CompileKernel(NodeId node);
  Status Bind(ValueId v, Tensor tensor);
  Status BindVariable(NodeId node);
  Status CompileSend(uint32_t transfer);
  // Compiles a _Send or _Recv node. Returns false if the node is of another kind.
  Result<bool> CompileKeyed(NodeId node);
  void CompileRecv(uint32_t transfer);
  void CompileFetches();
  void PointInto();

  uint32_t SlotOf(ValueId v);
  uint32_t NewSlot(bool is_bound, Lies lies = Lies::kAnywhere);
  // If a node runs only for a control edge while its value is fed, its output goes to a new slot,
  // because consumers must see the feed.
  uint32_t OutputSlot(ValueId v) { return IsFed(v) ? NewSlot(false) : SlotOf(v); }
  // Returns the slot from which a node reads input i. If the input is a reference and the op takes
  // a value, emits an instruction that reads the variable immediately before the node.
  uint32_t InputSlot(NodeId node, uint32_t i);
  uint32_t EmitRead(uint32_t ref_slot, NodeId variable);
  void Emit(Instr instr, std::span<const uint32_t> in, std::span<const uint32_t> out, NodeId node);
  bool IsFed(ValueId v) const { return stages_.pruned.fed.Find(Index(v)) != UINT32_MAX; }
  bool Unused(NodeId node) const { return stages_.pruned.unused[Position(node)]; }
  uint32_t Position(NodeId node) const { return stages_.pruned.position.Find(Index(node)); }
  // Returns true if the transfer crosses devices. References do not cross; the value of the
  // variable is sent.
  bool CrossesDevices(const Transfer& t) const {
    const auto& parts = stages_.partitioned.parts;
    return parts[t.from].device != parts[t.to].device;
  }
  bool Received(ValueId v) const { return received_.Find(Index(v)) != UINT32_MAX; }

  // ---- memory: compile_memory.cc ----
  // Returns the slots of a node's inputs, each in the memory that its kernel requires.
  std::vector<uint32_t> KernelInputs(NodeId node);
  void NoteOutputs(NodeId node, std::span<const uint32_t> out, KernelCall& call);
  // Returns a slot that holds the value of `slot` in the memory `wanted`. Emits a move if
  // necessary. `node` appears in error messages.
  uint32_t InMemory(uint32_t slot, Lies wanted, NodeId node);
  uint32_t BoundInMemory(uint32_t slot, Lies wanted);
  void BringVariableHere(uint32_t slot, DType dtype, NodeId node);
  Instr NewMove(KernelFn fn, Lies to, NodeId node);

  // ---- control flow: compile_flow.cc ----
  bool Guarded(NodeId node) const;
  void FindWanted();
  // Returns true if the node needs no instruction, because its outputs are other names for the slot
  // of its input.
  bool CompileAlias(NodeId node);
  void Alias(ValueId v, uint32_t slot);
  // Emits a kernel that is skipped if one of its inputs or control inputs has no value.
  void EmitGuarded(Instr instr, std::span<const uint32_t> in, std::span<const uint32_t> out,
                   NodeId node);
  // Returns a slot that is empty if and only if the node did not run.
  uint32_t TokenSlot(NodeId node);
  // Returns the slot of a token that exists if and only if all of `needs` do.
  uint32_t EmitToken(NodeId node, std::vector<uint32_t> needs);
  // Returns the slot of the token that tells other partitions whether the loop runs. It is made by
  // the loop's home.
  uint32_t LoopToken(uint32_t frame);
  bool IsHere(uint32_t position) const { return stages_.partitioned.part_of[position] == part_; }
  Status BeginLoop(uint32_t frame);
  void TestLoop(uint32_t frame);
  void EndLoop(uint32_t frame);

  const Stages& stages_;
  const Graph& g_;
  const uint16_t part_;
  const CompileOptions& options_;
  Bindings& bindings_;
  PartitionCode code_;
  IdMap slots_, received_;
  std::vector<bool> is_bound_;
  std::vector<Lies> lies_;                        // by slot
  bool own_memory_ = false;                       // the device has its own memory
  bool mixed_ = false;                            // some device of the run has its own memory
  std::unordered_map<uint64_t, uint32_t> moved_;  // copies of values in other memory
  Status memory_status_;                          // the first constant that did not fit
  struct Offsets {
    uint32_t slots, dtypes;
  };
  std::vector<Offsets> offsets_;
  std::unordered_map<uint32_t, Variable*> ref_variable_;
  std::unordered_map<uint32_t, uint32_t> loop_of_frame_, loop_tokens_,
      tokens_;                                   // by frame; by node
  std::unordered_set<uint32_t> wanted_numbers_;  // value_index outputs with consumers
  std::vector<bool> orders_;                     // by position: a control edge begins here
  uint32_t token_source_ = UINT32_MAX;           // a bound slot that is never empty
};

// Inserts an instruction before each range [begin, end) of the code and moves the ranges
// accordingly. mark(k) makes the instruction for range k. The ranges must be in the order of the
// code.
template <class Range, class Mark>
void MarkRanges(std::vector<Instr>& code, std::vector<Range>& ranges, Mark mark) {
  std::vector<Instr> marked;
  marked.reserve(code.size() + ranges.size());
  uint32_t next = 0;
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (next < ranges.size() && ranges[next].begin == i) {
      marked.push_back(mark(next));
      marked.back().node = code[i].node;
      ++next;
      ranges[next - 1].begin += next;
      ranges[next - 1].end += next;
    }
    marked.push_back(std::move(code[i]));
  }
  code = std::move(marked);
}

// Fills in code.replays: the instructions that a device with its own memory may record. `lies` and
// `bound` are indexed by slot.
void FindReplays(const Graph& graph, PartitionCode& code, const std::vector<Lies>& lies,
                 const std::vector<bool>& bound);

// Finds chains of elementwise instructions, makes the members of each adjacent, and fills in
// code.fused. On a device with its own memory, only chains that it has a kernel for. keep[slot] is
// true for values that leave the step and for constants.
void FindFused(const Graph& graph, PartitionCode& code, const std::vector<bool>& keep);

// Finds the last use of each slot. Fills in code.releases and the inputs whose memory kernels may
// reuse. Slots with keep[slot] are never released.
void FindLastUses(PartitionCode& code, std::vector<bool> keep);

}  // namespace tensh
