#pragma once
// The product of float matrices, in the loops of ops/support/tiles.
//
// The matrices are read where they are. Only the second one is packed, in parts that fit in the L2
// cache, if it is transposed or its rows do not consist of whole vectors. Products of at most a few
// rows have loops of their own, which are limited by the memory. The extents of the whole product
// alone decide the order of a sum, so a result does not depend on the number of threads.
#include "ops/math/matmul/gemm.h"

namespace tensh::ops {

// Multiply-adds from which on Gemm uses FloatProduct. Smaller products use the loops of gemm.cc, whose
// results are the same on every CPU.
inline constexpr int64_t kFloatProductFrom = 40 * 1024;

// Computes c = op(a) * op(b) as Gemm does. All extents must be positive.
void FloatProduct(KernelCtx& ctx, const GemmDims& dims, const float* a, const float* b, float* c,
                  const Tensor* output);

}  // namespace tensh::ops
