// The verb `graphs`: lists the live graphs.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/tables/data_table.h"
#include "shell/session/graphs.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

void RunGraphs(CommandCall& call) {
  heap::CollectCycles();  // frees graphs that are no longer reachable
  const GraphHandle current = CurrentGraph();
  DataTable table{.columns = {{.name = "current", .head = ""},
                              {.name = "graph"},
                              {.name = "version"},
                              {.name = "nodes"},
                              {.name = "sessions"},
                              {.name = "references"},
                              {.name = "memory", .unit = DataColumn::Unit::kBytes}},
                  .rows = {}};
  table.noun = "graph";
  table.json = TakeText(tsh_graphs_json());
  const Json graphs = Json::Parse(table.json);
  for (const Json& graph : graphs.items()) {
    const bool is_current = graph["id"].as_int() == static_cast<int64_t>(current.id());
    table.rows.push_back(
        {Cell::Text(is_current ? "*" : " "), Cell::Text("g" + std::to_string(graph["id"].as_int())),
         Cell::Text("@" + std::to_string(graph["version"].as_int())),
         Cell::Number(graph["nodes"].as_int()), Cell::Number(graph["sessions"].as_int()),
         Cell::Number(graph["refs"].as_int()), Cell::Number(graph["bytes"].as_int())});
  }
  ShowTable(call, std::move(table));
}

}  // namespace

void RegisterCommand_graphs(CommandRegistry& r) {
  r.Add({.name = "graphs",
         .usage = "graphs " TENSH_TABLE_USAGE,
         .summary = "List the live graphs with their sessions and reference counts; * marks the "
                    "default graph.",
         .help = "An open session holds one reference to its graph. A graph that nothing refers to "
                 "is freed.",
         .examples = {},
         .complete = "",
         .run = RunGraphs});
}

}  // namespace tensh::shell
