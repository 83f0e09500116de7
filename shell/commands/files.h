// What the verbs that read and write files share.
#pragma once

#include <string>
#include <string_view>

#include "shell/commands/command.h"
#include "shell/values/value.h"

namespace tensh::shell {

// The file's name in a verb's text: as it stands, or a Python string. Says what is missing when
// there is none.
std::string FileName(CommandCall& call, std::string_view text);
bool HasEnding(std::string_view name, std::string_view ending);
// A function of shell/tf/python/workspace.py, called.
Value CallWorkspace(std::string_view function, std::initializer_list<Value> args);
// The statements that made this session what it is, as a script.
std::string DumpText(const Shell& shell);

}  // namespace tensh::shell
