// Pixels of a PNG. Shapes are drawn at twice the size and averaged, which smooths the edges. Text
// is drawn last, at the final size.
#pragma once

#include <string>
#include <vector>

#include "shell/plot/figure.h"

namespace tensh::shell::plot {

constexpr int kFontHeight = 13, kFontWidth = 8;
extern const unsigned char kFont[95][kFontHeight];  // Starts with the space character.

// Returns the bytes of a PNG file. `colors` has width × height elements.
std::string EncodePng(const std::vector<Color>& colors, size_t width, size_t height);

}  // namespace tensh::shell::plot
