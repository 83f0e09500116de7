// The pager: shows a long text a screen at a time, with another program such as less.
//
// Threads: the interpreter's thread only.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell {

// Returns the number of lines that the text takes on a terminal of this width. Escape sequences have
// no width.
size_t LinesOnScreen(std::string_view text, size_t columns);

// Returns the number of lines of the terminal, or 0 if standard output is not a terminal.
size_t ScreenRows();

// Shows the text with a pager if it is taller than the terminal. `setting` is that of `set pager`:
// "off", "on" for $PAGER or less, or a command. Returns false if the text was not shown: it fits, the
// terminal cannot move its cursor, or there is no pager.
//
// While the pager runs, it handles Ctrl-C. It is not an error if the pager ends early or crashes;
// the mode of the terminal is restored.
bool ShowInPager(std::string_view text, const std::string& setting);

}  // namespace tensh::shell
