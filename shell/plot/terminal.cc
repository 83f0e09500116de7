#include "shell/plot/terminal.h"

#include <algorithm>
#include <cstdio>

#include "shell/plot/draw.h"
#include "shell/text/layout.h"

namespace tensh::shell::plot {
namespace {

constexpr size_t kMaxImageCols = 120;
constexpr const char* kSeriesMarks = "*o+x#@%&";
constexpr const char* kShades = " .:-=+*#%@";
constexpr const char* kBlocks[] = {" ", "░", "▒", "▓", "█"};

std::string Escape(const char* kind, Color c) {
  char text[40];
  std::snprintf(text, sizeof text, "\033[%s;2;%d;%d;%dm", kind, c.r, c.g, c.b);
  return text;
}

double Luma(Color c) { return (0.299 * c.r + 0.587 * c.g + 0.114 * c.b) / 255; }

// A grid of dots: two by four per character in braille, one per character in ASCII.
class Dots {
 public:
  Dots(size_t cols, size_t rows, const TerminalStyle& style)
      : cols_(cols), rows_(rows), style_(style), bits_(cols * rows, 0), series_(cols * rows, 0) {}
  size_t across() const { return cols_ * (style_.ascii ? 1 : 2); }
  size_t down() const { return rows_ * (style_.ascii ? 1 : 4); }

  void Set(double x, double y, size_t series) {
    if (!(x >= 0 && y >= 0 && x < static_cast<double>(across()) && y < static_cast<double>(down())))
      return;
    const auto dx = static_cast<size_t>(x), dy = static_cast<size_t>(y);
    const size_t wide = style_.ascii ? 1 : 2, high = style_.ascii ? 1 : 4;
    const size_t at = dy / high * cols_ + dx / wide;
    static constexpr unsigned char kBits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    bits_[at] = style_.ascii ? 1 : static_cast<unsigned char>(bits_[at] | kBits[dy % 4][dx % 2]);
    series_[at] = series;
  }

  void Line(Point a, Point b, size_t series) {
    if (!std::isfinite(a.x + a.y + b.x + b.y)) return;
    const double steps = std::max(std::abs(b.x - a.x), std::abs(b.y - a.y));
    if (steps > 1e5) return;
    const int n = std::max(1, static_cast<int>(std::ceil(steps)));
    for (int i = 0; i <= n; ++i) Set(a.x + (b.x - a.x) * i / n, a.y + (b.y - a.y) * i / n, series);
  }

  std::string Row(size_t row, const std::vector<Color>& colors) const {
    std::string out;
    size_t last = SIZE_MAX;
    for (size_t c = 0; c < cols_; ++c) {
      const size_t at = row * cols_ + c;
      if (bits_[at] != 0 && style_.color && series_[at] != last) {
        out += Escape("38", colors[series_[at]]);
        last = series_[at];
      }
      out += bits_[at] == 0 ? " "
             : style_.ascii ? std::string(1, kSeriesMarks[series_[at] % 8])
                            : Braille(bits_[at]);
    }
    return last == SIZE_MAX ? out : out + "\033[0m";
  }

 private:
  static std::string Braille(unsigned char bits) {
    return {static_cast<char>(0xe2), static_cast<char>(0xa0 | bits >> 6),
            static_cast<char>(0x80 | (bits & 63))};
  }
  size_t cols_, rows_;
  const TerminalStyle& style_;
  std::vector<unsigned char> bits_;
  std::vector<size_t> series_;
};

void PlotSeries(const Axes& axes, const Frame& frame, size_t index, Dots* dots) {
  const Series& s = axes.series[index];
  const auto place = [&](double x, double y) {
    return Point{Position(axes.x, frame.x, x) * (static_cast<double>(dots->across()) - 1),
                 (1 - Position(axes.y, frame.y, y)) * (static_cast<double>(dots->down()) - 1)};
  };
  if (s.kind == Series::Kind::kBar) {
    for (size_t i = 0; i < s.x.size(); ++i) {
      const double base = i < s.low.size() ? s.low[i] : 0;
      const double width = i < s.widths.size() ? s.widths[i] : 0.8;
      const Point a = place(s.x[i] + width * 0.05, s.y[i]), b = place(s.x[i] + width * 0.95, base);
      if (!std::isfinite(a.x + a.y + b.x + b.y) || s.y[i] == base) continue;
      const double bottom = std::min(std::max(a.y, b.y), static_cast<double>(dots->down()) - 1);
      const double left = std::max(std::ceil(std::min(a.x, b.x)), 0.0);
      const double right = std::min(std::max(a.x, b.x), static_cast<double>(dots->across()) - 1);
      for (double x = left; x <= std::max(left, right); ++x)
        for (double y = std::max(std::min(a.y, b.y), 0.0); y <= bottom; ++y) dots->Set(x, y, index);
    }
    return;
  }
  if (s.kind != Series::Kind::kLine && s.kind != Series::Kind::kScatter) return;
  const bool line =
      s.kind == Series::Kind::kLine && !s.style.empty() && s.style != "None" && s.style != " ";
  for (size_t i = 0; i < s.x.size(); ++i) {
    const Point p = place(s.x[i], s.y[i]);
    if (std::isfinite(p.x + p.y)) dots->Set(std::round(p.x), std::round(p.y), index);
    if (line && i > 0) dots->Line(place(s.x[i - 1], s.y[i - 1]), p, index);
  }
}

std::string Centered(const std::string& text, size_t width) {
  const size_t used = TextWidth(text);
  return std::string(used < width ? (width - used) / 2 : 0, ' ') + text;
}

std::string TickRow(const Axes& axes, const Frame& frame, size_t left, size_t cols) {
  std::string row(left + cols + 12, ' ');
  size_t free = 0;
  for (size_t i = 0; i < frame.x_ticks.size(); ++i) {
    const double part = Position(axes.x, frame.x, frame.x_ticks[i]);
    const std::string& text = frame.x_texts[i];
    if (!(part >= 0 && part <= 1) || TextWidth(text) != text.size() || text.size() > cols) continue;
    const size_t center =
        left + static_cast<size_t>(std::lround(part * static_cast<double>(cols - 1)));
    const size_t at = center >= text.size() / 2 ? center - text.size() / 2 : 0;
    if (at < free || at + text.size() > row.size()) continue;
    row.replace(at, text.size(), text);
    free = at + text.size() + 1;
  }
  row.erase(row.find_last_not_of(' ') + 1);
  return row;
}

std::string Legend(const Axes& axes, const TerminalStyle& style, const std::vector<Color>& colors) {
  std::string out;
  for (size_t i = 0; i < axes.series.size(); ++i) {
    const Series& s = axes.series[i];
    if (s.label.empty() || s.label[0] == '_') continue;
    const std::string mark = style.ascii ? std::string(1, kSeriesMarks[i % 8]) : "●";
    out += (out.empty() ? "" : "   ") +
           (style.color ? Escape("38", colors[i]) + mark + "\033[0m" : mark) + " " +
           Visible(s.label);
  }
  return out;
}

// Without colors, curves are drawn with different marks, so that they can be told apart.
std::string DrawCurves(const Axes& axes, TerminalStyle style) {
  const bool frame_ascii = style.ascii;
  if (axes.series.size() > 1 && !style.color) style.ascii = true;
  const size_t rows = std::max<size_t>(style.height, 4);
  const Frame frame =
      MakeFrame(axes, std::max<size_t>(style.width / 14, 2), std::max<size_t>(rows / 4, 2));
  size_t left = 0;
  for (const std::string& text : frame.y_texts) left = std::max(left, TextWidth(text));
  left = std::min(left, style.width / 3) + 2;
  const size_t cols = style.width > left + 11 ? style.width - left - 1 : 10;
  Dots dots(cols, rows, style);
  std::vector<Color> colors;
  for (size_t i = 0; i < axes.series.size(); ++i) {
    colors.push_back(axes.series[i].color);
    PlotSeries(axes, frame, i, &dots);
  }
  std::vector<std::string> labels(rows);
  for (size_t i = 0; i < frame.y_ticks.size(); ++i) {
    const double part = Position(axes.y, frame.y, frame.y_ticks[i]);
    if (!(part >= 0 && part <= 1)) continue;
    labels[static_cast<size_t>(std::lround((1 - part) * static_cast<double>(rows - 1)))] =
        frame.y_texts[i];
  }
  std::string out;
  for (size_t r = 0; r < rows; ++r) {
    std::string line =
        PadLeft(CutTo(labels[r], left - 2), left - 2) +
        (frame_ascii ? (labels[r].empty() ? " |" : " +") : (labels[r].empty() ? " │" : " ┤")) +
        dots.Row(r, colors);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  out += std::string(left - 1, ' ') + (frame_ascii ? "+" : "└") +
         Repeat(frame_ascii ? "-" : "─", cols) + "\n" + TickRow(axes, frame, left, cols) + "\n";
  const std::string legend = Legend(axes, style, colors);
  if (!axes.x.label.empty())
    out += std::string(left, ' ') + Centered(Visible(axes.x.label), cols) + "\n";
  return legend.empty() ? out : out + std::string(left, ' ') + legend + "\n";
}

// Returns the color of a cell: the mean of the pixels that it covers.
Color CellColor(const std::vector<Color>& colors, const Series& s, double y0, double y1, double x0,
                double x1) {
  unsigned r = 0, g = 0, b = 0, n = 0;
  const size_t row0 = std::min(static_cast<size_t>(y0), s.rows - 1),
               col0 = std::min(static_cast<size_t>(x0), s.cols - 1);
  const size_t row1 = std::clamp(static_cast<size_t>(std::ceil(y1)), row0 + 1, s.rows);
  const size_t col1 = std::clamp(static_cast<size_t>(std::ceil(x1)), col0 + 1, s.cols);
  for (size_t row = row0; row < row1; ++row) {
    for (size_t col = col0; col < col1; ++col) {
      const Color& c = colors[row * s.cols + col];
      r += c.r, g += c.g, b += c.b, ++n;
    }
  }
  return {static_cast<uint8_t>(r / n), static_cast<uint8_t>(g / n), static_cast<uint8_t>(b / n)};
}

std::string DrawImage(const Series& s, const TerminalStyle& style) {
  const std::vector<Color> colors = ImageColors(s);
  const size_t room = std::min(style.width > 2 ? style.width - 2 : 1, kMaxImageCols);
  const double aspect = static_cast<double>(s.rows) / static_cast<double>(s.cols);
  // A character is twice as high as wide, so small matrices get two columns per cell.
  size_t cols = s.cols * 2 <= room ? s.cols * 2 : room;
  size_t lines =
      static_cast<size_t>(std::lround(std::max(1.0, static_cast<double>(cols) * aspect / 2)));
  if (lines > 60) {
    cols = std::max<size_t>(static_cast<size_t>(120 / aspect), 1);
    lines = 60;
  }
  std::string out;
  for (size_t line = 0; line < lines; ++line) {
    out += " ";
    for (size_t c = 0; c < cols; ++c) {
      const double x0 = static_cast<double>(s.cols * c) / static_cast<double>(cols);
      const double x1 = static_cast<double>(s.cols * (c + 1)) / static_cast<double>(cols);
      const double high = static_cast<double>(s.rows) / static_cast<double>(lines);
      const double y0 = high * static_cast<double>(line);
      if (style.color) {
        out += Escape("38", CellColor(colors, s, y0, y0 + high / 2, x0, x1)) +
               Escape("48", CellColor(colors, s, y0 + high / 2, y0 + high, x0, x1)) + "▀";
        continue;
      }
      const double luma = Luma(CellColor(colors, s, y0, y0 + high, x0, x1));
      if (style.ascii) {
        out += kShades[std::min(static_cast<size_t>(luma * 10), size_t{9})];
      } else {
        out += kBlocks[std::min(static_cast<size_t>(luma * 5), size_t{4})];
      }
    }
    if (style.color) out += "\033[0m";
    out += "\n";
  }
  if (s.channels != 1) return out;
  const Range levels = LevelsOf(s);
  return out + " " + std::to_string(s.rows) + "×" + std::to_string(s.cols) + ", " +
         ShortNumber(levels.low) + " (dark) to " + ShortNumber(levels.high) + " (light)\n";
}

std::string DrawAxes(const Axes& axes, const TerminalStyle& style) {
  std::string out;
  const std::string title =
      axes.title.empty() ? "" : Centered(Visible(axes.title), style.width) + "\n";
  for (const Series& s : axes.series) {
    // A picture is at the left, and so is its title.
    if (s.kind == Series::Kind::kImage)
      return (title.empty() ? "" : " " + Visible(axes.title) + "\n") + DrawImage(s, style);
  }
  if (!axes.y.label.empty()) out += " " + Visible(axes.y.label) + "\n";
  return title + out + DrawCurves(axes, style);
}

}  // namespace

std::string RenderTerminal(const Figure& figure, const TerminalStyle& style) {
  std::string out;
  if (!figure.title.empty()) out += Centered(Visible(figure.title), style.width) + "\n";
  for (const Axes& axes : figure.axes) {
    if (!axes.series.empty() || !axes.title.empty()) out += DrawAxes(axes, style);
  }
  return style.ascii ? ToAscii(out) : out;
}

}  // namespace tensh::shell::plot
