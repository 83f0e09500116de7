// Updating and reading individual rows of a variable.
#pragma once

#include <span>
#include <string_view>

#include "shell/python/values/native.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {

std::span<const FunctionRow> ScatterRows();  // tf.scatter_add …
// Methods of variables. The row's data is the op.
Value ScatterRowsMethod(Args& a);  // sparse_delta, use_locking, name
Value ScatterNdMethod(Args& a);    // indices, updates, name
Value SparseReadMethod(Args& a);   // indices, name
// tf.gather of a resource variable, which reads only these rows.
Out GatherResource(VariableObject& var, const Value& indices, std::string_view name);

}  // namespace tensh::shell::tf
