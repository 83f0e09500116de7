#pragma once
// Joins patterns of nodes in one kernel (JoinedState::join). The node at the end of a pattern stays,
// with another kernel, and the nodes before it are left out if nothing else uses them.
#include "runtime/exec/compile/prepare.h"
#include "runtime/plan/stages.h"

namespace tensh {

// Fills in `joins` of the rewrites, after FindRewrites. Does nothing if a device of the run has its own
// memory, or if the run has loops or branches.
void FindJoins(Stages& stages, const CompileOptions& options);

}  // namespace tensh
