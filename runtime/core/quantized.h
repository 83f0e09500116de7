#pragma once
// Quantized integers: element types that are stored as integers and stand for floats in a range. Only
// the ops of quantized graphs compute with them, and get the range as two more inputs. All other ops
// that take any type move them as bytes.
//
// They are not in dtype.h because few files distinguish them from other types.
#include "runtime/core/dtype.h"

namespace tensh {

inline constexpr DType kQint8 = static_cast<DType>(11);
inline constexpr DType kQuint8 = static_cast<DType>(12);
inline constexpr DType kQint32 = static_cast<DType>(13);
inline constexpr DType kQint16 = static_cast<DType>(15);
inline constexpr DType kQuint16 = static_cast<DType>(16);

constexpr bool IsQuantized(DType t) {
  t = BaseType(t);
  return t == kQint8 || t == kQuint8 || t == kQint32 || t == kQint16 || t == kQuint16;
}

// Returns the integer type that stores a quantized type, and other types unchanged.
constexpr DType StorageType(DType t) {
  return t == kQint8     ? DType::kInt8
         : t == kQuint8  ? DType::kUint8
         : t == kQint16  ? DType::kInt16
         : t == kQuint16 ? DType::kUint16
         : t == kQint32  ? DType::kInt32
                         : t;
}

}  // namespace tensh
