#pragma once
// Element types of 4 and 8 bits, in one byte each: two floats and two integers. Ops that take any type
// move them as bytes; Cast converts them, and no other op computes with them. The signed integer is
// stored with its sign extended.
//
// They are not in dtype.h because few files distinguish them from other types.
#include <bit>
#include <cstdint>

#include "runtime/base/half.h"
#include "runtime/core/dtype.h"

namespace tensh {

inline constexpr DType kFloat8E5m2 = static_cast<DType>(24);
inline constexpr DType kFloat8E4m3fn = static_cast<DType>(25);
inline constexpr DType kInt4 = static_cast<DType>(29);
inline constexpr DType kUint4 = static_cast<DType>(30);

constexpr bool IsFloat8(DType t) { return t == kFloat8E5m2 || t == kFloat8E4m3fn; }
constexpr bool IsInt4(DType t) { return t == kInt4 || t == kUint4; }
constexpr bool IsSmallType(DType t) { return IsFloat8(t) || IsInt4(t); }

// Converts a float8 to float, exactly.
constexpr float Float8ToFloat(DType t, uint8_t b) {
  if (t == kFloat8E5m2) return HalfToFloat(static_cast<uint16_t>(b << 8));
  const uint32_t sign = static_cast<uint32_t>(b & 0x80u) << 24, rest = b & 0x7fu;
  const float denormal = static_cast<float>(static_cast<int32_t>(rest)) * 0x1p-9f;
  const uint32_t finite =
      rest < 8 ? std::bit_cast<uint32_t>(denormal) : (rest << 20) + (120u << 23);
  return std::bit_cast<float>(sign | (rest == 0x7f ? 0x7fc00000u : finite));
}

// Rounds to nearest, ties to even. A number that is too large becomes infinity, or NaN in the type
// without infinity.
constexpr uint8_t FloatToFloat8(DType t, float f) {
  const bool wide = t == kFloat8E5m2;  // 5 bits of exponent and 2 of mantissa; otherwise 4 and 3
  const uint32_t shift = wide ? 21 : 20, bias = (wide ? 112u : 120u) << 23;
  const uint32_t least = bias + (1u << 23);  // the smallest normal number
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  const uint32_t sign = bits >> 24 & 0x80u, rest = bits & 0x7fffffffu, top = wide ? 0x7cu : 0x7fu;
  if (rest >= 0x7f800000u)
    return static_cast<uint8_t>(sign | (rest > 0x7f800000u ? 0x7eu + !wide : top));
  // The last bit of the sum is the smallest denormal number, so the addition rounds.
  const float one = wide ? 0x1p7f : 0x1p14f;
  const uint32_t denormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(rest) + one) - std::bit_cast<uint32_t>(one);
  const uint32_t odd = rest >> shift & 1u;
  const uint32_t code =
      rest < least ? denormal : (rest - bias + (1u << (shift - 1)) - 1 + odd) >> shift;
  return static_cast<uint8_t>(sign | (code > top ? top : code));
}

// Returns the integer of the low four bits.
constexpr int32_t Int4Value(DType t, uint32_t bits) {
  const int32_t low = static_cast<int32_t>(bits & 15u);
  return t == kInt4 && low > 7 ? low - 16 : low;
}

}  // namespace tensh
