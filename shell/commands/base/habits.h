// Hints for users who type commands of other prompts: `!ls`, `%timeit f(x)`, `\d`.
#pragma once

#include <string_view>

#include "shell/python/values/error.h"

namespace tensh::shell {

// Returns what to type instead of a line that failed, or no hint.
ErrorHint HabitHint(std::string_view line);

}  // namespace tensh::shell
