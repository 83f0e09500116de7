// Updating and reading some rows of a variable.
#pragma once

#include <span>
#include <string_view>

#include "shell/tf/variable.h"
#include "shell/values/native.h"

namespace tensh::shell::tf {

std::span<const FunctionRow> ScatterRows();  // tf.scatter_add …
// Methods of variables; the op is in the row.
Value ScatterRowsMethod(Args& a);  // sparse_delta, use_locking, name
Value ScatterNdMethod(Args& a);    // indices, updates, name
Value SparseReadMethod(Args& a);   // indices, name
// tf.gather of a resource variable, which reads the rows alone.
Out GatherResource(VariableObject& var, const Value& indices, std::string_view name);

}  // namespace tensh::shell::tf
