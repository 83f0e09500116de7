#pragma once
// Graphs as TensorFlow's GraphDef messages, in the wire form of protocol buffers: what checkpoints'
// .meta files hold.
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh {

std::string ExportGraphDef(const Graph& graph);

struct ImportRequest {
  std::string_view graph_def;
  std::string_view prefix;  // goes before every name, with a slash; "": names stay
  bool clear_devices = false;
  // "name:0" of the message -> what stands for it here.
  std::vector<std::pair<std::string, Output>> input_map = {};
  uint32_t source = 0;
};
// Adds the nodes, all or none; their names in the order of the message. InvalidArgument for what is
// no graph, NotFound for an op that is not there.
Result<std::vector<std::string>> ImportGraphDef(Graph& graph, const ImportRequest& request);

}  // namespace tensh
