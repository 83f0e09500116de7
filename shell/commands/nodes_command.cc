// The verb `nodes`: lists the nodes of the graph.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/tables/data_table.h"

namespace tensh::shell {
namespace {

void RunNodes(CommandCall& call) {
  ShowTable(call, {.columns = {{.name = "id", .hidden = true},
                               {.name = "name", .least = 10},
                               {.name = "op", .least = 6},
                               {.name = "type", .least = 8},
                               {.name = "device", .least = 6},
                               {.name = "inputs", .least = 8}},
                   .of = &kNodesTable,
                   .noun = "node",
                   .empty = "no nodes yet"});
  if (!call.json() && !call.wants_value() && !call.Has("--csv") && !call.Has("--md") &&
      call.file().empty())
    NoteOtherGraphs(call);
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nnodes exp",
     "name  op   type    device  inputs\nb     Exp  f32[2]          a\n"},
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\n"
     "nodes where op != Const and name like \"b%\" order name desc limit 5 --csv",
     "id,name,op,type,device,inputs\n1,b,Exp,f32[2],,a\n"},
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a) + a\nnodes group by op\n"
     "nodes where op in (Exp, AddV2) and bytes > 4B count",
     "op     n  bytes\nAddV2  1    8 B\nConst  1    8 B\nExp    1    8 B\n2\n"},
};

}  // namespace

void RegisterCommand_nodes(CommandRegistry& r) {
  r.Add({.name = "nodes",
         .usage = "nodes [PATTERN] " TENSH_TABLE_USAGE,
         .summary = "List the nodes of the graph whose name or op contains PATTERN.",
         .help = TENSH_TABLE_HELP(
             "`op == Const and bytes > 1KB`, `op in (Relu, MatMul)` or `name like \"grad%\"`"),
         .examples = kExamples,
         .complete = "expr",
         .gives_value = true,
         .pages = true,
         .run = RunNodes});
}

}  // namespace tensh::shell
