#pragma once
// The row-wise pieces that Softmax and the cross entropies share. A row is one distribution's
// logits.
#include "ops/support/reduce.h"
#include "ops/support/reducers.h"
#include "ops/support/vec_math.h"

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

// out = exp(in - by); gives its sum. n > 0; out may be in.
template <class T>
T ExpAndSum(const T* in, T by, T* out, int64_t n) {
  const int64_t vectors = n & -int64_t{32 / sizeof(T)};
  if (vectors) Dispatch<ExpShiftRow<T>>(out, in, by, vectors);
  for (int64_t i = vectors; i < n; ++i) out[i] = std::exp(in[i] - by);
  return ReduceAll<T, SumReducer<T>>(out, n);
}

}  // namespace tensh::ops
