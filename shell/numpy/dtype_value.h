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
  // Width of text in characters or bytes; 0 if unspecified. For numbers, 0 or kBigEndian.
  const int64_t width;
};

// The width of a dtype such as '>u4', whose numbers have the most significant byte first. Only the
// functions that read buffers and files know it; arrays are always in the order of the machine.
constexpr int64_t kBigEndian = -1;

// Returns the dtype object of an array. `width` is the width of its text.
Value DTypeValueOf(int dtype, int64_t width);

namespace np {
struct Array;
Value ArrayDType(const Array& a);
// Returns true for a dtype, or the text of one, in the other byte order, and replaces it by the same
// in the order of the machine.
bool TakeByteOrder(Value* dtype);
void SwapBytes(const Array& a);  // Reverses the bytes of each element.

// The abstract classes between numpy.generic and the scalar types.
extern const TypeInfo kNumberType, kIntegerType, kSignedType, kUnsignedType, kInexactType,
    kFloatingType, kComplexFloatingType;
// Returns the type that an abstract class stands for where a dtype is expected, or 0: float64 for np.floating.
int DefaultDType(const Value& v);
}  // namespace np

}  // namespace tensh::shell
