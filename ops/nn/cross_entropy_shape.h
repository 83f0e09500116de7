#pragma once
// Input checks of the softmax cross entropy ops, shared by the kernels of all devices. Stateless.
#include "runtime/core/kernel.h"

namespace tensh::ops {

// Returns the matrix shape to which logits and labels broadcast, or InvalidArgument if they do not.
Result<Shape> CrossEntropyShape(const Tensor& logits, const Tensor& labels);
// Returns InvalidArgument unless logits has at least one class and one label per row.
Status CheckSparseLabels(const Tensor& logits, const Tensor& labels);

}  // namespace tensh::ops
