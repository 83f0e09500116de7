// Runs text: a whole script, or cells from the terminal one by one. Errors are caught and printed
// only here.
#pragma once

#include <optional>
#include <string>

#include "shell/commands/base/shell.h"

namespace tensh::shell {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,
  kExitUsage = 2,
  kExitFile = 3,
  kExitInterrupted = 130
};

// Runs `text` as a script. Returns the exit code of the process.
int RunScript(Shell& shell, std::string text, const std::string& file);
enum class Outcome { kGoOn, kFailed, kExit };
// Runs a cell as the prompt does: its results are stored in Out[number] and its text in `cells`, the
// list In. Errors are printed. If the process should end, `code` receives its exit code.
Outcome RunCell(Shell& shell, const Value& cells, int number, const std::string& cell, int* code);
// Options of a prompt.
struct PromptStart {
  bool keeps_cells = true;            // keeps the cells in a journal (shell/session/cell_journal.h)
  bool startup = true;                // runs the start-up file
  std::optional<std::string> resume;  // the session to resume; see FindSession
};
// Reads and runs cells from the terminal until Ctrl-D or `quit`.
int RunPrompt(Shell& shell, const PromptStart& start);
// Waits for the program's threads, like Python, and stops its daemon threads. Returns false if one
// does not stop.
bool EndThreads(Shell& shell);

}  // namespace tensh::shell
