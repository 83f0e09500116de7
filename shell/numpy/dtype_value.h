// numpy's dtype objects: np.dtype('float32'). They are immutable. Only the thread that holds the
// interpreter's lock may use them.
#pragma once

#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

class DTypeObject : public Object {
 public:
  static const TypeInfo kType;
  DTypeObject(int dtype, int64_t width) : Object(kType), dtype(dtype), width(width) {}
  const int dtype;
  const int64_t width;  // Width of text in characters or bytes; 0 if unspecified.
};

// Returns the dtype object of an array. `width` is the width of its text.
Value DTypeValueOf(int dtype, int64_t width);

namespace np {
struct Array;
Value ArrayDType(const Array& a);

// The abstract classes between numpy.generic and the scalar types.
extern const TypeInfo kNumberType, kIntegerType, kSignedType, kUnsignedType, kInexactType,
    kFloatingType, kComplexFloatingType;
}  // namespace np

}  // namespace tensh::shell
