#pragma once
// Ops as graphs from before resources have them: without V2, and their handles are references.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// The older op of one that ends in V2. `now` makes a handle, or takes some, of which its
// contract asks nothing then. call: its example, behind tf.raw_ops and its name; result: empty: its
// name.
OpSpec BeforeV2(OpSpec now, const std::string& call, const std::string& result = {});

}  // namespace tensh::ops
