// The time of a step after the first one. The first step of a plan fills caches and allocates
// memory, so it takes longer.
#pragma once

#include <cstdint>

#include "shell/client/client.h"
#include "shell/explain/report.h"

namespace tensh::shell {

// Returns true if running these nodes again changes nothing and gives the same values: they assign
// nothing, and draw no random numbers.
bool IsPure(const Report& report);
// Returns the time of the fastest of a few more steps in ns, or 0 if they were not run because the
// first one was not pure or took too long. Threads: the interpreter's thread only.
int64_t WarmTime(tsh_session* session, const tsh_run& run, const Report& first);

}  // namespace tensh::shell
