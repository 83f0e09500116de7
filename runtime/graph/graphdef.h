#pragma once
// Graphs as TensorFlow's GraphDef messages, in the wire form of protocol buffers: what files hold
// and servers exchange. The one place that reads and writes them.
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh {

struct ExportRequest {
  uint32_t first = 0, end = UINT32_MAX;  // the nodes, [first, end)
  // What the reader calls a node; null: its name.
  std::function<std::string(NodeId)> name = nullptr;
};
std::string ExportGraphDef(const Graph& graph, const ExportRequest& request = {});

struct ImportRequest {
  std::string_view graph_def = {};
  std::string_view prefix = {};  // goes before every name, with a slash; "": names stay
  bool clear_devices = false;
  // Inputs may be nodes that the graph has already.
  bool extends = false;
  // "name:0" of the message -> what stands for it here.
  std::vector<std::pair<std::string, Output>> input_map = {};
  uint32_t source = 0;
};
// Adds the nodes, all or none, whatever their order; a loop closes from a NextIteration to a Merge.
// Their names in the order of the message. InvalidArgument for what is no graph, NotFound for an op
// that is not there.
Result<std::vector<std::string>> ImportGraphDef(Graph& graph, const ImportRequest& request);

}  // namespace tensh
