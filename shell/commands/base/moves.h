// The device requests in `explain X with add=/cpu:1, mul=/cpu:0` and in `apply`.
#pragma once

#include <string_view>
#include <vector>

#include "shell/commands/base/command.h"
#include "shell/session/placements.h"

namespace tensh::shell {

// Throws if a part of the text is not NODE=DEVICE.
std::vector<Move> ParseMoves(CommandCall& call, std::string_view text);

}  // namespace tensh::shell
