#pragma once
// Runs a chain of elementwise kernels in one pass over the elements. On a CPU the pass goes block
// by block, so that intermediate values stay in the cache. It calls the same kernels as before on
// windows of the tensors. A block is a whole number of vectors, so the results are bitwise equal to
// those of separate calls. A device with its own memory runs a kernel for chains instead.
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// The minimum number of elements that a CPU fuses. The intermediate values of smaller tensors stay
// in the cache anyway.
constexpr int64_t kFewestFused = int64_t{1} << 18;

// Runs the instructions of a chain and releases the inputs that it uses last. Returns false if it
// did nothing, and the caller must run the instructions one by one: the tensors are too small,
// their shapes do not fit the chain, or a kernel failed. A failing kernel fails again when it is
// run by itself, and that call reports the error.
bool RunFused(const PartitionCode& part, const FusedCode& code, std::vector<Tensor>& slots,
              ParallelRunner* runner, CancelFlag* cancel);

}  // namespace tensh
