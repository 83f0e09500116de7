#pragma once
// A memory check for ops that repeat strings. Such an op can need far more memory than the sizes of
// its tensors suggest, because the characters are on the heap, where running out of memory ends the
// process. The check is made before anything is copied.
#include "runtime/core/tensor.h"

namespace tensh::ops {

// Returns ResourceExhausted if n copies of the longest string of `source` do not fit into memory.
// Returns at once for other types and for short strings.
Status RoomForStrings(const Tensor& source, int64_t n);

}  // namespace tensh::ops
