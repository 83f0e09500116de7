// The bridge to numpy's values: what a step returns becomes an ndarray or a numpy scalar, and what
// is fed may be one.
#pragma once

#include "shell/client.h"
#include "shell/values/containers.h"
#include "shell/values/value.h"

namespace tensh::shell::tf {

bool IsArray(const Value& v);            // an ndarray or a numpy scalar
TensorHandle FromArray(const Value& v);  // of the array's own dtype
Value ToValue(const TensorHandle& t);    // ndarray; 0-d: numpy scalar, or bytes
Value ToArray(const Value& scalar);      // np.asarray
int ArrayDType(const Value& v);          // IsArray: its dtype
int NumpyDType(const Value& v);    // np.float32, np.dtype('int32'): its dtype; 0: something else
Value NumpyDTypeValue(int dtype);  // np.float32 for tf.float32.as_numpy_dtype

}  // namespace tensh::shell::tf
