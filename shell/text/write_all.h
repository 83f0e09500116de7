// Writing to a file descriptor. Thread-safe.
#pragma once

#include <string_view>

namespace tensh::shell {

// Writes the whole text. Continues after signals and waits for a slow reader. Stops at the first
// error. Returns 0 or the errno.
int WriteAll(int fd, std::string_view text);

}  // namespace tensh::shell
