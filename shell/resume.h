// `tensh --resume`: runs the cells of an earlier session again and restores its variables.
//
// Threads: the interpreter's thread only.
#pragma once

#include <optional>
#include <string>

#include "shell/commands/base/shell.h"
#include "shell/session/cell_journal.h"

namespace tensh::shell {

// Finds the session to resume in the folder of journals. "" means the last session that did not end
// normally, or the last session if all did; a small number n means the nth session from the end;
// any other text is the beginning of an id. Returns nullopt and sets `why` if there is no such
// session.
std::optional<JournalSession> FindSession(const std::string& folder, const std::string& which,
                                          std::string* why);
// Returns the sessions in the folder as a table for `--resume=list`.
std::string ListSessions(const std::string& folder);

// Runs the cells of the session silently and restores the variables. Returns lines that say what
// was restored and what was not. Ctrl-C ends the repetition;
// the session then has what was repeated before.
std::string Resume(Shell& shell, const JournalSession& session);

// Records a cell that ran. `before` is the number of statements that the journal held before it
// ran.
void FinishCell(Shell& shell, const std::string& text, size_t before, bool worked, double seconds);

}  // namespace tensh::shell
