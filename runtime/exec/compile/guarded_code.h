#pragma once
// Instructions that run only if their node does, in a partition with branches or loops. Internal to
// exec: a part of PartitionCompiler.
//
// A node that does not run leaves its output slots empty, and an instruction is skipped if one of
// its guards is empty. If a control edge begins at a node whose outputs do not show that it ran,
// the node gets a token: a slot that is empty if and only if the node did not run.
#include <unordered_map>
#include <vector>

#include "runtime/exec/compile/code_builder.h"

namespace tensh {

class GuardedCode {
 public:
  explicit GuardedCode(CodeBuilder& builder);
  GuardedCode(const GuardedCode&) = delete;

  // Returns true if it depends on a branch or a loop whether the node runs.
  bool Guarded(NodeId node) const;
  // Emits the kernel of a node, which is skipped if one of its inputs or control inputs has no value.
  void EmitGuarded(Instr instr, std::span<const uint32_t> in, std::span<const uint32_t> out,
                   NodeId node);
  // Emits an instruction that belongs to no node, and is skipped if one of its inputs has no value.
  void EmitHelper(Instr instr, std::span<const uint32_t> in, std::span<const uint32_t> out);

  // Returns a slot that is empty if and only if the node did not run.
  uint32_t TokenSlot(NodeId node);
  // Returns the slot of the token that tells other partitions whether the loop runs. It is made by
  // the loop's home.
  uint32_t LoopToken(uint32_t frame);
  // Returns the slot of a token that arrives from another partition.
  uint32_t ReceiveToken(NodeId node) { return tokens_[Index(node)] = b_.NewSlot(false); }
  uint32_t ReceiveLoopToken(uint32_t frame) { return loop_tokens_[frame] = b_.NewSlot(false); }
  // Returns the token of a loop, or UINT32_MAX if it has none.
  uint32_t FindLoopToken(uint32_t frame) const;

 private:
  // Returns the slot of a token that exists if and only if all of `needs` do.
  uint32_t EmitToken(NodeId node, const std::vector<uint32_t>& needs);

  CodeBuilder& b_;
  std::vector<bool> orders_;  // by position: a control edge begins here
  std::unordered_map<uint32_t, uint32_t> tokens_, loop_tokens_;  // by node; by frame
  uint32_t source_ = UINT32_MAX;                                 // a slot that is never empty
};

}  // namespace tensh
