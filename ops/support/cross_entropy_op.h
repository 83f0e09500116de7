#pragma once
// What the softmax cross entropies check before they compute: the same on every device. Stateless.
#include "runtime/core/kernel.h"

namespace tensh::ops {

// The matrix that logits and labels broadcast to. InvalidArgument when there is none.
Result<Shape> CrossEntropyShape(const Tensor& logits, const Tensor& labels);
// InvalidArgument unless each row of logits, of a class at least, has a label.
Status CheckSparseLabels(const Tensor& logits, const Tensor& labels);

}  // namespace tensh::ops
