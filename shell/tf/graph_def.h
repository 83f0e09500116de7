// tf.GraphDef: a graph as a message. The message itself is the runtime's to make and read; here it
// is bytes, shown as text. Threads: the interpreter's.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shell/tf/graph.h"
#include "shell/values/native.h"

namespace tensh::shell::tf {

class GraphDefObject : public Object {
 public:
  static const TypeInfo kType;
  explicit GraphDefObject(std::string message) : Object(kType), message(std::move(message)) {}
  std::string message;
};

// A graph and what its saver needs, as a message.
class MetaGraphDefObject : public Object {
 public:
  static const TypeInfo kType;
  explicit MetaGraphDefObject(std::string message) : Object(kType), message(std::move(message)) {}
  std::string message;
};

std::string ExportedGraph(GraphObject& g);

struct ImportOptions {
  std::string prefix;
  bool clear_devices = false;
  std::vector<std::pair<std::string, Out>> input_map = {};
};
void ImportGraph(GraphObject& g, std::string_view message, const ImportOptions& options);
std::span<const FunctionRow> GraphDefRows();  // tf.import_graph_def

}  // namespace tensh::shell::tf
