#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/shell.h"
#include "shell/commands/tables.h"
#include "shell/print/json.h"

namespace tensh::shell {
namespace {

void RunGraphs(CommandCall& call) {
  call.WantNothing();
  heap::CollectCycles();  // a graph that nobody can reach any more is gone
  const GraphHandle current = bridge::CurrentGraph();
  const std::string text = TakeText(tsh_graphs_json());
  if (call.json()) return call.shell().PrintLine(text);
  TableText table{.columns = {{""},
                              {"graph"},
                              {"version"},
                              {"nodes", SIZE_MAX, true},
                              {"sessions", SIZE_MAX, true},
                              {"references", SIZE_MAX, true},
                              {"memory", SIZE_MAX, true}},
                  .rows = {}};
  table.noun = "graph";
  const Json graphs = Json::Parse(text);
  for (const Json& graph : graphs.items()) {
    const bool is_current =
        graph["id"].as_int() == static_cast<int64_t>(tsh_graph_id(current.get()));
    table.rows.push_back(
        {"",
         {is_current ? "*" : " ", "g" + std::to_string(graph["id"].as_int()),
          "@" + std::to_string(graph["version"].as_int()), std::to_string(graph["nodes"].as_int()),
          std::to_string(graph["sessions"].as_int()), std::to_string(graph["refs"].as_int()),
          Bytes(graph["bytes"].as_int())}});
  }
  PrintTable(call.shell(), table);
}

}  // namespace

void RegisterCommand_graphs(CommandRegistry& r) {
  r.Add(
      {.name = "graphs",
       .usage = "graphs [--json]",
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
