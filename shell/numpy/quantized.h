// Element types that numpy does not have. Quantized integers are shown as the integers that store them,
// and types of 4 and 8 bits are converted to a wider type.
#pragma once

#include <utility>

#include "shell/client/client.h"

namespace tensh::shell::np {

// TensorFlow's numbers of the types.
enum : int {
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kQint16 = 15,
  kQuint16 = 16,
  kFloat8E5m2 = 24,
  kFloat8E4m3fn = 25,
  kInt4 = 29,
  kUint4 = 30
};

constexpr bool IsFloat8(int dtype) { return dtype == kFloat8E5m2 || dtype == kFloat8E4m3fn; }
constexpr bool IsSmallType(int dtype) {
  return IsFloat8(dtype) || dtype == kInt4 || dtype == kUint4;
}

// Returns the type that shows the values of such a type, and other types unchanged.
constexpr int PlainType(int dtype) {
  switch (dtype) {
    case kQint8:
    case kInt4:
      return TSH_INT8;
    case kQuint8:
    case kUint4:
      return TSH_UINT8;
    case kQint16:
      return TSH_INT16;
    case kQuint16:
      return TSH_UINT16;
    case kQint32:
      return TSH_INT32;
    default:
      return IsFloat8(dtype) ? TSH_FLOAT : dtype;
  }
}
// Converts the elements of a tensor.
inline TensorHandle CastTo(const TensorHandle& from, int dtype) {
  Attrs attrs;
  attrs.Type("SrcT", from.dtype()).Type("DstT", dtype);
  return std::move(RunOp("Cast", {&from, 1}, attrs)[0]);
}
constexpr bool IsQuantized(int dtype) { return PlainType(dtype) != dtype && !IsSmallType(dtype); }

}  // namespace tensh::shell::np
