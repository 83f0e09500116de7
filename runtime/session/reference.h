#pragma once
// The reference evaluator: the plainest reading of a graph. Node after node in graph order, a kernel
// prepared afresh for each, no partitions, no slots, no memory used twice. A session made with
// SessionConfig::reference runs its steps here instead of through RunStep; what a script prints must
// not change. Single-threaded, slow, and meant to be obviously right.
#include "runtime/exec/plan.h"

namespace tensh {

// Of the plan, only the graph, the signature and what pruning kept are looked at. fetched: one a
// fetch, filled on success only.
Status RunReference(const Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> fetched,
                    ResourceTable& resources);

}  // namespace tensh
