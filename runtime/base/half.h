#pragma once
// The two 16-bit floating-point types and their conversions. They round to nearest, ties to even,
// like all kernels that compute in float. Pure functions, also usable in device code. They are
// correct even if denormal floats are flushed to zero, because the denormals of a half are normal
// floats.
#include <bit>
#include <cstdint>
#include <type_traits>

namespace tensh {

constexpr float HalfToFloat(uint16_t h) {
#ifdef __CUDA_ARCH__
  if (!std::is_constant_evaluated()) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
  }
#endif
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t rest = h & 0x7fffu;
  const float denormal = static_cast<float>(static_cast<int32_t>(rest)) * 0x1p-24f;
  const uint32_t normal = (rest << 13) + (112u << 23);
  const uint32_t special = (rest << 13) | 0x7f800000u;
  const uint32_t finite = rest < 0x0400u ? std::bit_cast<uint32_t>(denormal) : normal;
  return std::bit_cast<float>(sign | (rest >= 0x7c00u ? special : finite));
}

constexpr uint16_t FloatToHalf(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  const uint32_t sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
#ifdef __CUDA_ARCH__
  if (!std::is_constant_evaluated() && f == f) {  // the instruction has another NaN
    uint16_t h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
  }
#endif
  // Below 2^-14, the last bit of the sum is the smallest denormal of a half, so the addition
  // rounds.
  const uint32_t denormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(rest) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  const uint32_t normal = (rest + 0xfffu + (rest >> 13 & 1u) - (112u << 23)) >> 13;
  const uint32_t finite = rest < 0x38800000u ? denormal : normal;
  const uint32_t large = rest > 0x7f800000u ? 0x7e00u : 0x7c00u;
  return static_cast<uint16_t>(sign | (rest >= 0x477ff000u ? large : finite));
}

constexpr float Bfloat16ToFloat(uint16_t b) {
  return std::bit_cast<float>(static_cast<uint32_t>(b) << 16);
}

constexpr uint16_t FloatToBfloat16(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  const uint32_t nan = (bits >> 16 & 0x8000u) | 0x7fc0u;
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

struct Half {
  uint16_t bits = 0;
  Half() = default;
  constexpr explicit Half(float f) : bits(FloatToHalf(f)) {}
  constexpr explicit operator float() const { return HalfToFloat(bits); }
};
struct Bfloat16 {
  uint16_t bits = 0;
  Bfloat16() = default;
  constexpr explicit Bfloat16(float f) : bits(FloatToBfloat16(f)) {}
  constexpr explicit operator float() const { return Bfloat16ToFloat(bits); }
};
template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;

}  // namespace tensh
