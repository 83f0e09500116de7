#include "shell/plot/draw.h"

#include <algorithm>

namespace tensh::shell::plot {
namespace {

constexpr double kText = 12, kTitle = 14;
constexpr Color kFrame{60, 60, 60}, kGrid{220, 220, 220};

struct Box {
  double x = 0, y = 0, w = 0, h = 0;
};

const char* DashOf(const std::string& style) {
  if (style == "--" || style == "dashed") return "6,4";
  if (style == ":" || style == "dotted") return "1.5,3";
  if (style == "-." || style == "dashdot") return "6,3,1.5,3";
  return "";
}

bool HasLine(const Series& s) {
  return s.kind == Series::Kind::kLine && s.style != "" && s.style != "None" && s.style != " ";
}

class AxesDrawing {
 public:
  AxesDrawing(const Axes& axes, Box cell, Canvas& canvas)
      : axes_(axes),
        cell_(cell),
        canvas_(canvas),
        frame_(MakeFrame(axes, static_cast<size_t>(std::clamp(cell.w / 80, 2.0, 10.0)),
                         static_cast<size_t>(std::clamp(cell.h / 50, 2.0, 8.0)))) {
    size_t widest = 1;
    if (!axes.y.hidden)
      for (const std::string& text : frame_.y_texts) widest = std::max(widest, text.size());
    const double left =
        axes.hidden ? 6 : 14 + 7 * static_cast<double>(widest) + (axes.y.label.empty() ? 0 : 18);
    const double bottom = axes.hidden ? 6 : 26 + (axes.x.label.empty() ? 0 : 18);
    const double top = axes.title.empty() ? 12 : 30;
    const double right = axes.colorbar ? 76 : 14;
    box_ = {cell.x + left, cell.y + top, std::max(cell.w - left - right, 8.0),
            std::max(cell.h - top - bottom, 8.0)};
    if (axes.equal) MakeEqual();
  }

  void Draw() {
    if (axes_.grid) DrawGrid();
    canvas_.Clip(box_.x, box_.y, box_.w, box_.h);
    for (const Series& series : axes_.series) DrawSeries(series);
    canvas_.Unclip();
    if (!axes_.hidden) DrawFrame();
    if (!axes_.title.empty())
      canvas_.Text({box_.x + box_.w / 2, box_.y - 8}, axes_.title, kTitle, Anchor::kMiddle, false);
    if (axes_.legend) DrawLegend();
    if (axes_.colorbar) DrawColorbar();
  }

 private:
  // Makes one unit equally long on both axes, as images require.
  void MakeEqual() {
    const double across = std::abs(frame_.x.high - frame_.x.low),
                 up = std::abs(frame_.y.high - frame_.y.low);
    if (!(across > 0) || !(up > 0)) return;
    const double scale = std::min(box_.w / across, box_.h / up);
    const double w = std::max(across * scale, 2.0), h = std::max(up * scale, 2.0);
    box_ = {box_.x + (box_.w - w) / 2, box_.y + (box_.h - h) / 2, w, h};
  }

  double X(double value) const { return box_.x + box_.w * Position(axes_.x, frame_.x, value); }
  double Y(double value) const {
    return box_.y + box_.h * (1 - Position(axes_.y, frame_.y, value));
  }

  void DrawGrid() {
    const Pen pen{kGrid, 1, 1, ""};
    for (const double tick : frame_.x_ticks)
      canvas_.Line({{X(tick), box_.y}, {X(tick), box_.y + box_.h}}, pen);
    for (const double tick : frame_.y_ticks)
      canvas_.Line({{box_.x, Y(tick)}, {box_.x + box_.w, Y(tick)}}, pen);
  }

  void DrawFrame() {
    const Pen pen{kFrame, 1, 1, ""};
    const double right = box_.x + box_.w, low = box_.y + box_.h;
    canvas_.Line({{box_.x, box_.y}, {right, box_.y}, {right, low}, {box_.x, low}, {box_.x, box_.y}},
                 pen);
    for (size_t i = 0; i < frame_.x_ticks.size() && !axes_.x.hidden; ++i) {
      const double x = X(frame_.x_ticks[i]);
      canvas_.Line({{x, low}, {x, low + 4}}, pen);
      canvas_.Text({x, low + 17}, frame_.x_texts[i], kText, Anchor::kMiddle, false);
    }
    for (size_t i = 0; i < frame_.y_ticks.size() && !axes_.y.hidden; ++i) {
      const double y = Y(frame_.y_ticks[i]);
      canvas_.Line({{box_.x - 4, y}, {box_.x, y}}, pen);
      canvas_.Text({box_.x - 7, y + 4}, frame_.y_texts[i], kText, Anchor::kEnd, false);
    }
    if (!axes_.x.label.empty())
      canvas_.Text({box_.x + box_.w / 2, cell_.y + cell_.h - 6}, axes_.x.label, kText,
                   Anchor::kMiddle, false);
    if (!axes_.y.label.empty())
      canvas_.Text({cell_.x + 14, box_.y + box_.h / 2}, axes_.y.label, kText, Anchor::kMiddle,
                   true);
  }

  void DrawSeries(const Series& s) {
    if (s.kind == Series::Kind::kImage) return DrawImage(s);
    if (s.kind == Series::Kind::kBar) return DrawBars(s);
    if (s.kind == Series::Kind::kText) {
      if (!s.x.empty()) canvas_.Text({X(s.x[0]), Y(s.y[0])}, s.text, kText, Anchor::kStart, false);
      return;
    }
    if (HasLine(s)) DrawLine(s);
    if (s.kind == Series::Kind::kScatter || !s.marker.empty()) DrawMarkers(s);
  }

  // Leaves a gap where a value is not finite.
  void DrawLine(const Series& s) {
    const Pen pen{s.color, s.width, s.alpha, DashOf(s.style)};
    std::vector<Point> points;
    for (size_t i = 0; i <= s.x.size(); ++i) {
      const Point p = i < s.x.size() ? Point{X(s.x[i]), Y(s.y[i])} : Point{NAN, NAN};
      if (std::isfinite(p.x) && std::isfinite(p.y)) {
        points.push_back(p);
        continue;
      }
      if (points.size() > 1) canvas_.Line(points, pen);
      points.clear();
    }
  }

  void DrawMarkers(const Series& s) {
    const Range levels = LevelsOf(s);
    for (size_t i = 0; i < s.x.size(); ++i) {
      const Point p{X(s.x[i]), Y(s.y[i])};
      if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
      const double area = i < s.sizes.size() ? s.sizes[i] : s.sizes.size() == 1 ? s.sizes[0] : 36;
      const double radius = s.kind == Series::Kind::kScatter
                                ? std::clamp(std::sqrt(std::abs(area)) / 2, 0.5, 60.0)
                            : s.marker == "." || s.marker == "," ? 2
                                                                 : 3.5;
      const Color color =
          i < s.levels.size()
              ? MapColor(s.map, (s.levels[i] - levels.low) / (levels.high - levels.low))
              : s.color;
      DrawMarker(s, p, radius, color);
    }
  }

  void DrawMarker(const Series& s, Point p, double r, Color color) {
    const Pen pen{color, 1.5, s.alpha, ""};
    if (s.marker == "x" || s.marker == "+" || s.marker == "*") {
      const double d = s.marker == "x" ? r : 0, e = s.marker == "x" ? r : 0;
      if (s.marker != "+") {
        const double k = d > 0 ? d : r * 0.7;
        canvas_.Line({{p.x - k, p.y - k}, {p.x + k, p.y + k}}, pen);
        canvas_.Line({{p.x - k, p.y + k}, {p.x + k, p.y - k}}, pen);
      }
      if (e == 0) {
        canvas_.Line({{p.x - r, p.y}, {p.x + r, p.y}}, pen);
        canvas_.Line({{p.x, p.y - r}, {p.x, p.y + r}}, pen);
      }
      return;
    }
    if (s.marker == "s" || s.marker == "D")
      return canvas_.Box(p.x - r, p.y - r, 2 * r, 2 * r, color, s.alpha);
    if (s.marker == "^" || s.marker == "v") {
      const double t = s.marker == "^" ? -r : r;
      return canvas_.Line(
          {{p.x - r, p.y - t}, {p.x + r, p.y - t}, {p.x, p.y + t}, {p.x - r, p.y - t}}, pen);
    }
    canvas_.Disc(p, r, color, s.alpha);
  }

  void DrawBars(const Series& s) {
    for (size_t i = 0; i < s.x.size(); ++i) {
      const double x0 = X(s.x[i]), x1 = X(s.x[i] + (i < s.widths.size() ? s.widths[i] : 0.8));
      const double base = i < s.low.size() ? s.low[i] : 0;
      const double y0 = axes_.y.log && base <= 0 ? box_.y + box_.h : Y(base), y1 = Y(s.y[i]);
      if (!std::isfinite(x0 + x1 + y0 + y1)) continue;
      canvas_.Box(std::min(x0, x1), std::min(y0, y1), std::max(std::abs(x1 - x0) - 0.5, 0.5),
                  std::abs(y1 - y0), s.color, s.alpha);
    }
  }

  void DrawImage(const Series& s) {
    const double x0 = X(s.left), x1 = X(s.right), y0 = Y(s.top), y1 = Y(s.bottom);
    if (!std::isfinite(x0 + x1 + y0 + y1)) return;
    std::vector<Color> colors = ImageColors(s);
    if (y0 > y1) {
      for (size_t r = 0; r < s.rows / 2; ++r)
        std::swap_ranges(colors.begin() + static_cast<std::ptrdiff_t>(r * s.cols),
                         colors.begin() + static_cast<std::ptrdiff_t>((r + 1) * s.cols),
                         colors.begin() + static_cast<std::ptrdiff_t>((s.rows - 1 - r) * s.cols));
    }
    canvas_.Image(std::min(x0, x1), std::min(y0, y1), std::abs(x1 - x0), std::abs(y1 - y0), s.rows,
                  s.cols, colors);
  }

  void DrawLegend() {
    std::vector<const Series*> named;
    size_t widest = 0;
    for (const Series& s : axes_.series) {
      if (s.label.empty() || s.label[0] == '_') continue;
      named.push_back(&s);
      widest = std::max(widest, s.label.size());
    }
    if (named.empty()) return;
    const double w = 44 + 7 * static_cast<double>(widest),
                 h = 8 + 17 * static_cast<double>(named.size());
    const double x = box_.x + box_.w - w - 6;
    double y = box_.y + 6;
    canvas_.Box(x, y, w, h, kWhite, 0.85);
    canvas_.Line({{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}, {x, y}}, {kGrid, 1, 1, ""});
    for (const Series* s : named) {
      y += 17;
      if (s->kind == Series::Kind::kBar) canvas_.Box(x + 6, y - 8, 24, 8, s->color, s->alpha);
      if (HasLine(*s))
        canvas_.Line({{x + 6, y - 4}, {x + 30, y - 4}},
                     {s->color, s->width, s->alpha, DashOf(s->style)});
      if (s->kind == Series::Kind::kScatter || !s->marker.empty())
        DrawMarker(*s, {x + 18, y - 4}, 3.5, s->color);
      canvas_.Text({x + 36, y}, s->label, kText, Anchor::kStart, false);
    }
  }

  void DrawColorbar() {
    const Series* mapped = nullptr;
    for (const Series& s : axes_.series) {
      if ((s.kind == Series::Kind::kImage && s.channels == 1) || !s.levels.empty()) mapped = &s;
    }
    if (mapped == nullptr) return;
    constexpr size_t kSteps = 64;
    std::vector<Color> colors;
    for (size_t i = 0; i < kSteps; ++i)
      colors.push_back(MapColor(mapped->map, 1 - static_cast<double>(i) / (kSteps - 1)));
    const double x = box_.x + box_.w + 12;
    canvas_.Image(x, box_.y, 14, box_.h, kSteps, 1, colors);
    const Range levels = LevelsOf(*mapped);
    for (int i = 0; i <= 4; ++i) {
      const double part = i / 4.0;
      canvas_.Text({x + 18, box_.y + box_.h * (1 - part) + 4},
                   ShortNumber(levels.low + (levels.high - levels.low) * part), kText - 1,
                   Anchor::kStart, false);
    }
  }

  const Axes& axes_;
  Box cell_, box_;
  Canvas& canvas_;
  Frame frame_;
};

}  // namespace

std::vector<Color> ImageColors(const Series& series) {
  std::vector<Color> colors;
  colors.reserve(series.rows * series.cols);
  const Range levels = LevelsOf(series);
  const auto level = [](double value) {
    return static_cast<uint8_t>(
        std::lround(255 * std::clamp(std::isfinite(value) ? value : 0.0, 0.0, 1.0)));
  };
  for (size_t i = 0; i < series.rows * series.cols; ++i) {
    const double* p = &series.pixels[i * series.channels];
    if (series.channels >= 3) {
      colors.push_back({level(p[0]), level(p[1]), level(p[2])});
    } else {
      colors.push_back(MapColor(series.map, (p[0] - levels.low) / (levels.high - levels.low)));
    }
  }
  return colors;
}

void Draw(const Figure& figure, Canvas& canvas) {
  canvas.Box(0, 0, figure.width, figure.height, kWhite, 1);
  const double top = figure.title.empty() ? 4 : 28;
  if (!figure.title.empty())
    canvas.Text({figure.width / 2, 20}, figure.title, kTitle + 1, Anchor::kMiddle, false);
  for (const Axes& axes : figure.axes) {
    const double w = figure.width / static_cast<double>(axes.cols);
    const double h = (figure.height - top) / static_cast<double>(axes.rows);
    AxesDrawing(axes,
                {w * static_cast<double>(axes.col), top + h * static_cast<double>(axes.row),
                 w * static_cast<double>(axes.col_span), h * static_cast<double>(axes.row_span)},
                canvas)
        .Draw();
  }
}

}  // namespace tensh::shell::plot
