// Turns pasted text into code: an excerpt of a file, of a page or of a session.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell {

// Returns the text with "\n" as line ends and without:
//   * the indentation that all lines share,
//   * if the first line has a prompt of Python, IPython or tensh: prompts, and lines without one,
//     which are output,
//   * blank lines at the beginning.
// Text without a line end is returned as it is, apart from a prompt. Pure; thread-safe.
std::string CleanPaste(std::string_view pasted);

}  // namespace tensh::shell
