#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/files.h"
#include "shell/commands/shell.h"
#include "shell/explain/layout.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell {
namespace {

void RunLoad(CommandCall& call) {
  const std::string file = FileName(call, call.text());
  if (HasEnding(file, ".pb") || HasEnding(file, ".pbtxt"))
    throw ValueError(file + " is a graph").Hint("open " + file);
  const Value loaded = CallWorkspace("load_variables", {MakeStr(file), bridge::CurrentSession()});
  call.shell().Note(" " + Count(loaded.as_int(), "variable") + " from " + Visible(file));
}

}  // namespace

void RegisterCommand_load(CommandRegistry& r) {
  r.Add(
      {.name = "load",
       .usage = "load FILE",
       .summary =
           "Give the variables the values of a checkpoint: all of them, or an error and none.",
       .help = "FILE is a checkpoint's name, one of its files, or a folder, whose latest is taken.",
       .examples = {},
       .complete = "file",
       .run = RunLoad});
}

}  // namespace tensh::shell
