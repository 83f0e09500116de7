// Completion for Tab at the prompt: verbs with their words and flags, names, attributes, arguments
// of the enclosing call, nodes, ops, devices and files. Completion never calls user code; it only
// looks up names and attributes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/base/shell.h"
#include "shell/edit/completion.h"

namespace tensh::shell {

// Throws only KeyboardInterrupt; so does Completion::describe.
Completion Complete(Shell& shell, std::string_view before_cursor);

}  // namespace tensh::shell
