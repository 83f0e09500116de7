// Arrays between Python and the runtime.
//
// A Buffer is a Python object that owns a tensor of the runtime. numpy reads it through
// `__array_struct__` without a copy. In the other direction, any object with `__array_struct__` is
// accepted. Its elements are copied once into a new tensor, so that a later change of the array does not
// change a variable or a queue that received it. A large array of floats may be borrowed instead, if the
// caller knows that no kernel keeps it.
#pragma once

#include "shell/python_bridge/python_api.h"
#include "tensh/tensh.h"

namespace tensh::shell::module {

// Adds the type Buffer to the module. Returns false with a Python exception if that fails.
bool AddBufferType(PyObject* module);
// Returns a new Buffer that takes over the reference to the tensor.
PyObject* MakeBuffer(tsh_tensor* tensor);
// Returns the tensor of a Buffer, borrowed, or null if the object is of another type.
tsh_tensor* TensorOf(PyObject* object);

// Converts a fetched value and takes over its reference: a tensor of rank 0 becomes a numpy scalar or
// bytes, every other one an ndarray. The array shares the memory of the tensor if nothing else refers to
// it; otherwise it is a copy. Returns null with an exception on failure.
PyObject* ToNumpy(tsh_tensor* tensor);

// Returns a new tensor with the elements of a value, or null with an exception. Converts them to `dtype`;
// if that is 0, the type of the value decides. If `borrow` is true, the tensor may share the memory of a
// large array, which it then keeps alive.
tsh_tensor* FromPython(PyObject* value, int dtype, bool borrow = false);
// Returns true for a type whose elements may change while a kernel reads them: an index that changes
// after it was checked could lead out of an array, a float cannot.
bool CanBorrow(int dtype);

}  // namespace tensh::shell::module
