// Conversion of Python values to tensors by the rules of TensorFlow's make_tensor_proto: ints
// become int32 if they fit, and floats become float32. If a dtype is requested, each element is
// checked. Error messages are TensorFlow's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/client/client.h"
#include "shell/python/values/value.h"

namespace tensh::shell::tf {

// Returns the constant that TensorFlow creates for `v`. If dtype is 0, it is derived from the
// value.
TensorHandle ToConstant(const Value& v, int dtype);
// Also fills or reshapes the constant to `dims` (tf.constant's shape=).
TensorHandle ToConstant(const Value& v, int dtype, Dims dims);
// Converts a feed like numpy's asarray(v, dtype), which also truncates floats for an integer
// placeholder.
TensorHandle ToFeed(const Value& v, int dtype, const std::string& tensor_name);
// Returns true if `v` is, or contains at any depth, a Tensor or Variable.
bool HoldsTensor(const Value& v, int depth = 0);

// tf.as_dtype: accepts a DType, 'float32', float or np.float32. Returns 0 for other values.
int FindDType(const Value& v);
// Like FindDType, but throws TypeError. None means `fallback`.
int ToDType(const Value& v, int fallback = 0);
Value DTypeValue(int dtype);  // the unique DType object

std::string DTypeName(int dtype);
inline int BaseType(int dtype) { return dtype > 100 ? dtype - 100 : dtype; }
inline bool IsRef(int dtype) { return dtype > 100; }
bool IsFloating(int dtype);
bool IsInteger(int dtype);

}  // namespace tensh::shell::tf
