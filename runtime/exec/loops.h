#pragma once
// The instructions of a loop, and guards. The step that owns the slots calls these functions in the
// thread that runs the partition.
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// Runs one loop instruction at `pc`. If control moves, sets `pc` to the instruction before the next
// one, because the caller increments it. Sets `again` to false if the loop ends.
Status RunLoopInstr(const PartitionCode& code, const Instr& instr, std::vector<Tensor>& slots,
                    uint32_t& pc, bool& again);

// Returns true if no guard slot of the instruction is empty. Otherwise empties its outputs.
bool PassesGuards(const PartitionCode& code, const Instr& instr, std::vector<Tensor>& slots);

}  // namespace tensh
