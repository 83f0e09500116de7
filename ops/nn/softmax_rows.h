#pragma once
// The loops of softmax and of the cross entropies over long rows of floats.
//
// They compute exp with fused multiply-adds where the CPU has them, so the last bits of a result depend on
// the CPU: exp is within 2 units in the last place, and a softmax within 5e-7 of its value. TensorFlow's
// oneDNN kernels, which are its default, differ in the same way from those without oneDNN. Shorter rows, whose
// digits people read, are computed by vec_math.h like the latter. Results do not depend on the number of
// threads. Stateless; any thread may call these functions.
#include <cstdint>

namespace tensh::ops {

inline constexpr int64_t kLongRow = 64;  // elements from which on a row is long

// Returns the maximum of n elements. NaN is smaller than every number; the exponentials of a row that
// contains NaN sum up to NaN.
float LongRowMax(const float* in, int64_t n);

// Returns the sum of exp(in - by), and stores the exponentials in `out` unless it is null. `by` must not be
// less than any number of `in`; `out` may equal `in`.
float LongRowExp(const float* in, float by, float* out, int64_t n);

}  // namespace tensh::ops
