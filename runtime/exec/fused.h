#pragma once
// One pass over the elements for a chain of elementwise kernels. On a CPU block by block, so that
// what they pass on to each other stays in the cache: the kernels are the same, on windows of the
// tensors; what comes out is the same to the last bit, because a block is a whole number of
// vectors. A device with memory of its own has a kernel for chains.
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// Below so many elements a CPU's kernels find their inputs in the cache anyway.
constexpr int64_t kFewestFused = int64_t{1} << 18;

// Does the instructions and gives back what they used last. False: it has not, and they are the
// caller's to run one by one: the tensors are small, of several shapes, or a kernel has failed,
// which it will again where it is reported.
bool RunFused(const PartitionCode& part, const FusedCode& code, std::vector<Tensor>& slots,
              ParallelRunner* runner, CancelFlag* cancel);

}  // namespace tensh
