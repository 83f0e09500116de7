// The versions of a graph: every statement that extends it makes one, "@7".
#pragma once

#include <cstdint>
#include <string_view>

#include "shell/commands/command.h"

namespace tensh::shell {

// "@7" as 7; anything else is an error of the call.
int64_t ParseVersion(CommandCall& call, std::string_view text);
// How many nodes the current graph had at that version.
size_t NodesAtVersion(CommandCall& call, int64_t version);
void ExplainDiff(CommandCall& call, std::string_view text);  // "@7 @8"

}  // namespace tensh::shell
