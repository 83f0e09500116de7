#include "shell/session/graphs.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/state.h"

namespace tensh::shell {
namespace {

// The number of nodes of each graph at BeginAll.
std::unordered_map<const tf::GraphObject*, size_t>& Began() {
  static auto* began = new std::unordered_map<const tf::GraphObject*, size_t>;
  return *began;
}

// Returns true for a type through which a node exposes its state: a reference or a handle.
bool IsState(int dtype) {
  const std::string_view name = tsh_dtype_name(dtype);
  return name == "resource" || name == "variant" || name.ends_with("_ref");
}

// Returns true for a node that the program may need later although no value refers to it. A node
// with a seed counts, because the seeds of later nodes depend on the number of nodes.
bool MakesState(const tf::GraphObject& graph, tsh_node node) {
  const GraphHandle& handle = graph.handle();
  const std::string_view op = handle.NodeOp(node);
  // these end with the step
  if (op.starts_with("TensorArray") || op.starts_with("Stack")) return false;
  if (op.starts_with("Placeholder")) return true;
  if (graph.seed && handle.AttrsJson(node).find("\"seed\"") != std::string::npos) return true;
  for (const tsh_output input : handle.Inputs(node))
    if (IsState(handle.DType(input))) return false;
  for (uint32_t i = 0; i < handle.NumOutputs(node); ++i)
    if (IsState(handle.DType({node, i}))) return true;
  return false;
}

bool AddedTemporaries(const tf::GraphObject& graph, bool with_state) {
  const auto began = Began().find(&graph);
  const size_t size = graph.handle().size();
  if (began == Began().end() || began->second >= size) return false;
  if (graph.Holds(static_cast<tsh_node>(began->second))) return false;
  for (size_t n = began->second; n < size; ++n)
    if (!with_state && MakesState(graph, static_cast<tsh_node>(n))) return false;
  return true;
}

void Rollback(tf::GraphObject* graph) {
  tsh_graph_rollback(graph->raw());
  graph->Sync();
}

}  // namespace

std::string_view ShownOp(const GraphHandle& graph, tsh_node node) {
  const std::string_view op = graph.NodeOp(node);
  if (op != "Placeholder") return op;
  for (const tf::GraphObject* each : tf::State().graphs) {
    if (each->handle().get() != graph.get()) continue;
    for (const tf::HostFunction& function : tf::HostFunctions(*each))
      for (const tf::Out& out : function.outputs)
        if (out.node == node) return "PyFunc";
  }
  return op;
}

GraphHandle CurrentGraph() { return tf::DefaultGraph().handle(); }

bool HasGraph() { return !tf::State().graphs.empty(); }

std::vector<GraphHandle> LiveGraphs() {
  std::vector<GraphHandle> graphs;
  for (tf::GraphObject* graph : tf::State().graphs)
    if (!graph->hidden) graphs.push_back(graph->handle());
  return graphs;
}

GraphHandle FindGraph(std::string_view name) {
  for (tf::GraphObject* graph : tf::State().graphs)
    if (GraphName(graph->handle()) == name) return graph->handle();
  return {};
}

std::string GraphName(const GraphHandle& graph) { return "g" + std::to_string(graph.id()); }

AtGraph::AtGraph(const GraphHandle& graph) : graph_(nullptr) {
  for (tf::GraphObject* each : tf::State().graphs)
    if (each->raw() == graph.get()) graph_ = each;
  if (graph_ != nullptr) tf::PushGraph(Ref<tf::GraphObject>(graph_));
}

AtGraph::~AtGraph() {
  if (graph_ != nullptr) tf::PopGraph();
}

std::string GraphSeed() {
  const tf::GraphObject& graph = tf::DefaultGraph();
  return graph.seed ? std::to_string(*graph.seed) : "";
}

// Returns the live graphs, and keeps them alive. A graph may be referenced only by values that a
// rollback removes, such as the variables in its own collections.
static std::vector<Ref<tf::GraphObject>> KeptGraphs() {
  std::vector<Ref<tf::GraphObject>> graphs;
  for (tf::GraphObject* graph : tf::State().graphs) graphs.emplace_back(graph);
  return graphs;
}

void BeginAll(uint32_t source, bool is_cell) {
  tf::State().source = source;
  tf::State().source_is_cell = is_cell;
  tf::State().in_statement = true;
  Began().clear();
  for (tf::GraphObject* graph : tf::State().graphs) {
    tsh_graph_begin(graph->raw());
    Began()[graph] = graph->handle().size();
  }
}

void CommitAll() {
  tf::State().in_statement = false;
  for (tf::GraphObject* graph : tf::State().graphs) tsh_graph_commit(graph->raw());
}

bool HasTemporaries(bool with_state) {
  const auto& graphs = tf::State().graphs;
  return std::any_of(graphs.begin(), graphs.end(),
                     [&](const tf::GraphObject* g) { return AddedTemporaries(*g, with_state); });
}

void CommitWithoutTemporaries(bool with_state) {
  tf::State().in_statement = false;
  for (const Ref<tf::GraphObject>& graph : KeptGraphs()) {
    if (AddedTemporaries(*graph, with_state))
      Rollback(graph.get());
    else
      tsh_graph_commit(graph->raw());
  }
}

void RollbackAll() {
  tf::State().in_statement = false;
  for (const Ref<tf::GraphObject>& graph : KeptGraphs()) Rollback(graph.get());
}

}  // namespace tensh::shell
