// The verb `history`: lists the versions of the graph.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/data_table.h"

namespace tensh::shell {
namespace {

void RunHistory(CommandCall& call) {
  const bool cells = call.shell().options().interactive;
  ShowTable(call, {.columns = {{.name = "version", .sql = "'@' || version"},
                               {.name = "nodes", .head = "+ nodes"},
                               {.name = "first", .hidden = true},
                               {.name = "cell", .head = cells ? "In" : "line"},
                               {.name = "text", .least = 12}},
                   .of = &kHistoryTable,
                   .noun = "version",
                   .searched = 4,
                   .empty = "nothing was added to the graph yet"});
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
                 "shows the one before.\n`Out[3]?` shows the origin of a result; `cells` lists "
                 "what was typed.\n" TENSH_TABLE_HELP("`nodes > 10` or `text like \"%tf.%\"`"),
         .examples = kExamples,
         .complete = "",
         .gives_value = true,
         .pages = true,
         .run = RunHistory});
}

}  // namespace tensh::shell
