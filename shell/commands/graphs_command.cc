#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/data_table.h"
#include "shell/commands/shell.h"
#include "shell/commands/tables.h"
#include "shell/print/json.h"

namespace tensh::shell {
namespace {

void RunGraphs(CommandCall& call) {
  heap::CollectCycles();  // a graph that nobody can reach any more is gone
  const GraphHandle current = bridge::CurrentGraph();
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
    const bool is_current =
        graph["id"].as_int() == static_cast<int64_t>(tsh_graph_id(current.get()));
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
  r.Add(
      {.name = "graphs",
       .usage = "graphs " TENSH_TABLE_USAGE,
       .summary =
           "List the graphs alive, with their sessions and references; * marks the default graph.",
       .help = "A session holds one reference on its graph until it is closed; a graph that "
               "nothing refers to is\n"
               "gone from the list.",
       .examples = {},
       .complete = "",
       .run = RunGraphs});
}

}  // namespace tensh::shell
