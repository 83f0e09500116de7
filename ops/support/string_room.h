#pragma once
// Ops that repeat strings can ask for far more memory than their tensors' sizes say: the characters
// are on the heap, where running out ends the process. Asked before anything is copied.
#include "runtime/core/tensor.h"

namespace tensh::ops {

// ResourceExhausted when n copies of the longest string of `source` do not fit in memory. At once
// for other types and for short strings.
Status RoomForStrings(const Tensor& source, int64_t n);

}  // namespace tensh::ops
