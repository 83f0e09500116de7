// The verbs `quit` and `exit`.

#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

void RunQuit(CommandCall& call) {
  PyError exit = MakeError(kSystemExit, "");
  exit.exception().payload = Value::Int(0);
  if (!call.text().empty()) exit.exception().payload = call.shell().interp().Eval(call.text());
  throw exit;
}

}  // namespace

void RegisterCommand_quit(CommandRegistry& r) {
  r.Add({.name = "quit",
         .usage = "quit [CODE]",
         .summary = "Leave the shell; Ctrl-D does too.",
         .help = "",
         .examples = {},
         .complete = "",
         .run = RunQuit});
  r.Add({.name = "exit",
         .usage = "exit [CODE]",
         .summary = "Leave the shell, like `quit`.",
         .help = "",
         .examples = {},
         .complete = "",
         .run = RunQuit});
}

}  // namespace tensh::shell
