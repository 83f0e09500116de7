// A figure as plain data: axes in a grid, each with series to draw. Made by the verbs plot and show
// and by matplotlib.pyplot (python/pyplot.py, which hands over JSON); drawn by draw.h on a canvas
// (SVG, PNG) and by terminal.h in characters. Pure: no terminal, no interpreter.
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

// "#1f77b4", "r", "red", "C3", "0.5"; false: no such colour.
bool ParseColor(std::string_view text, Color* color);
Color CycleColor(size_t i);
// A value of 0 to 1 in a colour map: viridis, gray, hot, …; an unknown name is viridis.
Color MapColor(std::string_view map, double value);

struct Series {
  enum class Kind : uint8_t { kLine, kScatter, kBar, kImage, kText };
  Kind kind = Kind::kLine;
  std::vector<double> x, y;  // of a bar: its left edge, then low and high in `y`, `low`
  std::vector<double> low;   // bars: where they begin
  std::vector<double> sizes, widths;
  std::vector<double> levels;  // scatter: what the colour map shows
  std::vector<double> pixels;  // image: rows × cols × channels, 0 to 1 when channels > 1
  size_t rows = 0, cols = 0, channels = 1;
  double value_low = NAN, value_high = NAN;                 // of the colour map; NAN: of the data
  double left = NAN, right = NAN, bottom = NAN, top = NAN;  // where an image lies
  std::string map = "viridis", label, marker, style = "-", text;
  Color color;
  double width = 1.5, alpha = 1;
};

struct Axis {
  std::string label;
  double low = NAN, high = NAN;  // NAN: as the data
  bool log = false, hidden = false, flipped = false;
  std::vector<double> ticks;             // as given; empty with ticks_given: none
  std::vector<std::string> tick_labels;  // beside ticks
  bool ticks_given = false;
};

struct Axes {
  std::vector<Series> series;
  std::string title;
  Axis x, y;
  bool legend = false, grid = false, colorbar = false, equal = false, hidden = false;
  size_t row = 0, col = 0, rows = 1, cols = 1;
};

struct Figure {
  std::vector<Axes> axes;
  std::string title;
  double width = 640, height = 480;  // pixels
};

bool ParseFigure(const Json& json, Figure* figure);

// What is drawn: limits with a margin, ticks at round numbers.
struct Range {
  double low = 0, high = 1;
};
struct Frame {
  Range x, y;
  std::vector<double> x_ticks, y_ticks;
  std::vector<std::string> x_texts, y_texts;
};
Frame MakeFrame(const Axes& axes, size_t x_ticks, size_t y_ticks);
double Position(const Axis& axis, Range range, double value);  // 0 at low, 1 at high

Range LevelsOf(const Series& series);  // of the colour map

std::string ShortNumber(double value);

// Counts of a histogram with `bins` bins of one width: edges has one more.
void Histogram(const std::vector<double>& values, size_t bins, std::vector<double>* edges,
               std::vector<double>* counts);
Series HistogramSeries(const std::vector<double>& values, size_t bins);

}  // namespace tensh::shell::plot
