// Between values and arrays: numbers, text, nested lists, elements. See shell/values/ndarray.h for
// the calls others use; these are the parts. Interpreter's thread.
#pragma once

#include <string>

#include "shell/np/array.h"
#include "shell/values/value.h"

namespace tensh::shell::np {

// Element at an offset as a Python value: numbers become Python's own (tolist, item).
Value PythonElement(const Array& a, int64_t offset);
// Element as numpy hands it out: an NpScalar, str, bytes or the object.
Value ScalarElement(const Array& a, int64_t offset);
// Stores a Python value into one element, as a[i] = v does; ValueError or TypeError as numpy's.
void StoreElement(const Array& a, int64_t offset, const Value& v);
// Casts where one side is text or objects.
Array CastThroughValues(const Array& a, int dtype);
// repr() of text or object elements for the printer.
TensorView MakeView(const Array& a);
// "'<U5'", "object", "float32".
std::string DTypeReprName(const Array& a);

// The dtype a single Python value has as an element: int64 for 3, float64 for 1.5; kDTypeObject
// otherwise.
int ElementType(const Value& v);

}  // namespace tensh::shell::np
