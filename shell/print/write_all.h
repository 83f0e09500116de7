// Bytes to a file descriptor. Any thread.
#pragma once

#include <string_view>

namespace tensh::shell {

// All of the text, past interruptions and while the other end is slow; gives up at an error, which
// it returns: 0 or what errno was.
int WriteAll(int fd, std::string_view text);

}  // namespace tensh::shell
