#pragma once
// Sorting in device memory.
#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {

// Keys (uint64) with a value (int64) each, in device memory.
struct Pairs {
  Tensor keys, values;

  // Allocates n pairs as scratch memory.
  static Result<Pairs> Make(KernelCtx& c, int64_t n) {
    Pairs pairs;
    TENSH_ASSIGN(pairs.keys, Scratch(c, DType::kInt64, n));
    TENSH_ASSIGN(pairs.values, Scratch(c, DType::kInt64, n));
    return pairs;
  }
};

// Returns the pairs in ascending order of the low `bits` bits of their keys. Pairs with equal keys
// stay in order. Radix sort, in about bits / 8 passes.
Result<Pairs> SortPairs(KernelCtx& c, const Pairs& pairs, int bits);

}  // namespace tensh::cuda
