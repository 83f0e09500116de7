#pragma once
// The code of one partition under construction: its instructions, its slots, and the properties of
// the slots. Internal to exec: PartitionCompiler owns one, and its parts share it.
#include <span>
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// The memory that holds a value, or that a kernel requires.
enum class Lies : uint8_t { kAnywhere, kHost, kDevice };

class CodeBuilder {
 public:
  CodeBuilder(const Stages& stages, uint16_t part, Device& device);
  CodeBuilder(const CodeBuilder&) = delete;

  const Stages& stages() const { return stages_; }
  const Graph& graph() const { return stages_.graph; }
  const Flow& flow() const { return stages_.pruned.flow; }  // empty without control flow
  uint16_t part() const { return part_; }
  PartitionCode& code() { return code_; }

  bool IsFed(ValueId v) const { return stages_.pruned.fed.Find(Index(v)) != UINT32_MAX; }
  bool Unused(NodeId node) const { return stages_.pruned.unused[Position(node)]; }
  // The position of a node among the pruned nodes; UINT32_MAX for a fed placeholder.
  uint32_t Position(NodeId node) const { return stages_.pruned.position.Find(Index(node)); }
  bool IsHere(uint32_t position) const { return stages_.partitioned.part_of[position] == part_; }

  // ---- slots ----
  // Returns the slot of a value, which is made by the first call.
  uint32_t SlotOf(ValueId v);
  uint32_t NewSlot(bool is_bound, Lies lies = Lies::kAnywhere);
  // Returns a new slot that holds a constant.
  uint32_t NewConstant(Tensor tensor, Lies lies = Lies::kAnywhere);
  // If a node runs only for a control edge while its value is fed, its output goes to a new slot,
  // because consumers must see the feed.
  uint32_t OutputSlot(ValueId v) { return IsFed(v) ? NewSlot(false) : SlotOf(v); }
  // Makes the value another name for the slot, unless it is fed.
  void Alias(ValueId v, uint32_t slot);
  // Makes the value a constant of the partition, in host memory.
  void Bind(ValueId v, Tensor tensor);
  // By slot: true if it holds a constant; and the memory in which its value lies.
  const std::vector<bool>& is_bound() const { return is_bound_; }
  std::vector<Lies>& lies() { return lies_; }

  // ---- instructions ----
  // Appends an instruction. If `node` is not kNoNode, the outputs have its dtypes.
  void Emit(Instr instr, std::span<const uint32_t> in, std::span<const uint32_t> out, NodeId node);
  // Sets the guards of an instruction that is not yet emitted.
  void SetGuards(Instr& instr, std::span<const uint32_t> slots);
  // Makes the instructions point to their slots. Call once, after the last Emit.
  void PointInto();

 private:
  struct Offsets {
    uint32_t slots, dtypes;
  };

  const Stages& stages_;
  const uint16_t part_;
  PartitionCode code_;
  IdMap slots_;  // by value
  std::vector<bool> is_bound_;
  std::vector<Lies> lies_;
  std::vector<Offsets> offsets_;  // by instruction
};

}  // namespace tensh
