#pragma once
// Chains of elementwise nodes that scale integers in float64, as a model of TensorFlow Lite makes them:
// the sums of a layer, or one or two tensors of small integers, become small integers again. One pass
// over the elements computes the same values.
#include "runtime/core/joined.h"

namespace tensh::ops {

// A JoinFn for Cast. The chain ends with a Cast to a small integer of a value that constants limit, or
// with a Cast of a shifted small integer to float.
bool JoinScaleChain(const NodesBefore& nodes, uint32_t value, JoinedKernel& made);

}  // namespace tensh::ops
