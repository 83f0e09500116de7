// The verb `edges`: lists the edges of the graph.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/data_table.h"
#include "shell/explain/report.h"
#include "shell/session/graphs.h"

namespace tensh::shell {
namespace {

std::string OutputType(const GraphHandle& graph, tsh_output output, int64_t* bytes) {
  const ShapeInfo shape = graph.Shape(output);
  const int dtype = graph.DType(output);
  std::string text = ShortType(tsh_dtype_name(dtype));
  *bytes = -1;
  if (shape.rank < 0) return text + "[…]";
  std::string dims;
  bool known = true;
  int64_t elements = 1;
  for (const int64_t extent : shape.dims()) {
    dims += (dims.empty() ? "" : ",") + (extent < 0 ? std::string("?") : std::to_string(extent));
    known = known && extent >= 0 && !__builtin_mul_overflow(elements, extent, &elements);
  }
  const auto size = static_cast<int64_t>(tsh_dtype_size(dtype));
  if (!known || size <= 0 || __builtin_mul_overflow(elements, size, bytes)) *bytes = -1;
  return text + "[" + dims + "]";
}

void RunEdges(CommandCall& call) {
  const GraphHandle graph = CurrentGraph();
  DataTable table{.columns = {{.name = "from", .least = 10},
                              {.name = "to", .least = 10},
                              {.name = "kind"},
                              {.name = "output"},
                              {.name = "input"},
                              {.name = "type", .least = 8},
                              {.name = "bytes", .unit = DataColumn::Unit::kBytes}},
                  .rows = {}};
  table.noun = "edge";
  table.empty = "no edges yet";
  for (size_t n = 0; n < call.shell().versions().Visible(graph); ++n) {
    const auto node = static_cast<tsh_node>(n);
    for (size_t i = 0; i < graph.Inputs(node).size(); ++i) {
      const tsh_output from = graph.Input(node, i);
      int64_t bytes = -1;
      const std::string type = OutputType(graph, from, &bytes);
      table.rows.push_back({Cell::Text(graph.NodeName(from.node)), Cell::Text(graph.NodeName(node)),
                            Cell::Text("data"), Cell::Number(from.index),
                            Cell::Number(static_cast<int64_t>(i)), Cell::Text(type),
                            Cell::Known(bytes)});
    }
    for (const tsh_node control : graph.Controls(node)) {
      table.rows.push_back({Cell::Text(graph.NodeName(control)), Cell::Text(graph.NodeName(node)),
                            Cell::Text("control"), Cell(), Cell(), Cell(), Cell()});
    }
  }
  ShowTable(call, std::move(table));
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nedges",
     "from  to  kind  output  input  type    bytes\na     b   data       0      0  f32[2]    8 "
     "B\n"},
};

}  // namespace

void RegisterCommand_edges(CommandRegistry& r) {
  r.Add({.name = "edges",
         .usage = "edges [PATTERN] " TENSH_TABLE_USAGE,
         .summary = "List the edges of the graph with their types and sizes.",
         .help = kTableHelp,
         .examples = kExamples,
         .complete = "expr",
         .run = RunEdges});
}

}  // namespace tensh::shell
