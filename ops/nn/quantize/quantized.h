#pragma once
// Conversions between floats and quantized integers. A quantized type has 2^bits steps; its lowest
// value stands for the minimum of a range and its highest for the maximum. There are two formulas,
// as in TensorFlow: one for single numbers, in double precision, and one for tensors, in single
// precision. They differ in the last bit, so each op uses the one that TensorFlow uses. Stateless.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/op_file.h"
#include "runtime/core/quantized.h"

namespace tensh::ops {

inline constexpr char kQuantizedTypes[] = "{qint8, quint8, qint32, qint16, quint16}";

struct FloatRange {
  float min, max;
  bool operator==(const FloatRange&) const = default;
};

template <class T>
struct Quantized {
  static constexpr int64_t kLowest = std::numeric_limits<T>::lowest();
  static constexpr int64_t kHighest = std::numeric_limits<T>::max();
  static constexpr double kSteps = static_cast<double>(kHighest - kLowest);  // one less than values

  // Returns the integer for a number, which may lie outside of the type.
  static int64_t Unclamped(float x, FloatRange r) {
    if (r.min == r.max) return kLowest;
    const double range = static_cast<double>(r.max - r.min) * ((kSteps + 1) / kSteps);
    const double scale = (kSteps + 1) / range;
    const double steps =
        std::round(static_cast<double>(x) * scale) - std::round(static_cast<double>(r.min) * scale);
    constexpr double kMost = 1e18;
    return static_cast<int64_t>(std::isnan(steps) ? 0 : std::clamp(steps, -kMost, kMost)) + kLowest;
  }
  static T FromFloat(float x, FloatRange r) {
    return static_cast<T>(std::clamp(Unclamped(x, r), kLowest, kHighest));
  }
  static float ToFloat(T q, FloatRange r) {
    if (r.min == r.max) return r.min;
    const double range = static_cast<double>(r.max - r.min) * ((kSteps + 1) / kSteps);
    const double scale = range / (kSteps + 1);
    const auto narrow = static_cast<float>(scale);
    const double first = std::round(r.min / narrow) * narrow;
    // TensorFlow's quantized integers become numbers by way of float.
    const double above = static_cast<double>(static_cast<float>(q)) - static_cast<double>(kLowest);
    return static_cast<float>(first + above * scale);
  }
  // The difference of the numbers of two adjacent integers.
  static float Step(FloatRange r) {
    return (r.max - r.min) / static_cast<float>(kHighest - kLowest);
  }
};

// Converts the elements of a tensor to floats.
template <class T>
struct Dequantizer {
  explicit Dequantizer(FloatRange r)
      : scale(static_cast<float>(static_cast<double>(r.max - r.min) / Quantized<T>::kSteps)),
        first((r.max == r.min ? r.min : std::round(r.min / scale) * scale) -
              static_cast<float>(Quantized<T>::kLowest) * scale) {}
  float operator()(T q) const { return first + static_cast<float>(q) * scale; }
  float scale, first;
};

// Converts the elements of a tensor from floats.
template <class T>
struct Quantizer {
  explicit Quantizer(FloatRange r)
      : scale(r.max == r.min
                  ? 0.0f
                  : static_cast<float>(Quantized<T>::kSteps / static_cast<double>(r.max - r.min))),
        first(std::round(r.min * scale) - static_cast<float>(Quantized<T>::kLowest)) {}
  T operator()(float x) const {
    // The highest float that is not above the highest int32.
    constexpr float kHigh =
        sizeof(T) == 4 ? 2147483520.0f : static_cast<float>(Quantized<T>::kHighest);
    constexpr float kLow = static_cast<float>(Quantized<T>::kLowest);
    const float steps = std::round(x * scale) - first;
    return static_cast<T>(
        static_cast<int32_t>(std::isnan(steps) ? kLow : std::clamp(steps, kLow, kHigh)));
  }
  float scale, first;
};

// Calls fn.operator()<T>() for the integer type that stores `t`.
template <class Fn>
Status WithQuantized(DType t, Fn fn) {
  if (t == kQint8) return fn.template operator()<int8_t>();
  if (t == kQuint8) return fn.template operator()<uint8_t>();
  if (t == kQint16) return fn.template operator()<int16_t>();
  if (t == kQuint16) return fn.template operator()<uint16_t>();
  if (t == kQint32) return fn.template operator()<int32_t>();
  return Unimplemented("No OpKernel was registered for ", SignatureName(t));
}

// Returns an error unless the types are those of a kernel.
inline Status NeedTypes(bool good, std::string_view op, std::string_view want) {
  if (good) return {};
  return InvalidArgument("No OpKernel was registered to support Op '", op,
                         "' with these types; use ", want);
}

// Returns the range that inputs i and i + 1, scalars, give.
inline FloatRange RangeInput(KernelCtx& c, int i) {
  return {*c.in(i).data<float>(), *c.in(i + 1).data<float>()};
}
// Sets outputs 1 and 2, the range of output 0.
inline Status RangeOutput(KernelCtx& c, FloatRange r) {
  TENSH_OUTPUT(min, c.Output(1, Shape()));
  *min->data<float>() = r.min;
  TENSH_OUTPUT(max, c.Output(2, Shape()));
  *max->data<float>() = r.max;
  return {};
}
// Returns the range of a product of quantized numbers in int32.
template <class A, class B>
FloatRange ProductRange(FloatRange a, FloatRange b) {
  const float step = Quantized<A>::Step(a) * Quantized<B>::Step(b);
  return {step * static_cast<float>(Quantized<int32_t>::kLowest),
          step * static_cast<float>(Quantized<int32_t>::kHighest)};
}

// Shape function: output 0 has the shape of input 0, and the range consists of scalars.
inline Status SameWithRange(ShapeCtx& c) {
  c.Set(0, c.in(0));
  c.Set(1, Shape());
  c.Set(2, Shape());
  return {};
}

}  // namespace tensh::ops
