#pragma once
// Independent branches of a program, run at once on the threads of the device. Kernels divide large work
// among the threads themselves; branches help where kernels are small or cannot be divided.
//
// No estimate decides: a frame measures both ways in its first steps and keeps the faster one. Values do
// not depend on the way, and of several failures, the one that comes first in the program is reported.
#include "runtime/exec/plan.h"
#include "runtime/exec/step_error.h"

namespace tensh {

// Runs all branches, and returns the last of their instructions. Reports a failure to `error`.
uint32_t RunBranches(const PartitionCode& part, const BranchesCode& code,
                     std::vector<Tensor>& slots, const Graph& graph, CancelFlag* cancel,
                     StepError& error);

}  // namespace tensh
