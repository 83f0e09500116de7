// Running text: a script whole, or a terminal cell by cell. The only place that catches an error to
// print it.
#pragma once

#include <string>

#include "shell/commands/shell.h"

namespace tensh::shell {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,
  kExitUsage = 2,
  kExitFile = 3,
  kExitInterrupted = 130
};

// Runs `text` as a script. The exit code of the process.
int RunScript(Shell& shell, std::string text, const std::string& file);
// Reads cells from the terminal until Ctrl-D or quit.
int RunPrompt(Shell& shell);
// Waits for the program's own threads, as Python does, and ends its daemons. False: one goes on.
bool EndThreads(Shell& shell);

}  // namespace tensh::shell
