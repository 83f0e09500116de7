#include "shell/session/graphs.h"

#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/graph/state.h"

namespace tensh::shell {

GraphHandle CurrentGraph() { return tf::DefaultGraph().handle(); }

bool HasGraph() { return !tf::State().graphs.empty(); }

std::string GraphSeed() {
  const tf::GraphObject& graph = tf::DefaultGraph();
  return graph.seed ? std::to_string(*graph.seed) : "";
}

void BeginAll(uint32_t source, bool is_cell) {
  tf::State().source = source;
  tf::State().source_is_cell = is_cell;
  for (tf::GraphObject* graph : tf::State().graphs) tsh_graph_begin(graph->raw());
}

void CommitAll() {
  for (tf::GraphObject* graph : tf::State().graphs) tsh_graph_commit(graph->raw());
}

void RollbackAll() {
  for (tf::GraphObject* graph : tf::State().graphs) {
    tsh_graph_rollback(graph->raw());
    graph->Sync();
  }
}

}  // namespace tensh::shell
