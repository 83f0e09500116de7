#pragma once
// Graphs and tensors as the bytes of TensorFlow's messages, and names as they spell them. The bytes
// are read and written by the runtime, through tensh.h.
#include <functional>
#include <string>
#include <string_view>

#include "runtime/dist/handles.h"

namespace tensh::dist {

// Appends the nodes of a GraphDef, all or none; their inputs may be in the graph already.
Status ImportGraph(const std::string& graph_def, tsh_graph* graph);
// The nodes [first, end) of a graph, under the names the other side knows them by.
using NodeNamer = std::function<std::string(tsh_node)>;
Status ExportGraph(const tsh_graph* graph, tsh_node first, tsh_node end, const NodeNamer& name,
                   std::string* graph_def);

// ResourceExhausted for what the wire cannot carry: a message has 2 GiB at most.
Status CheckMessageSize(uint64_t bytes);
Result<TensorPtr> DecodeTensor(const std::string& message);
Status EncodeTensor(tsh_tensor* tensor, std::string* message);

// "name", "name:2"; false: not spelled like one.
struct TensorName {
  std::string node;
  uint32_t port = 0;
  bool has_port = false;
};
bool ParseTensorName(std::string_view text, TensorName* out);

}  // namespace tensh::dist
