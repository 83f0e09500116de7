#pragma once
// What goes by a name in the session's resources.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// The node's shared_name, else its own name, within its container.
inline std::string SharedName(PrepareCtx& c) {
  const std::string& shared = c.attrs().String("shared_name");
  const std::string& container = c.attrs().String("container");
  const std::string name = shared.empty() ? std::string(c.node_name()) : shared;
  return container.empty() ? name : StrCat(container, "/", name);
}

}  // namespace tensh::ops
