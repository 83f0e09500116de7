#pragma once
// Color arithmetic for one pixel. All devices share it: nvcc compiles constexpr functions as
// device code.
#include <algorithm>
#include <cmath>

#include "runtime/core/kernel.h"

namespace tensh::ops {

template <class T>
struct Pixel {
  T a, b, c;
  constexpr T Most() const { return std::max(std::max(a, b), c); }
  constexpr T Least() const { return std::min(std::min(a, b), c); }
};

// Converts red, green and blue to hue, saturation and value. The hue is a fraction of the circle.
template <class T>
constexpr Pixel<T> ToHsv(Pixel<T> rgb) {
  const T value = rgb.Most(), range = value - rgb.Least();
  const T saturation = value > T{0} ? range / value : T{0};
  if (!(range > T{0})) return {T{0}, saturation, value};
  const T sixth = T{1} / range * (T{1} / T{6});
  T hue = rgb.a == value   ? sixth * (rgb.b - rgb.c)
          : rgb.b == value ? sixth * (rgb.c - rgb.a) + T{2} / T{6}
                           : sixth * (rgb.a - rgb.b) + T{4} / T{6};
  if (hue < T{0}) hue += T{1};
  return {hue, saturation, value};
}

// Returns one channel of a color. `part`, clamped to [0, 1], moves from gray to the pure color.
template <class T>
constexpr T MixChannel(T part, T saturation, T value) {
  const T unit = std::min(std::max(part, T{0}), T{1});
  return (T{1} - saturation + saturation * unit) * value;
}

template <class T>
constexpr Pixel<T> ToRgb(Pixel<T> hsv) {
  const T h = hsv.a * T{6}, s = hsv.b, v = hsv.c;
  return {MixChannel(std::abs(h - T{3}) - T{1}, s, v), MixChannel(T{2} - std::abs(h - T{2}), s, v),
          MixChannel(T{2} - std::abs(h - T{4}), s, v)};
}

template <class T>
constexpr Pixel<T> TurnHue(Pixel<T> p, T delta) {
  const Pixel<T> hsv = ToHsv(p);
  const T turned = hsv.a + delta;
  const T least = p.Least();
  if (!(hsv.c > least)) return p;
  // The hue wraps around. Colors with negative channels have no valid saturation, so the result is
  // interpolated between the smallest and the largest channel instead.
  const Pixel<T> pure = ToRgb(Pixel<T>{turned - std::floor(turned), T{1}, T{1}});
  const T range = hsv.c - least;
  return {least + range * pure.a, least + range * pure.b, least + range * pure.c};
}

template <class T>
constexpr Pixel<T> Saturate(Pixel<T> p, T scale) {
  Pixel<T> hsv = ToHsv(p);
  hsv.b = std::min(T{1}, std::max(T{0}, hsv.b * scale));
  return ToRgb(hsv);
}

// Checks that the last dimension holds three channels. The error code follows TensorFlow, which
// uses another one for the image adjustment ops (`adjusted`).
Status CheckColors(const Tensor& x, bool adjusted = false);

}  // namespace tensh::ops
