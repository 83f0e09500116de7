// Functions shared by the verbs that read and write files.
#pragma once

#include <string>
#include <string_view>

#include "shell/commands/base/command.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

// Returns the file name in a verb's text, which may be a bare name or a Python string. Throws
// SyntaxError if it is missing.
std::string FileName(CommandCall& call, std::string_view text);
bool HasEnding(std::string_view name, std::string_view ending);
// Calls a function of workspace.py, one of the shell's Python libraries.
Value CallWorkspace(std::string_view function, std::initializer_list<Value> args);
// Returns a script of the statements that created the current state of this session.
std::string DumpText(Shell& shell);

}  // namespace tensh::shell
