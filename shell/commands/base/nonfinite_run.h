// The runs of `why nan` and `why inf`: records a step, or several until one has a NaN or Inf, and
// answers where it came from.
//
// Threads: the interpreter's thread only.
#pragma once

#include <string_view>

#include "shell/commands/base/command.h"

namespace tensh::shell {

// Answers for the run in `text`, or for the last run if `text` is empty. The last run is repeated if
// it was not recorded and does not change the state of its session.
void WhyNonFinite(CommandCall& call, bool nan, std::string_view text);

}  // namespace tensh::shell
