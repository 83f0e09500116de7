// A frame of a traceback in Python's form. Pure.
#pragma once

#include <string>

#include "shell/values/error.h"

namespace tensh::shell {

// Its place, its line (cut to so many columns), and the marks under the part of the line that ran:
// as CPython 3.11 draws them, ~~~^~~ where an operator or an index is what counts in it.
std::string FrameText(const TraceEntry& entry, size_t longest_line = static_cast<size_t>(-1));

// Where in the bytes of `line` the 1-based code point `column` starts.
size_t ByteOfColumn(const std::string& line, int column);

}  // namespace tensh::shell
