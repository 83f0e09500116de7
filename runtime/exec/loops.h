#pragma once
// What the instructions of a loop do to a step's slots. Called by the step that owns the slots, in
// its thread.
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// Runs one loop instruction at pc, which it moves when control goes elsewhere: the caller then adds
// one. False in `again` says that the loop goes no further.
Status RunLoopInstr(const PartitionCode& code, const Instr& instr, std::vector<Tensor>& slots,
                    uint32_t& pc, bool& again);

// Whether everything a guarded instruction needs is there; empties its outputs when not.
bool PassesGuards(const PartitionCode& code, const Instr& instr, std::vector<Tensor>& slots);

}  // namespace tensh
