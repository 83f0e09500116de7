#pragma once
// The nodes of a step that did not run although the plan contains them: on a branch that was not
// taken, or in a loop that ran no iteration.
#include <functional>

#include "runtime/plan/stages.h"

namespace tensh::api {

// Returns true if a node, given by its position, did not run in any iteration. `computed` tells
// whether the step recorded a kernel of a node. `knows_loops` is false if the step did not record
// the kernels inside of loops.
bool NotTaken(const Stages& stages, uint32_t position, bool knows_loops,
              const std::function<bool(NodeId)>& computed);

}  // namespace tensh::api
