#pragma once
// Row-wise building blocks of Softmax and the cross entropy ops. A row holds the logits of one
// distribution.
#include "ops/math/elementwise/vec_math.h"
#include "ops/math/reduce/reduce_loops.h"
#include "ops/support/reducers.h"

namespace tensh::ops {

template <class T>
struct ShiftRow {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* in, T by, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = in[i] - by;
  }
};

template <class T>
struct ScaleRow {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* in, T by, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = in[i] * by;
  }
};

template <class T>
struct ExpShiftRow {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* in, T by, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = vec::Exp(in[i] - by);
  }
};

// Computes out = exp(in - by) and returns the sum of `out`. Requires n > 0; `out` may equal `in`.
template <class T>
T ExpAndSum(const T* in, T by, T* out, int64_t n) {
  const int64_t vectors = n & -int64_t{32 / sizeof(T)};
  if (vectors) Dispatch<ExpShiftRow<T>>(out, in, by, vectors);
  for (int64_t i = vectors; i < n; ++i) out[i] = std::exp(in[i] - by);
  return ReduceAll<T, SumReducer<T>>(out, n);
}

}  // namespace tensh::ops
