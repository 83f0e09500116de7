// A figure as plain data: axes in a grid, each with series to draw.
//
// Figures are made by the verbs plot and show, and from JSON by matplotlib.pyplot
// (python/pyplot.py). They are drawn on a canvas (draw.h: SVG, PNG) or in characters (terminal.h).
// Pure functions, independent of the terminal and the interpreter.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {
class Json;
}

namespace tensh::shell::plot {

struct Color {
  uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Color&) const = default;
};
constexpr Color kBlack{0, 0, 0}, kWhite{255, 255, 255};

// Accepts "#1f77b4", "r", "red", "C3", "0.5". Returns false if no such color exists.
bool ParseColor(std::string_view text, Color* color);
Color CycleColor(size_t i);
// Returns the color of a value in [0, 1] in a color map: viridis, gray, hot, … An unknown name
// means viridis.
Color MapColor(std::string_view map, double value);

struct Series {
  enum class Kind : uint8_t { kLine, kScatter, kBar, kImage, kText };
  Kind kind = Kind::kLine;
  // A bar has its left edge in x, its top in `y` and its bottom in `low`.
  std::vector<double> x, y;
  std::vector<double> low;  // Lower ends of bars.
  std::vector<double> sizes, widths;
  std::vector<double> levels;  // Scatter: the values shown by the color map.
  // Image: rows × cols × channels; values are in [0, 1] if channels > 1.
  std::vector<double> pixels;
  size_t rows = 0, cols = 0, channels = 1;
  // Range of the color map; NAN means the range of the data.
  double value_low = NAN, value_high = NAN;
  double left = NAN, right = NAN, bottom = NAN, top = NAN;  // Position of an image.
  std::string map = "viridis", label, marker, style = "-", text;
  Color color;
  double width = 1.5, alpha = 1;
};

struct Axis {
  std::string label;
  double low = NAN, high = NAN;  // NAN means the range of the data.
  bool log = false, hidden = false, flipped = false;
  std::vector<double> ticks;  // Explicit ticks. If empty and ticks_given is true, there are none.
  std::vector<std::string> tick_labels;  // Parallel to ticks.
  bool ticks_given = false;
};

struct Axes {
  std::vector<Series> series;
  std::string title;
  Axis x, y;
  bool legend = false, grid = false, colorbar = false, equal = false, hidden = false;
  size_t row = 0, col = 0, rows = 1, cols = 1, row_span = 1, col_span = 1;
};

struct Figure {
  std::vector<Axes> axes;
  std::string title;
  double width = 640, height = 480;  // In pixels.
};

bool ParseFigure(const Json& json, Figure* figure);

// The layout of axes: limits with a margin, and ticks at round numbers.
struct Range {
  double low = 0, high = 1;
};
struct Frame {
  Range x, y;
  std::vector<double> x_ticks, y_ticks;
  std::vector<std::string> x_texts, y_texts;
};
Frame MakeFrame(const Axes& axes, size_t x_ticks, size_t y_ticks);
double Position(const Axis& axis, Range range, double value);  // Returns 0 at low and 1 at high.

Range LevelsOf(const Series& series);  // Returns the range of the color map.

std::string ShortNumber(double value);

// Counts values in `bins` bins of equal width. `edges` has one more element than `counts`.
void Histogram(const std::vector<double>& values, size_t bins, std::vector<double>* edges,
               std::vector<double>* counts);
Series HistogramSeries(const std::vector<double>& values, size_t bins);

}  // namespace tensh::shell::plot
