// The prompts of a cell: "[12]> " for its first line, "....> " for the others. They have the same
// width, so that the carets of errors are aligned with the text.
#pragma once

#include <string>

namespace tensh::shell {

struct Prompts {
  std::string first, next;
};

inline Prompts PromptsOf(int cell) {
  std::string first = "[" + std::to_string(cell) + "]> ";
  std::string next = std::string(first.size() - 2, '.') + "> ";
  return {std::move(first), std::move(next)};
}

}  // namespace tensh::shell
