// `with` blocks that are both functions of tf and methods of tf.Graph.
#pragma once

#include <string>

#include "shell/tensorflow/graph/graph.h"

namespace tensh::shell::tf {

Value NameScopeContext(GraphObject& g, const std::string& name);
Value DeviceContext(GraphObject& g, const Value& device);
Value ContainerContext(GraphObject& g, const std::string& name);
Value ControlContext(GraphObject& g, const Value& inputs);
Value CollectionOf(GraphObject& g, const Value& key, const Value& scope);

}  // namespace tensh::shell::tf
