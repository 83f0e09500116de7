// The verb `history`: lists the versions of the graph.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/data_table.h"
#include "shell/session/graphs.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

void RunHistory(CommandCall& call) {
  Shell& shell = call.shell();
  const bool cells = shell.options().interactive;
  DataTable table{.columns = {{.name = "version"},
                              {.name = "nodes", .head = "+ nodes"},
                              {.name = "first", .hidden = true},
                              {.name = "cell", .head = cells ? "In" : "line"},
                              {.name = "text", .least = 12}},
                  .rows = {}};
  table.noun = "version";
  table.searched = 4;
  table.empty = "nothing was added to the graph yet";
  if (HasGraph()) {
    for (const Version* version : shell.versions().Of(CurrentGraph())) {
      table.rows.push_back({Cell::Text("@" + std::to_string(version->number)),
                            Cell::Number(static_cast<int64_t>(version->nodes())),
                            Cell::Number(static_cast<int64_t>(version->first)),
                            Cell::Number(version->cell), Cell::Text(version->text)});
    }
  }
  ShowTable(call, std::move(table));
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a) + 1.\nhistory --csv",
     "version,nodes,first,cell,text\n"
     "@1,1,0,1,\"a = tf.constant([1., 2.], name=\"\"a\"\")\"\n@2,3,1,2,b = tf.exp(a) + 1.\n"},
};

}  // namespace

void RegisterCommand_history(CommandRegistry& r) {
  r.Add({.name = "history",
         .usage = "history [PATTERN] " TENSH_TABLE_USAGE,
         .summary = "List the versions of the graph, with the command that made each.",
         .help = "A version is written @7, as in `explain diff @5 @7` and `at @5 nodes`. `undo` "
                 "shows the one before.\n`Out[3]?` shows the origin of a result.",
         .examples = kExamples,
         .complete = "",
         .run = RunHistory});
}

}  // namespace tensh::shell
