// Graphs as messages. The runtime creates and parses the encoded form of a tf.GraphDef;
// shell/tensorflow/proto makes its fields accessible.
//
// Threads: the interpreter's thread only.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shell/python/values/native.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/proto/message.h"
#include "tensh/tensh_import.h"

namespace tensh::shell::tf {

std::string ExportedGraph(GraphObject& g);
Value NodeDefOf(GraphObject& g, Node node);  // op.node_def
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
extern const ModuleDef kGraphsModule;

}  // namespace tensh::shell::tf
