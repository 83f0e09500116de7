// The verb `nodes`: lists the nodes of the graph.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/tables/data_table.h"
#include "shell/session/graphs.h"

namespace tensh::shell {
namespace {

void RunNodes(CommandCall& call) {
  const GraphHandle graph = CurrentGraph();
  DataTable table{.columns = {{.name = "id", .hidden = true},
                              {.name = "name", .least = 10},
                              {.name = "op", .least = 6},
                              {.name = "type", .least = 8},
                              {.name = "device", .least = 6},
                              {.name = "inputs", .least = 8}},
                  .rows = {}};
  table.noun = "node";
  table.empty = "no nodes yet";
  const size_t size = call.shell().versions().Visible(graph);
  table.rows.reserve(size);
  for (size_t n = 0; n < size; ++n) {
    const auto node = static_cast<tsh_node>(n);
    table.rows.push_back({Cell::Number(static_cast<int64_t>(n)), Cell::Text(graph.NodeName(node)),
                          Cell::Text(graph.NodeOp(node)), Cell::Text(NodeTypes(graph, node)),
                          Cell::Text(graph.Device(node)), Cell::Text(NodeInputs(graph, node))});
  }
  ShowTable(call, std::move(table));
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nnodes exp",
     "name  op   type    device  inputs\nb     Exp  f32[2]          a\n"},
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\n"
     "nodes where op != Const and name like \"b%\" order name desc limit 5 --csv",
     "id,name,op,type,device,inputs\n1,b,Exp,f32[2],,a\n"},
};

}  // namespace

void RegisterCommand_nodes(CommandRegistry& r) {
  r.Add({.name = "nodes",
         .usage = "nodes [PATTERN] " TENSH_TABLE_USAGE,
         .summary = "List the nodes of the graph whose name or op contains PATTERN.",
         .help = kTableHelp,
         .examples = kExamples,
         .complete = "expr",
         .run = RunNodes});
}

}  // namespace tensh::shell
