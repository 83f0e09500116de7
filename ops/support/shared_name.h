#pragma once
// The name of a shared resource of the session, such as a queue or a table.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Returns the node's shared_name, or the node's name if that is empty, prefixed by its container.
inline std::string SharedName(PrepareCtx& c) {
  const std::string& shared = c.attrs().String("shared_name");
  return InContainer(c.attrs(), shared.empty() ? std::string(c.node_name()) : shared);
}

}  // namespace tensh::ops
