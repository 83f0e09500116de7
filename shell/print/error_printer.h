// One error, one place, one hint. In a script: `file:line:column: Class: message`, the line, a
// caret span and what to type next; the user's own calls on the way there come first, as Python
// lists them. At the prompt the line has just been typed, so the carets go straight under it.
#pragma once

#include <string>

#include "shell/values/error.h"

namespace tensh::shell {

struct ErrorStyle {
  bool color = false;
  size_t width = 0;       // columns; 0: unlimited
  size_t prompt = 0;      // width of the prompt the line was typed after; 0: not at a prompt
  std::string cell = {};  // the text just typed, when at a prompt
  bool json = false;      // one JSON object on a line instead
};

std::string FormatError(const PyError& error, const ErrorStyle& style);

}  // namespace tensh::shell
