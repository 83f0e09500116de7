// The state of the TensorFlow layer between calls: the live graphs, the stacks of default graphs
// and sessions, and the tag for new nodes. There is one for the current interpreter. Threads: the
// interpreter's thread only.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "shell/tensorflow/graph/graph.h"

namespace tensh::shell::tf {

class SessionObject;

struct LayerState {
  std::vector<GraphObject*> graphs;  // all live graphs, not owned
  Ref<GraphObject> global_graph;
  std::vector<Ref<GraphObject>> graph_stack;
  std::vector<Ref<SessionObject>> session_stack;
  std::string shell_config;                        // of the default session; see tf.h
  std::vector<Ref<SessionObject>> shell_sessions;  // the default sessions, one per graph
  // the named tuples of ops, keyed by their OpInfo
  std::unordered_map<const void*, Value> output_types;
  struct Conversion {
    Value of_type, function;
    int64_t priority;
  };
  std::vector<Conversion> conversions;  // tf.register_tensor_conversion_function, in order of use
  uint32_t source = 0;                  // the caller's tag for new nodes: a line or a cell
  bool source_is_cell = false;
  bool in_statement = false;  // the graphs have open transactions
};

LayerState& State();
// Gives each thread its own default graph and its own stacks of graphs and sessions, as TensorFlow
// does.
void KeepStatePerThread();

// Returns false for a Tensor, Operation or Variable whose node was rolled back.
bool ValueIsLive(const Value& v);
// Calls the device functions of `with tf.device(function)` for a new node.
void ApplyDeviceFunctions(GraphObject& graph, Node node);
// Returns the default session on `graph`, created on demand.
SessionObject& ShellSession(GraphObject& graph);

}  // namespace tensh::shell::tf
