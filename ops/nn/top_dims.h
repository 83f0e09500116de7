#pragma once
// Inputs of TopK and InTopK: reading and checking. Shared by the kernels of all devices. Stateless.
#include "runtime/core/kernel.h"

namespace tensh::ops {

Result<std::unique_ptr<KernelState>> PrepareTop(PrepareCtx& c);

// TopK selects the k largest of each n elements. `out` is the shape of both outputs.
struct TopDims {
  int64_t n, k;
  Shape out;
};
Result<TopDims> TopDimsOf(KernelCtx& c);
// Returns the k of InTopK after checking its inputs.
Result<int64_t> InTopCount(KernelCtx& c);

}  // namespace tensh::ops
