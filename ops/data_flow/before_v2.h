#pragma once
// Derives ops for graphs older than resource handles. Their names lack V2, and their handles are
// references to strings.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Returns the older form of an op whose name ends in V2. `now` makes or takes a handle; the
// contract of the older op no longer constrains that handle. `example` replaces those of `now`.
OpSpec BeforeV2(OpSpec now, Example example);

}  // namespace tensh::ops
