#pragma once
// Matrix product of dense row-major matrices: c = op(a) * op(b), where op transposes on demand.
// f32 beyond toy sizes goes to oneDNN, loaded on the first such product (start-up must not pay for
// it) and told to use one thread: large products are sharded over the step's own threads.
// Everything else, and everything when oneDNN is not installed, takes our blocked loops. Integers
// wrap around.
#include "runtime/core/kernel.h"

namespace tensh::ops {

struct GemmDims {
  bool transpose_a = false, transpose_b = false;
  int64_t m = 0, n = 0, k = 0;  // op(a) is [m, k], op(b) is [k, n]
};

// Instances: float, double, int32_t, int64_t, uint64_t and both complex types, which transposing
// does not conjugate. c must not overlap a or b.
template <class T>
void Gemm(KernelCtx& ctx, const GemmDims& dims, const T* a, const T* b, T* c);

}  // namespace tensh::ops
