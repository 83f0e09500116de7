// The quantized integers of TensorFlow, which numpy shows as the integers that store them.
#pragma once

#include "shell/client/client.h"

namespace tensh::shell::np {

// TensorFlow's numbers of the types.
enum : int { kQint8 = 11, kQuint8 = 12, kQint32 = 13, kQint16 = 15, kQuint16 = 16 };

// Returns the integer type that stores a quantized type, and other types unchanged.
constexpr int PlainType(int dtype) {
  switch (dtype) {
    case kQint8:
      return TSH_INT8;
    case kQuint8:
      return TSH_UINT8;
    case kQint16:
      return TSH_INT16;
    case kQuint16:
      return TSH_UINT16;
    case kQint32:
      return TSH_INT32;
    default:
      return dtype;
  }
}
constexpr bool IsQuantized(int dtype) { return PlainType(dtype) != dtype; }

}  // namespace tensh::shell::np
