#pragma once
// Row-wise building blocks of Softmax and the cross entropy ops. A row holds the logits of one
// distribution.
#include "ops/math/elementwise/vec_math.h"
#include "ops/math/reduce/reduce_loops.h"
#include "ops/nn/softmax_rows.h"
#include "ops/support/reducers.h"

namespace tensh::ops {

template <class T>
struct ScaleRow {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* in, T by, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = in[i] * by;
  }
};

// out = in - by - then.
template <class T>
struct ShiftTwice {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* in, T by, T then, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = in[i] - by - then;
  }
};

template <class T>
struct ExpShiftRow {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* in, T by, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = vec::Exp(in[i] - by);
  }
};

// Returns the number that is subtracted from a row before exp, so that no exponential overflows: the
// maximum of the row. Requires n > 0.
template <class T>
T RowMaximum(const T* in, int64_t n) {
  if constexpr (std::is_same_v<T, float>)
    if (n >= kLongRow) return LongRowMax(in, n);
  return ReduceAll<T, MaxReducer<T>>(in, n);
}

// Computes out = exp(in - by) and returns the sum of `out`. Requires n > 0; `out` may equal `in`. `by` must
// be the maximum of the row.
template <class T>
T ExpAndSum(const T* in, T by, T* out, int64_t n) {
  if constexpr (std::is_same_v<T, float>)
    if (n >= kLongRow) return LongRowExp(in, by, out, n);
  const int64_t vectors = n & -int64_t{32 / sizeof(T)};
  if (vectors) Dispatch<ExpShiftRow<T>>(out, in, by, vectors);
  for (int64_t i = vectors; i < n; ++i) out[i] = std::exp(in[i] - by);
  return ReduceAll<T, SumReducer<T>>(out, n);
}

// The approximate time of softmax for a row of n elements, in ns.
template <class T>
double RowCost(int64_t n) {
  return (sizeof(T) == 4 ? 0.6 : 2.0) * static_cast<double>(n) + 20;
}

}  // namespace tensh::ops
