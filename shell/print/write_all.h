// Bytes to a file descriptor. Any thread.
#pragma once

#include <string_view>

namespace tensh::shell {

// All of the text, past interruptions; gives up at an error.
void WriteAll(int fd, std::string_view text);

}  // namespace tensh::shell
