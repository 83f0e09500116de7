// Python values to tensors, by TensorFlow's rules (make_tensor_proto): ints are int32 when they
// fit, floats float32, a dtype asked for is checked element by element. Errors are TensorFlow's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/client.h"
#include "shell/values/value.h"

namespace tensh::shell::tf {

// The constant `v` as TensorFlow makes it; dtype 0: from the value.
TensorHandle ToConstant(const Value& v, int dtype);
// The same, filled or reshaped to `dims` (tf.constant's shape=).
TensorHandle ToConstant(const Value& v, int dtype, Dims dims);
// What a feed becomes: numpy's asarray(v, dtype), which also rounds floats to an int placeholder.
TensorHandle ToFeed(const Value& v, int dtype, const std::string& tensor_name);
// True when `v` is (or holds, at any depth) a Tensor or Variable.
bool HoldsTensor(const Value& v, int depth = 0);

// tf.as_dtype: DType, 'float32', float, np.float32. 0: it is none.
int FindDType(const Value& v);
// The same, or TypeError; None gives `fallback`.
int ToDType(const Value& v, int fallback = 0);
Value DTypeValue(int dtype);  // the one DType object

std::string DTypeName(int dtype);
inline int BaseType(int dtype) { return dtype > 100 ? dtype - 100 : dtype; }
inline bool IsRef(int dtype) { return dtype > 100; }
bool IsFloating(int dtype);
bool IsInteger(int dtype);

}  // namespace tensh::shell::tf
