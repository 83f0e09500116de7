// The verb `sessions`: lists the open sessions.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/data_table.h"

namespace tensh::shell {
namespace {

void RunSessions(CommandCall& call) {
  call.shell().sessions().Current();  // creates the default session if necessary
  ShowTable(call, {.columns = {{.name = "current", .head = "", .sql = "iif(current, '*', ' ')"},
                               {.name = "session", .sql = "'s' || session"},
                               {.name = "target", .least = 8},
                               {.name = "graph", .sql = "'g' || graph"},
                               {.name = "devices", .least = 10}},
                   .of = &kSessionsTable,
                   .noun = "session",
                   .json = TakeText(tsh_sessions_json())});
}

}  // namespace

void RegisterCommand_sessions(CommandRegistry& r) {
  r.Add({.name = "sessions",
         .usage = "sessions " TENSH_TABLE_USAGE,
         .summary = "List the open sessions; * marks the one that eval and run use.",
         .help = TENSH_TABLE_HELP("`target != direct`"),
         .examples = {},
         .complete = "",
         .gives_value = true,
         .pages = true,
         .run = RunSessions});
}

}  // namespace tensh::shell
