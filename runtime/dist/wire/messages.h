#pragma once
// Conversion of graphs and tensors to and from TensorFlow's messages, and of names in their syntax.
// The runtime reads and writes the bytes, through tensh.h.
#include <functional>
#include <string>
#include <string_view>

#include "runtime/dist/wire/handles.h"

namespace tensh::dist {

// Appends the nodes of a GraphDef, all or none. Their inputs may already be in the graph.
Status ImportGraph(const std::string& graph_def, tsh_graph* graph);
// Exports the nodes [first, end) of a graph. `name` returns the name under which the other side
// knows a node.
using NodeNamer = std::function<std::string(tsh_node)>;
Status ExportGraph(const tsh_graph* graph, tsh_node first, tsh_node end, const NodeNamer& name,
                   std::string* graph_def);

// Returns ResourceExhausted if the message is too large for the wire, whose limit is 2 GiB.
Status CheckMessageSize(uint64_t bytes);
Result<TensorPtr> DecodeTensor(const std::string& message);
Status EncodeTensor(tsh_tensor* tensor, std::string* message);

// A tensor name: "name" or "name:2". ParseTensorName returns false if the syntax is wrong.
struct TensorName {
  std::string node;
  uint32_t port = 0;
  bool has_port = false;
};
bool ParseTensorName(std::string_view text, TensorName* out);

}  // namespace tensh::dist
