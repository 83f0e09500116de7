#pragma once
// Runs a chain of elementwise kernels in one pass over the elements. On a CPU the pass goes block
// by block, so that intermediate values stay in the cache. It calls the same kernels as before on
// windows of the tensors. A block is a whole number of vectors, so the results are bitwise equal to
// those of separate calls. A device with its own memory runs a kernel for chains instead.
//
// The first kernel of a chain may be another one, such as a convolution, that makes its output in
// parts. The rest of the chain continues with each part in the thread that made it, and overwrites
// it if nothing else uses the output.
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// The minimum number of elements that a CPU fuses. The intermediate values of smaller tensors stay
// in the cache anyway.
constexpr int64_t kFewestFused = int64_t{1} << 18;
// Likewise, if the first kernel makes its output in parts.
constexpr int64_t kFewestInParts = int64_t{1} << 14;
// The rows of such an output must be whole vectors, of so many elements: a part may begin at any row,
// and its kernels compute the same vectors as they would in the whole tensor.
constexpr int64_t kPartVector = 8;

// Runs the first instructions of a chain, releases the inputs that they use last, and returns their
// number. The caller must run the others one by one. Returns 0 if the tensors are too small, if
// their shapes do not fit the chain, or if a kernel failed. A failing kernel fails again when it is
// run by itself, and that call reports the error.
uint32_t RunFused(const PartitionCode& part, const FusedCode& code, std::vector<Tensor>& slots,
                  ParallelRunner* runner, CancelFlag* cancel);

}  // namespace tensh
