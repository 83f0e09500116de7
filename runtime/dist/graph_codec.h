#pragma once
// Graphs as GraphDef and back, over tensh.h. Import is all or nothing.
#include <functional>
#include <string_view>

#include "runtime/dist/handles.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// TensorFlow's graph version that this wire belongs to.
inline constexpr int kGraphVersion = 2474;

// Appends the nodes of a GraphDef, in any order; loops close through NextIteration.
Status ImportGraph(const tensorflow::GraphDef& def, tsh_graph* graph);
// The nodes [first, end) of a graph, under the names the other side knows them by.
using NodeNamer = std::function<std::string(tsh_node)>;
void ExportGraph(const tsh_graph* graph, tsh_node first, tsh_node end, const NodeNamer& name,
                 tensorflow::GraphDef* def);

// "name", "name:2"; false: not spelled like one.
struct TensorName {
  std::string node;
  uint32_t port = 0;
  bool has_port = false;
};
bool ParseTensorName(std::string_view text, TensorName* out);

}  // namespace tensh::dist
