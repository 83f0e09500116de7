// Pixels for a PNG: drawn twice as large and averaged, which softens the edges; text is put on
// last.
#pragma once

#include <string>
#include <vector>

#include "shell/plot/figure.h"

namespace tensh::shell::plot {

constexpr int kFontHeight = 13, kFontWidth = 8;
extern const unsigned char kFont[95][kFontHeight];  // from ' ' on

// The bytes of a PNG file; colors has width × height.
std::string EncodePng(const std::vector<Color>& colors, size_t width, size_t height);

}  // namespace tensh::shell::plot
