#pragma once
// Passes over the complete code of a partition, in the order in which PartitionCompiler runs them.
#include "runtime/exec/compile/code_builder.h"

namespace tensh {

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
    marked.push_back(code[i]);
  }
  code = std::move(marked);
}

// Fills in code.replays: the instructions that a device with its own memory may record. `lies` and
// `bound` are indexed by slot.
void FindReplays(const Graph& graph, PartitionCode& code, const std::vector<Lies>& lies,
                 const std::vector<bool>& bound);

// Finds chains of elementwise instructions, makes the members of each adjacent, and fills in
// code.fused. On a device with its own memory, finds only the chains that it has a kernel for.
// keep[slot] is true for values that leave the step and for constants.
void FindFused(const Graph& graph, PartitionCode& code, const std::vector<bool>& keep);

// Finds the instructions that need not run in every step, because they compute the same values as
// in the step before: those that take only constants, shapes, and values of each other. Sets keep[slot]
// for their values. `bound` is indexed by slot. LinkOnce completes them when the order of the code is
// final.
void FindOnce(const Graph& graph, PartitionCode& code, const std::vector<bool>& bound,
              std::vector<bool>& keep);
void LinkOnce(PartitionCode& code);

// Finds instructions and chains that may run at once, moves them together, between marks, and fills in
// code.branches.
void FindBranches(const Graph& graph, PartitionCode& code);

// Finds the last use of each slot. Fills in code.releases and the inputs whose memory kernels may
// reuse. Slots with keep[slot] are never released.
void FindLastUses(PartitionCode& code, std::vector<bool> keep);

}  // namespace tensh
