// The verb `edges`: lists the edges of the graph.

#include "shell/commands/base/command.h"
#include "shell/commands/tables/data_table.h"

namespace tensh::shell {
namespace {

void RunEdges(CommandCall& call) {
  ShowTable(call, {.columns = {{.name = "from", .least = 10, .sql = "source"},
                               {.name = "to", .least = 10, .sql = "target"},
                               {.name = "kind"},
                               {.name = "output"},
                               {.name = "input"},
                               {.name = "type", .least = 8},
                               {.name = "bytes", .unit = DataColumn::Unit::kBytes}},
                   .of = &kEdgesTable,
                   .noun = "edge",
                   .empty = "no edges yet"});
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
         .help = TENSH_TABLE_HELP("`kind == data and bytes > 1KB` or `from == h`"),
         .examples = kExamples,
         .complete = "expr",
         .gives_value = true,
         .pages = true,
         .run = RunEdges});
}

}  // namespace tensh::shell
