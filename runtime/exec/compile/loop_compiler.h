#pragma once
// Compiles the loops of a partition. Internal to exec: a part of PartitionCompiler.
//
// The variables of a loop are slots that the loop moves values into. Enter, Exit, NextIteration,
// LoopCond and the Switches of a usual loop need no instructions, because their outputs are other
// names for existing slots.
#include <unordered_map>
#include <unordered_set>

#include "runtime/exec/compile/guarded_code.h"

namespace tensh {

class LoopCompiler {
 public:
  LoopCompiler(CodeBuilder& builder, GuardedCode& guards);
  LoopCompiler(const LoopCompiler&) = delete;

  // The three instructions of a loop, in this order. `frame` is its number in Flow::frames.
  Status Begin(uint32_t frame);
  void Test(uint32_t frame);
  void End(uint32_t frame);
  // The code of a loop that has begun.
  LoopCode& CodeOf(uint32_t frame) { return b_.code().loops[loop_of_frame_[frame]]; }

 private:
  CodeBuilder& b_;
  GuardedCode& guards_;
  std::unordered_map<uint32_t, uint32_t> loop_of_frame_;
  std::unordered_set<uint32_t> wanted_numbers_;  // value_index outputs with consumers
};

}  // namespace tensh
