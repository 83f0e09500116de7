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

// out = in - max(in); gives sum(exp(out)). `scratch` of n elements gets exp(out). n > 0.
template <class T>
T ShiftAndSum(const T* in, T* out, T* scratch, int64_t n) {
  const T most = ReduceAll<T, MaxReducer<T>>(in, n);
  Dispatch<ShiftRow<T>>(out, in, most, n);
  ApplyVector<T, VecExp>(scratch, out, n);
  return ReduceAll<T, SumReducer<T>>(scratch, n);
}

}  // namespace tensh::ops
