#pragma once
// Finds the nodes whose kernels will use oneDNN, when they are added to a graph (onednn.h).
#include <string_view>

#include "runtime/core/attr.h"
#include "runtime/core/shape.h"

namespace tensh::ops {

// Starts to load oneDNN in a background thread if a node of this op is a large MatMul of floats. x is
// the shape of its first input and y that of its output, as far as they are known. Returns false if
// the node does not need the library. May be called by any thread.
bool StartLoadingForNode(std::string_view op, const Attrs& attrs, const Shape& x, const Shape& y);

}  // namespace tensh::ops
