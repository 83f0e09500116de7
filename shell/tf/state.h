// What the TensorFlow layer of one interpreter keeps between calls: the graphs there are, the
// stacks of default graphs and sessions, the tag that new nodes get. One at a time; the
// interpreter's thread only.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "shell/tf/graph.h"

namespace tensh::shell::tf {

class SessionObject;

struct LayerState {
  std::vector<GraphObject*> graphs;  // all alive, not owned
  Ref<GraphObject> global_graph;
  std::vector<Ref<GraphObject>> graph_stack;
  std::vector<Ref<SessionObject>> session_stack;
  std::string shell_config;                        // of the session that always exists; see tf.h
  std::vector<Ref<SessionObject>> shell_sessions;  // those, one a graph
  std::unordered_map<const void*, Value> output_types;  // the named tuples of ops, by their OpInfo
  struct Conversion {
    Value of_type, function;
    int64_t priority;
  };
  std::vector<Conversion> conversions;  // tf.register_tensor_conversion_function, in order of use
  uint32_t source = 0;  // the caller's tag of new nodes: a line or a cell
  bool source_is_cell = false;
};

LayerState& State();

// False for a Tensor, Operation or Variable whose node was rolled back.
bool ValueIsLive(const Value& v);
// Calls the functions of `with tf.device(function)` on a new node.
void ApplyDeviceFunctions(GraphObject& graph, Node node);
// The session that always exists, on `graph`; made on demand.
SessionObject& ShellSession(GraphObject& graph);

}  // namespace tensh::shell::tf
