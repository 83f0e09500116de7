// The verb `graphs`: lists the live graphs.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/data_table.h"

namespace tensh::shell {
namespace {

void RunGraphs(CommandCall& call) {
  heap::CollectCycles();  // frees graphs that are no longer reachable
  ShowTable(call,
            {.columns = {{.name = "current", .head = "", .sql = "iif(current, '*', ' ')"},
                         {.name = "graph", .sql = "'g' || graph"},
                         {.name = "version", .sql = "'@' || version"},
                         {.name = "nodes"},
                         {.name = "sessions"},
                         {.name = "references", .sql = "refs"},
                         {.name = "memory", .unit = DataColumn::Unit::kBytes, .sql = "bytes"}},
             .of = &kGraphsTable,
             .noun = "graph",
             .json = TakeText(tsh_graphs_json())});
}

}  // namespace

void RegisterCommand_graphs(CommandRegistry& r) {
  r.Add({.name = "graphs",
         .usage = "graphs " TENSH_TABLE_USAGE,
         .summary = "List the live graphs with their sessions and reference counts; * marks the "
                    "default graph.",
         .help = "An open session holds one reference to its graph. A graph that nothing refers to "
                 "is freed.\n" TENSH_TABLE_HELP("`nodes > 100`"),
         .examples = {},
         .complete = "",
         .gives_value = true,
         .pages = true,
         .run = RunGraphs});
}

}  // namespace tensh::shell
