// numpy's dtype objects: np.dtype('float32'). Immutable. Interpreter's thread.
#pragma once

#include "shell/values/type.h"
#include "shell/values/value.h"

namespace tensh::shell {

class DTypeObject : public Object {
 public:
  static const TypeInfo kType;
  DTypeObject(int dtype, int64_t width) : Object(kType), dtype(dtype), width(width) {}
  const int dtype;
  const int64_t width;  // of text: characters or bytes; 0 when open
};

// The dtype of an array, with the width of its text.
Value DTypeValueOf(int dtype, int64_t width);

namespace np {
struct Array;
Value ArrayDType(const Array& a);

// The abstract classes between numpy.generic and the scalars.
extern const TypeInfo kNumberType, kIntegerType, kSignedType, kUnsignedType, kInexactType,
    kFloatingType, kComplexFloatingType;
}  // namespace np

}  // namespace tensh::shell
