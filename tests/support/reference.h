#pragma once
// The reference evaluator runs the pruned nodes of a run one by one, straight from the graph. It
// prepares and calls each kernel on its own, without slots, reuse or partitions. Tests compare
// compiled plans with it. It is slow.
#include "runtime/exec/evaluator.h"

namespace tensh {

Status RunReference(const Stages& stages, std::span<const Tensor> feeds, std::span<Tensor> fetched,
                    const EvaluatorOptions& options);

}  // namespace tensh
