// The verb `load`: restores variables from a checkpoint.

#include <filesystem>

#include "shell/commands/base/command.h"
#include "shell/commands/base/progress.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/files.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

void RunLoad(CommandCall& call) {
  const std::string file = FileName(call, call.text());
  const bool graph = HasEnding(file, ".pb") || HasEnding(file, ".pbtxt");
  std::error_code error;
  if (graph && !std::filesystem::is_directory(file, error))
    throw ValueError(file + " is a graph").Hint("`open " + file + "` adds it to this graph");
  const Value loaded = [&] {
    const BytesProgress progress(call.shell(), "loading " + Visible(file),
                                 BytesProgress::Counts::kRead, SizeOnDisk(file));
    return CallWorkspace("load_variables", {MakeStr(file), call.shell().sessions().Current()});
  }();
  call.out().Note(" " + Count(loaded.as_int(), "variable") + " from " + Visible(file));
}

}  // namespace

void RegisterCommand_load(CommandRegistry& r) {
  r.Add({.name = "load",
         .usage = "load FILE",
         .summary =
             "Restore all variables from a checkpoint. If one cannot be restored, none is changed.",
         .help =
             "FILE is the name of a checkpoint, one of its files, or a folder, whose latest "
             "checkpoint is used;\nor a file with the weights of a Keras model (.weights.h5, .h5, "
             ".keras).",
         .examples = {},
         .complete = "file",
         .lasting = true,
         .run = RunLoad});
}

}  // namespace tensh::shell
