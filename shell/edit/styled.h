// Text with roles, which the screen draws in the colors of a palette.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "shell/text/theme.h"

namespace tensh::shell {

// The role of a range of bytes. Ranges of one text do not overlap and are in order.
struct StyleSpan {
  size_t from = 0, to = 0;
  Role role = Role::kPlain;
};

struct StyledPiece {
  Role role = Role::kPlain;
  std::string text;
};
using StyledLine = std::vector<StyledPiece>;

}  // namespace tensh::shell
