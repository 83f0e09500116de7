// The roles of the words at the prompt: keywords, verbs, tensors of the graph, devices, and names
// that do not exist.
//
// A name is looked up, never searched for, so that the cost does not depend on the size of the
// graph. Threads: the interpreter's thread only.
#pragma once

#include <string_view>
#include <vector>

#include "shell/commands/base/shell.h"
#include "shell/edit/styled.h"

namespace tensh::shell {

// Returns the roles in order. A word that ends at `cursor` may be unfinished; it counts as unknown
// only if no known name begins with it. Throws only KeyboardInterrupt.
std::vector<StyleSpan> Highlight(Shell& shell, std::string_view text, size_t cursor);

}  // namespace tensh::shell
