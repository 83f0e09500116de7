// Draws a figure in characters. Curves use braille. Images and heat maps use half blocks if colors
// are available, and shades otherwise. In ASCII, curves use * and shades are punctuation
// characters.
#pragma once

#include <string>

#include "shell/plot/figure.h"

namespace tensh::shell::plot {

struct TerminalStyle {
  size_t width = 80;   // In columns.
  size_t height = 18;  // Rows of a plot.
  bool color = false;
  bool ascii = false;
};

std::string RenderTerminal(const Figure& figure, const TerminalStyle& style);

}  // namespace tensh::shell::plot
