#pragma once
// Import and export of graphs as TensorFlow's GraphDef messages, in the protocol-buffer format of
// files and servers. No other file reads or writes GraphDefs.
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh {

struct ExportRequest {
  uint32_t first = 0, end = UINT32_MAX;  // The nodes [first, end).
  // Returns the name of a node in the message. If null, its name in the graph.
  std::function<std::string(NodeId)> name = nullptr;
};
std::string ExportGraphDef(const Graph& graph, const ExportRequest& request = {});

struct ImportRequest {
  std::string_view graph_def = {};
  // Put before every name with a slash; "" leaves the names unchanged.
  std::string_view prefix = {};
  bool clear_devices = false;
  // If true, inputs may refer to nodes of the graph. Unless this or keep_unknown is true, a node whose name the
  // graph has already gets another one.
  bool extends = false;
  // Maps "name:0" in the message to an output of the graph.
  std::vector<std::pair<std::string, Output>> input_map = {};
  // If true, a node of an op that does not exist is kept, and fails when a run needs it. Otherwise
  // the import fails. With a prefix, resources are then named below it as well, so that variables and
  // tables of two models are not shared.
  bool keep_unknown = false;
  bool wants_names = true;  // If false, no names are returned.
  uint32_t source = 0;
  // Called now and then. If it returns true, the import ends with Cancelled.
  std::function<bool()> stop = nullptr;
};
// Adds the nodes, all or none, in any order; a loop is closed by a NextIteration that feeds a
// Merge. Returns their names in the order of the message. Returns InvalidArgument for a malformed
// graph, and NotFound for an unknown op that may not be kept.
Result<std::vector<std::string>> ImportGraphDef(Graph& graph, const ImportRequest& request);

}  // namespace tensh
