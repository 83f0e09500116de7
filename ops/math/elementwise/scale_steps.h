#pragma once
// The steps of a chain that scales integers (scale_chain.h), in float64, and the same steps in integers of
// 32 bits for the sums of a layer.
#include <cstdint>
#include <memory>
#include <vector>

namespace tensh::ops {

// A step on float64 numbers. Its constants are scalars, or vectors along the last dimension.
struct Step {
  enum Kind : uint8_t {
    kAdd,         // x + a
    kMul,         // x * a
    kAtLeast,     // max(x, a)
    kAtMost,      // min(x, a)
    kFixedPoint,  // floor((x * a + floor(x * b)) * c + d)
    kHalfAway,    // floor(|x| * a + d) * sign(x)
  };
  Kind kind = kAdd;
  std::vector<double> a, b, c;
  double d = 0;
};

// The steps after rows of integers, if they are those of a layer, in integers of 32 bits. For each
// column: x = ((x + bias) * factor + 2^30) >> 31; x = x / 2^right, rounded, with halves away from zero. Then
// zero is added, and the result is limited.
struct Integers {
  std::vector<int32_t> bias, factor, right;  // whole vectors
  int32_t zero = 0, low = 0, high = 0;
};

// Returns null if the steps are others, or if numbers might not fit 32 bits. The last two steps limit the
// result to the range of a type of 8 bits.
std::unique_ptr<Integers> MakeIntegers(const std::vector<Step>& steps, int64_t n);

// Scales one row of n sums.
void ScaleIntegers(const Integers& s, const int32_t* sums, int64_t n, uint8_t* out);

}  // namespace tensh::ops
