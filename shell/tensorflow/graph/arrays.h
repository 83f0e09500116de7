// Conversion between tensors and numpy values. The result of a step becomes an ndarray or a numpy
// scalar, and either may be fed.
#pragma once

#include "shell/client/client.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/value.h"

namespace tensh::shell::tf {

bool IsArray(const Value& v);            // true for an ndarray or a numpy scalar
TensorHandle FromArray(const Value& v);  // has the dtype of the array
Value ToValue(const TensorHandle& t);    // returns an ndarray; for rank 0, a numpy scalar or bytes
Value AsArray(const Value& scalar);      // like np.asarray
int ArrayDType(const Value& v);          // the dtype of a value for which IsArray is true
// the dtype of np.float32 or np.dtype('int32'); 0 for any other value
int NumpyDType(const Value& v);
Value NumpyDTypeValue(int dtype);  // np.float32 for TSH_FLOAT, as in tf.float32.as_numpy_dtype

}  // namespace tensh::shell::tf
