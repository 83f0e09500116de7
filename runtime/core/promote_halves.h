#pragma once
// The conversions with which kernels of 16-bit floats are promoted to float. Pure functions.
#include <bit>
#include <cstdint>
#include <limits>

#include "runtime/core/half.h"

namespace tensh {

// Converts to a narrow type. Kernels start a minimum from the largest float, which therefore
// becomes the largest value of the narrow type.
template <class T>
T Narrow(float x) {
  constexpr uint32_t kMost = std::bit_cast<uint32_t>(std::numeric_limits<float>::max());
  constexpr uint16_t kNarrowMost = std::is_same_v<T, Half> ? 0x7bff : 0x7f7f;
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const auto most = static_cast<uint16_t>((bits >> 16 & 0x8000u) | kNarrowMost);
  T narrow(x);
  narrow.bits = (bits & 0x7fffffffu) == kMost ? most : narrow.bits;
  return narrow;
}

// Convert n elements, eight at once if the CPU has instructions for it. The results are those of
// the conversions of single elements.
void WidenHalves(const Half* from, float* to, int64_t n);
void WidenHalves(const Bfloat16* from, float* to, int64_t n);
void NarrowToHalves(const float* from, Half* to, int64_t n);
void NarrowToHalves(const float* from, Bfloat16* to, int64_t n);

}  // namespace tensh
