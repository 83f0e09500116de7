#pragma once
// Rounding floats to a few bits, in two families: FakeQuantWithMinMax…, whose range is nudged so
// that zero is exactly representable, and QuantizeAndDequantize…. All devices share the code: nvcc
// compiles constexpr functions as device code.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/kernel.h"

namespace tensh::ops {

// ---- FakeQuantWithMinMax… ----

// A range after nudging: it was moved slightly so that zero is one of its steps. F is float.
template <class F>
struct QuantRange {
  F least, most, scale, inverse;
  bool empty;  // min = max = 0: zero is the only value
  constexpr bool Holds(F x) const { return x >= least && x <= most; }
  constexpr F Zero() const { return std::floor(-least * inverse + F(0.5)); }
  // Rounds by adding one half and flooring, after subtracting the zero step. This breaks ties as
  // TensorFlow does.
  constexpr F Round(F x, F zero) const {
    const F shifted = std::max(std::min(x, most), least) - least;
    return empty ? F(0) : std::floor(shifted * inverse - zero + F(0.5)) * scale;
  }
};

template <class F>
struct QuantSteps {
  F low, high;
  constexpr QuantRange<F> Nudge(F min, F max) const {
    QuantRange<F> r{};
    r.empty = min == 0 && max == 0;
    r.scale = (max - min) / (high - low);
    r.inverse = (high - low) / (max - min);
    const F zero = low - min / r.scale;
    const F step = zero < low ? low : zero > high ? high : std::round(zero);
    r.least = (low - step) * r.scale;
    r.most = (high - step) * r.scale;
    return r;
  }
  // Nudge for ops whose single range comes from tensors. TensorFlow computes the inverse
  // differently there than for ranges from attributes or per channel.
  constexpr QuantRange<F> NudgeOne(F min, F max) const {
    QuantRange<F> r = Nudge(min, max);
    r.inverse = 1 / r.scale;
    return r;
  }
};

struct FakeQuantState : KernelState {
  QuantSteps<float> steps{0, 255};
  QuantRange<float> range{};  // of ops whose range is given by attributes
  Status Read(PrepareCtx& c);
};
// Checks that min and max have one entry per channel of `inputs`.
Status CheckQuantChannels(const Tensor& inputs, const Tensor& min, const Tensor& max);
// Checks that inputs 0 and 1 of a gradient op have equal shapes.
Status CheckQuantGrad(KernelCtx& c);

// ---- QuantizeAndDequantize… ----

struct QuantizeState : KernelState {
  bool is_signed = true, range_given = false, narrow = false, half_up = false;
  int64_t bits = 8, axis = -1;
  float min = 0, max = 0;  // only in the first version of the op
};
Result<std::unique_ptr<KernelState>> PrepareQuantize(PrepareCtx& c);
Status CheckQuantBits(const QuantizeState& s, int64_t bits);

// The elements that share one range: `outer` runs of `inner` elements, `step` apart.
struct QuantSlice {
  int64_t outer = 1, step = 0, inner = 0;
  template <class Fn>
  void ForEach(int64_t first, Fn fn) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = first + o * step; i < first + o * step + inner; ++i) fn(i);
  }
};
// MakeQuantSlices divides x into slices with one range each: one slice, or one per index along the
// axis.
Status MakeQuantSlices(const Shape& x, int64_t axis, QuantSlice& slice, int64_t& count);
Status CheckQuantEnds(const Tensor& min, const Tensor& max, int64_t axis, int64_t count);

// The smallest and the largest integer of the quantized type.
template <class T>
struct QuantLimits {
  T low, high;
};
template <class T>
QuantLimits<T> QuantLimitsOf(const QuantizeState& s, int64_t bits) {
  const int64_t half = int64_t{1} << (bits - 1);
  return {s.is_signed ? static_cast<T>(s.narrow ? 1 - half : -half) : T{0},
          static_cast<T>(s.is_signed ? half - 1 : static_cast<int64_t>((uint64_t{1} << bits) - 1))};
}

template <class T>
struct QuantScale {
  T min, max, scale, inverse;
};
// Returns the largest scale at which both ends of the range still fit the integers.
template <class T>
constexpr QuantScale<T> ScaleOf(QuantLimits<T> limits, T min, T max) {
  const T low = limits.low, high = limits.high;
  constexpr T kMost = std::numeric_limits<T>::max();
  const T from_min = low * min > T{0} ? low / min : kMost;
  const T from_max = high * max > T{0} ? high / max : kMost;
  if (from_min < from_max) {
    const T inverse = min / low;
    return {min, high * inverse, from_min, inverse};
  }
  const T inverse = max / high;
  return {low * inverse, max, from_max, inverse};
}
template <class T>
constexpr T RoundBy(const QuantScale<T>& q, bool clip, bool half_up, T x) {
  const T scaled = (clip ? std::max(std::min(x, q.max), q.min) : x) * q.scale;
  return (half_up ? std::floor(scaled + T(0.5)) : std::nearbyint(scaled)) * q.inverse;
}

}  // namespace tensh::ops
