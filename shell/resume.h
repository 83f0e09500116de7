// `tensh --resume`: runs the cells of an earlier session again and restores its variables.
//
// Threads: the interpreter's thread only.
#pragma once

#include <optional>
#include <string>

#include "shell/commands/base/shell.h"
#include "shell/session/cell_journal.h"

namespace tensh::shell {

// Finds the session to resume in the folder of journals: "" is the last one that did not end,
// otherwise the last one; a small number n is the nth last; anything else is a prefix of an id.
// Returns null if there is none, with the reason in `why`.
std::optional<JournalSession> FindSession(const std::string& folder, const std::string& which,
                                          std::string* why);
// Returns the sessions in the folder as a table for `--resume=list`.
std::string ListSessions(const std::string& folder);

// Runs the cells of the session silently, restores the variables, and returns what was restored
// and what was not, in lines. Ctrl-C skips the cell that runs.
std::string Resume(Shell& shell, const JournalSession& session);

// Records a cell that ran, from the statements that succeeded since there were `before` of them.
void FinishCell(Shell& shell, const std::string& text, size_t before, bool worked, double seconds);

}  // namespace tensh::shell
