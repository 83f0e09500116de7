// A figure in characters: curves in braille, images and heat maps in half blocks where there is
// colour and in shades where there is none; in ASCII, with * and the shades of punctuation.
#pragma once

#include <string>

#include "shell/plot/figure.h"

namespace tensh::shell::plot {

struct TerminalStyle {
  size_t width = 80;   // columns
  size_t height = 18;  // rows of a plot
  bool color = false;
  bool ascii = false;
};

std::string RenderTerminal(const Figure& figure, const TerminalStyle& style);

}  // namespace tensh::shell::plot
