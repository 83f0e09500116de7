#pragma once
// Compiles one partition into code. Internal to exec: compile.cc makes one compiler for each
// partition, runs it and drops it.
#include <unordered_map>
#include <unordered_set>

#include "runtime/exec/plan.h"

namespace tensh {

// Where a value lies, or where a kernel wants it.
enum class Lies : uint8_t { kAnywhere, kHost, kDevice };
// Whether a name is in a list of a kernel's row.
bool IsInList(std::string_view list, std::string_view name);
// For each tensor of `args`, what a kernel's row says of it.
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
  // A _Send or _Recv; false: the node is none.
  Result<bool> CompileKeyed(NodeId node);
  // Nothing in it decides anything but its own LoopCond: what it sends and receives may go
  // elsewhere.
  void CompileRecv(uint32_t transfer);
  void CompileFetches();
  void PointInto();

  uint32_t SlotOf(ValueId v);
  uint32_t NewSlot(bool is_bound, Lies lies = Lies::kAnywhere);
  // A node may run although its value is fed, for a control edge's sake: consumers still see the
  // feed.
  uint32_t OutputSlot(ValueId v) { return IsFed(v) ? NewSlot(false) : SlotOf(v); }
  // The slot an input is read from. A reference whose consumer wants the value is read right before
  // it.
  uint32_t InputSlot(NodeId node, uint32_t i);
  uint32_t EmitRead(uint32_t ref_slot, NodeId variable);
  void Emit(Instr instr, std::span<const uint32_t> in, std::span<const uint32_t> out, NodeId node);
  bool IsFed(ValueId v) const { return stages_.pruned.fed.Find(Index(v)) != UINT32_MAX; }
  bool Unused(NodeId node) const { return stages_.pruned.unused[Position(node)]; }
  uint32_t Position(NodeId node) const { return stages_.pruned.position.Find(Index(node)); }
  // A value that came from another device is no reference any more.
  bool CrossesDevices(const Transfer& t) const {
    const auto& parts = stages_.partitioned.parts;
    return parts[t.from].device != parts[t.to].device;
  }
  bool Received(ValueId v) const { return received_.Find(Index(v)) != UINT32_MAX; }

  // ---- where values lie: compile_memory.cc ----
  // The slots of a kernel's inputs, each where its row wants it.
  std::vector<uint32_t> KernelInputs(NodeId node);
  void NoteOutputs(NodeId node, std::span<const uint32_t> out, KernelCall& call);
  // The slot that holds the same value in the memory that is wanted. node: for messages.
  uint32_t InMemory(uint32_t slot, Lies wanted, NodeId node);
  uint32_t BoundInMemory(uint32_t slot, Lies wanted);
  void BringVariableHere(uint32_t slot, DType dtype, NodeId node);
  Instr NewMove(KernelFn fn, Lies to, NodeId node);

  // ---- control flow: compile_flow.cc ----
  bool Guarded(NodeId node) const;
  void FindWanted();
  // True when the node is no instruction: its outputs are names for its input's slot.
  bool CompileAlias(NodeId node);
  void Alias(ValueId v, uint32_t slot);
  // The node's kernel as an instruction that is skipped when something it needs is not there.
  void EmitGuarded(Instr instr, std::span<const uint32_t> in, std::span<const uint32_t> out,
                   NodeId node);
  // The slot that is empty when the node did not run.
  uint32_t TokenSlot(NodeId node);
  // The slot of a token that is there when all of `needs` are.
  uint32_t EmitToken(NodeId node, std::vector<uint32_t> needs);
  // A loop's home says whether it runs, where others have a part in it.
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
  bool own_memory_ = false;                       // the device's is not the host's
  bool mixed_ = false;                            // some device's is not
  std::unordered_map<uint64_t, uint32_t> moved_;  // slots of values in other memory
  Status memory_status_;                          // no room for a constant
  struct Offsets {
    uint32_t slots, dtypes;
  };
  std::vector<Offsets> offsets_;
  std::unordered_map<uint32_t, Variable*> ref_variable_;
  std::unordered_map<uint32_t, uint32_t> loop_of_frame_, loop_tokens_,
      tokens_;                                   // by frame; by node
  std::unordered_set<uint32_t> wanted_numbers_;  // value_index outputs that somebody takes
  std::vector<bool> orders_;                     // by position: a control edge leads on
  uint32_t token_source_ = UINT32_MAX;           // a bound slot
};

// Puts an instruction before each range [begin, end) of the code. `mark` makes it from the number
// of the range. The ranges are in the order of the code, and move along with it.
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

// Finds what a device with memory of its own may record: fills in replays. lies, bound: by slot.
void FindReplays(const Graph& graph, PartitionCode& code, const std::vector<Lies>& lies,
                 const std::vector<bool>& bound);

// Finds chains of elementwise instructions, puts each together and fills in fused: on a device with
// memory of its own those that it has a kernel for. keep: by slot, what leaves the step or is
// constant.
void FindFused(const Graph& graph, PartitionCode& code, const std::vector<bool>& keep);

// Where each slot is used for the last time: fills in releases and what may be forwarded. keep: by
// slot, what is never released.
void FindLastUses(PartitionCode& code, std::vector<bool> keep);

}  // namespace tensh
