// tf.GraphDef: a graph as a message. The runtime creates and parses the message; this layer handles
// it as bytes and prints it as text.
//
// Threads: the interpreter's thread only.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shell/python/values/native.h"
#include "shell/tensorflow/graph/graph.h"
#include "tensh/tensh_import.h"

namespace tensh::shell::tf {

class GraphDefObject : public Object {
 public:
  static const TypeInfo kType;
  explicit GraphDefObject(std::string message) : Object(kType), message(std::move(message)) {}
  std::string message;
};

// A graph with the information for its Saver, as a message.
class MetaGraphDefObject : public Object {
 public:
  static const TypeInfo kType;
  explicit MetaGraphDefObject(std::string message) : Object(kType), message(std::move(message)) {}
  std::string message;
};

std::string ExportedGraph(GraphObject& g);
// Returns the message of a file with references to its large values, as tsh_message_read does.
// Throws ValueError if it is not a message.
std::string ReadMessageFile(const std::string& path, tsh_message_kind kind);

struct ImportOptions {
  std::string prefix;
  bool clear_devices = false;
  bool keep_unknown = false;  // keep nodes of ops that do not exist; they fail when they run
  std::vector<std::pair<std::string, Out>> input_map = {};
};
// If new_names is not null, stores the names of the nodes in the order of the message, each with a newline.
void ImportGraph(GraphObject& g, std::string_view message, const ImportOptions& options,
                 std::string* new_names = nullptr);
std::span<const FunctionRow> GraphDefRows();  // tf.import_graph_def

}  // namespace tensh::shell::tf
