// `with` blocks that tf's functions and tf.Graph's methods share.
#pragma once

#include <string>

#include "shell/tf/graph.h"

namespace tensh::shell::tf {

Value NameScopeContext(GraphObject& g, std::string name);
Value DeviceContext(GraphObject& g, const Value& device);
Value ControlContext(GraphObject& g, const Value& inputs);
Value CollectionOf(GraphObject& g, const Value& key, const Value& scope);

}  // namespace tensh::shell::tf
