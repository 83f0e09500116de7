// The current graph, and the transaction on all live graphs that encloses every top-level
// statement.
//
// Threads: the interpreter's thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shell/client/client.h"

namespace tensh::shell {

namespace tf {
class GraphObject;
}

// Returns the default graph of the thread, which is created if necessary.
GraphHandle CurrentGraph();
bool HasGraph();  // true if a graph has been created
// Returns the live graphs of the program, without those that the library makes for functions.
std::vector<GraphHandle> LiveGraphs();
// Returns the live graph with the name "g3", or an empty handle.
GraphHandle FindGraph(std::string_view name);
std::string GraphName(const GraphHandle& graph);  // "g3"
// Returns the name of a node's op for the user. The result of a Python function (tf.py_func) is a
// fed placeholder to the runtime, and "PyFunc" here.
std::string_view ShownOp(const GraphHandle& graph, tsh_node node);

// Makes a live graph the current one during the life of this object.
class AtGraph {
 public:
  explicit AtGraph(const GraphHandle& graph);
  ~AtGraph();
  AtGraph(const AtGraph&) = delete;
  AtGraph& operator=(const AtGraph&) = delete;

 private:
  tf::GraphObject* graph_;
};

std::string GraphSeed();  // the seed of tf.set_random_seed, or "" if it was not called

// Begin, commit or roll back a transaction on every live graph, around each top-level statement.
// `source` is stored with the nodes that the statement creates: a line, or the number of a cell.
void BeginAll(uint32_t source, bool is_cell);
void CommitAll();
// Returns true if some of the nodes that were added since BeginAll are temporaries: they hold no
// state, as a variable does, and no value of the program refers to them. With `with_state`, nodes
// that hold state count, too, as they do for a verb that copies parts of the graph.
bool HasTemporaries(bool with_state);
// Commits, but removes the temporaries.
void CommitWithoutTemporaries(bool with_state);
void RollbackAll();

}  // namespace tensh::shell
