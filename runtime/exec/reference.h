#pragma once
// The reference interpreter: runs a plan's pruned nodes one by one, straight from the graph, each
// kernel prepared and called on its own. No slots, no reuse, no partitions: what the compiled plan
// must agree with. Slow; for tests.
#include <span>

#include "runtime/exec/plan.h"

namespace tensh {

Status RunReference(Plan& plan, ResourceTable& resources, std::span<const Tensor> feeds,
                    std::span<Tensor> fetched, CancelFlag* cancel);

}  // namespace tensh
