// Formatting of one traceback frame as in Python. Pure functions; thread-safe.
#pragma once

#include <string>

#include "shell/python/values/error.h"

namespace tensh::shell {

// Returns the frame's position, its source line (cut to `longest_line` columns), and marks below
// the part that failed. As in CPython 3.11, the marks are ~~~^~~ for an operator or an index.
std::string FrameText(const TraceEntry& entry, size_t longest_line = static_cast<size_t>(-1));

// Returns the byte offset in `line` of the code point in the given column, counted from 1.
size_t ByteOfColumn(const std::string& line, int column);

}  // namespace tensh::shell
