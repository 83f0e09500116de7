#pragma once
// Element types. The numbers are those of TensorFlow's DataType, so that the wire format and the C
// API agree. A reference type (the type of a Variable's output) is the base type + 100.
#include <complex>
#include <cstdint>
#include <string>
#include <string_view>

namespace tensh {

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
};
inline constexpr int kRefOffset = 100;

constexpr bool IsRef(DType t) { return static_cast<int>(t) > kRefOffset; }
constexpr DType BaseType(DType t) {
  return IsRef(t) ? static_cast<DType>(static_cast<int>(t) - kRefOffset) : t;
}
constexpr DType RefType(DType t) {
  return IsRef(t) ? t : static_cast<DType>(static_cast<int>(t) + kRefOffset);
}
// Returns the bytes of one element: sizeof the object for strings, resources and variants; 0 for
// kInvalid.
int64_t SizeOf(DType t);
// Returns the name that Python shows: "float32", "float32_ref".
std::string Name(DType t);
// Returns the name in TensorFlow's signatures: "float", "int32".
std::string_view SignatureName(DType t);
// Returns the short name for tables: "f32".
std::string_view ShortName(DType t);
// Accepts any of the three spellings (and "half", "uint8" …). Returns kInvalid for anything else.
DType ParseDType(std::string_view text);
bool IsFloating(DType t);
bool IsInteger(DType t);
bool IsComplex(DType t);
// Returns true if elements may be copied with memcpy: all types but string, resource and variant.
bool IsPod(DType t);

template <class T>
inline constexpr DType kDTypeOf = DType::kInvalid;
template <>
inline constexpr DType kDTypeOf<float> = DType::kFloat;
template <>
inline constexpr DType kDTypeOf<double> = DType::kDouble;
template <>
inline constexpr DType kDTypeOf<int32_t> = DType::kInt32;
template <>
inline constexpr DType kDTypeOf<uint8_t> = DType::kUint8;
template <>
inline constexpr DType kDTypeOf<int16_t> = DType::kInt16;
template <>
inline constexpr DType kDTypeOf<int8_t> = DType::kInt8;
template <>
inline constexpr DType kDTypeOf<std::string> = DType::kString;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::kInt64;
template <>
inline constexpr DType kDTypeOf<bool> = DType::kBool;
template <>
inline constexpr DType kDTypeOf<uint16_t> = DType::kUint16;
template <>
inline constexpr DType kDTypeOf<uint32_t> = DType::kUint32;
template <>
inline constexpr DType kDTypeOf<uint64_t> = DType::kUint64;
template <>
inline constexpr DType kDTypeOf<std::complex<float>> = DType::kComplex64;
template <>
inline constexpr DType kDTypeOf<std::complex<double>> = DType::kComplex128;

// A set of base types, as bits.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr explicit DTypeSet(uint32_t bits) : bits_(bits) {}
  constexpr bool Has(DType t) const { return bits_ >> static_cast<int>(BaseType(t)) & 1u; }
  constexpr void Add(DType t) { bits_ |= 1u << static_cast<int>(t); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr uint32_t bits() const { return bits_; }

 private:
  uint32_t bits_ = 0;
};

}  // namespace tensh
