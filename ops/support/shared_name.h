#pragma once
// The name of a shared resource of the session, such as a queue or a table.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Returns the node's shared_name, or the node's name if that is empty, prefixed by its container.
inline std::string SharedName(PrepareCtx& c) {
  const std::string& shared = c.attrs().String("shared_name");
  const std::string& container = c.attrs().String("container");
  const std::string name = shared.empty() ? std::string(c.node_name()) : shared;
  return container.empty() ? name : StrCat(container, "/", name);
}

}  // namespace tensh::ops
