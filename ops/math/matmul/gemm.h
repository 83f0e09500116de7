#pragma once
// Matrix product of dense row-major matrices: c = op(a) * op(b), where op optionally transposes.
//
// Larger products of float use the loops of float_product.h, those of double the loops of double_tiles.h, and complex ones
// become products of real matrices. All other products use the blocked loops here. Integers wrap around.
#include "runtime/core/kernel.h"

namespace tensh::ops {

struct GemmDims {
  bool transpose_a = false, transpose_b = false;
  int64_t m = 0, n = 0, k = 0;  // op(a) is [m, k], op(b) is [k, n]
  // The matrix is the input of a Transpose that the plan has left out, and its flag above is the opposite
  // of that of the node. The sums have the order that they have with the result of the Transpose.
  bool is_input_a = false, is_input_b = false;
};

// Instances: float, double, int32_t, int64_t, uint64_t and both complex types. Transposition does
// not conjugate. c must not overlap a or b. If `output` is not null, it is the kernel's output 0, at
// c, which others may take in parts.
template <class T>
void Gemm(KernelCtx& ctx, const GemmDims& dims, const T* a, const T* b, T* c,
          const Tensor* output = nullptr);

}  // namespace tensh::ops
