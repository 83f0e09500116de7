// Versions of a graph. Every statement that extends the graph creates one, written "@7".
#pragma once

#include <cstdint>
#include <string_view>

#include "shell/commands/base/command.h"

namespace tensh::shell {

// Parses "@7" as 7. Throws SyntaxError for any other text.
int64_t ParseVersion(CommandCall& call, std::string_view text);
// Returns the number of nodes that the current graph had at that version.
size_t NodesAtVersion(CommandCall& call, int64_t version);
void ExplainDiff(CommandCall& call, std::string_view text);  // `text` is "@7 @8"

}  // namespace tensh::shell
