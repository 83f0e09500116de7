// What Tab offers at the prompt: verbs, their words and flags, names, attributes, arguments of the
// call around the cursor, nodes, ops, devices, files. Nothing is called for it: of an expression
// only names and attributes are looked up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/shell.h"
#include "shell/edit/completion.h"

namespace tensh::shell {

Completion Complete(Shell& shell, std::string_view before_cursor);

std::vector<std::string> SettingKeys();  // of `set`

}  // namespace tensh::shell
