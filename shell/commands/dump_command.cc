// The verb `dump`: prints a script that recreates this session.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/files.h"

namespace tensh::shell {
namespace {

void RunDump(CommandCall& call) {
  // `dump > FILE` is accepted, because other verbs write files in this way.
  if (const std::string_view text = Trim(call.text()); text.starts_with('>'))
    return call.out().WriteFile(FileName(call, Trim(text.substr(1))), DumpText(call.shell()));
  call.WantNothing();
  call.out().Print(DumpText(call.shell()));
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant(1)\nops Abs\ndump", nullptr},
};

}  // namespace

void RegisterCommand_dump(CommandRegistry& r) {
  r.Add({.name = "dump",
         .usage = "dump [> FILE]",
         .summary = "Print a script that recreates this session. Failed statements and read-only "
                    "verbs are left out.",
         .help = "`save NAME.tsh` writes the script to a file, too.",
         .examples = kExamples,
         .run = RunDump});
}

}  // namespace tensh::shell
