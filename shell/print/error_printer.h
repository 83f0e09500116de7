// Formatting of an error with its position and a hint.
//
// In a script, the text is `file:line:column: Class: message`, the source line, carets under the
// failing part, and what to type next. The user's calls that led there come first, as in Python's
// tracebacks. At the prompt the line is still on the screen, so the carets are printed directly
// below it.
//
// Pure function; it needs the interpreter's lock, because it reads Values.
#pragma once

#include <string>

#include "shell/python/values/error.h"

namespace tensh::shell {

struct ErrorStyle {
  bool color = false;
  size_t width = 0;       // In columns; 0 means unlimited.
  size_t prompt = 0;      // Width of the prompt before the line; 0 if not at a prompt.
  std::string cell = {};  // At a prompt, the text that was just typed.
  bool json = false;      // Prints one JSON object on a line instead.
};

std::string FormatError(const PyError& error, const ErrorStyle& style);

}  // namespace tensh::shell
