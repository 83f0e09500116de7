// Conversions between values and arrays for numbers, text, nested lists and elements. Other folders
// use the functions in shell/numpy/ndarray.h, which are built from these. Only the thread that
// holds the interpreter's lock may call them.
#pragma once

#include <string>

#include "shell/numpy/array.h"
#include "shell/python/values/value.h"

namespace tensh::shell::np {

// Returns an element as a Python value, as tolist() and item() do. Numbers become Python's own.
Value PythonElement(const Array& a, int64_t offset);
// Returns an element as numpy's indexing does: an NpScalar, str, bytes or the object.
Value ScalarElement(const Array& a, int64_t offset);
// Stores a value into one element, as a[i] = v does. Throws numpy's ValueError or TypeError.
void StoreElement(const Array& a, int64_t offset, const Value& v);
// Casts an array if the old or the new type is text or object.
Array CastThroughValues(const Array& a, int dtype);
// Returns a view for the printer. Text and object elements are their repr().
TensorView MakeView(const Array& a);
// Returns the dtype as it appears in a repr: "'<U5'", "object", "float32".
std::string DTypeReprName(const Array& a);

// Returns the dtype of a single Python value as an element: int64 for 3, float64 for 1.5. Returns
// kDTypeObject for other values.
int ElementType(const Value& v);

}  // namespace tensh::shell::np
