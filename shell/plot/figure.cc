#include "shell/plot/figure.h"

#include <algorithm>
#include <cstdio>

#include "shell/text/json.h"

namespace tensh::shell::plot {
namespace {

constexpr size_t kMaxPixels = size_t{1} << 24;
constexpr size_t kMaxGrid = 64;

std::vector<double> Numbers(const Json& json) {
  std::vector<double> out;
  out.reserve(json.size());
  for (const Json& item : json.items()) out.push_back(item.as_float(NAN));
  return out;
}

struct KindRow {
  const char* name;
  Series::Kind kind;
};
constexpr KindRow kKinds[] = {{"line", Series::Kind::kLine},
                              {"scatter", Series::Kind::kScatter},
                              {"bar", Series::Kind::kBar},
                              {"image", Series::Kind::kImage},
                              {"text", Series::Kind::kText}};

void Text(const Json& json, std::string* to) {
  if (json.is_string()) *to = json.as_string();
}

// Returns false for an unknown kind, and if the sizes of the data do not match.
bool ParseSeries(const Json& json, size_t index, Series* series) {
  bool known = false;
  for (const KindRow& row : kKinds) {
    if (json["kind"].as_string() == row.name) series->kind = row.kind, known = true;
  }
  if (!known) return false;
  series->x = Numbers(json["x"]);
  series->y = Numbers(json["y"]);
  series->low = Numbers(json["low"]);
  series->sizes = Numbers(json["sizes"]);
  series->widths = Numbers(json["widths"]);
  series->levels = Numbers(json["levels"]);
  series->pixels = Numbers(json["pixels"]);
  series->rows = static_cast<size_t>(std::max<int64_t>(json["rows"].as_int(), 0));
  series->cols = static_cast<size_t>(std::max<int64_t>(json["cols"].as_int(), 0));
  series->channels = static_cast<size_t>(std::clamp<int64_t>(json["channels"].as_int(1), 1, 4));
  series->value_low = json["vmin"].as_float(NAN);
  series->value_high = json["vmax"].as_float(NAN);
  const std::vector<double> extent = Numbers(json["extent"]);
  if (extent.size() == 4)
    series->left = extent[0], series->right = extent[1], series->bottom = extent[2],
    series->top = extent[3];
  Text(json["map"], &series->map);
  Text(json["label"], &series->label);
  Text(json["marker"], &series->marker);
  Text(json["style"], &series->style);
  Text(json["text"], &series->text);
  series->color =
      CycleColor(static_cast<size_t>(json["index"].as_int(static_cast<int64_t>(index))));
  ParseColor(json["color"].as_string(), &series->color);
  series->width = std::clamp(json["width"].as_float(1.5), 0.0, 100.0);
  series->alpha = std::clamp(json["alpha"].as_float(1), 0.0, 1.0);
  if (series->kind != Series::Kind::kImage) return series->x.size() == series->y.size();
  return series->rows > 0 && series->cols > 0 && series->rows <= kMaxPixels &&
         series->cols <= kMaxPixels && series->rows * series->cols <= kMaxPixels &&
         series->pixels.size() == series->rows * series->cols * series->channels;
}

void ParseAxis(const Json& json, Axis* axis) {
  Text(json["label"], &axis->label);
  axis->low = json["low"].as_float(NAN);
  axis->high = json["high"].as_float(NAN);
  axis->log = json["log"].as_bool();
  axis->hidden = json["hidden"].as_bool();
  axis->flipped = json["flipped"].as_bool();
  axis->ticks_given = json["ticks"].is_array();
  axis->ticks = Numbers(json["ticks"]);
  for (const Json& text : json["texts"].items()) axis->tick_labels.push_back(text.as_string());
}

void Include(double value, bool log, Range* range, bool* any) {
  if (!std::isfinite(value) || (log && value <= 0)) return;
  range->low = *any ? std::min(range->low, value) : value;
  range->high = *any ? std::max(range->high, value) : value;
  *any = true;
}

double BarEnd(const Series& s, size_t i) {
  return s.x[i] + (i < s.widths.size() ? s.widths[i] : 0.8);
}

// The values that an axis must show, in the units of the data.
struct Extent {
  Range range;
  bool any = false;
  bool tight = false;  // An image: no margins.
  bool bars = false;
};

void IncludeSeries(const Series& s, const Axis& axis, bool horizontal, Extent* extent) {
  const auto include = [&](double value) {
    Include(value, axis.log, &extent->range, &extent->any);
  };
  if (s.kind == Series::Kind::kImage) {
    include(horizontal ? s.left : s.bottom);
    include(horizontal ? s.right : s.top);
    extent->tight = true;
    return;
  }
  for (const double value : horizontal ? s.x : s.y) include(value);
  if (s.kind != Series::Kind::kBar) return;
  extent->bars = true;
  for (size_t i = 0; i < s.x.size(); ++i)
    include(horizontal ? BarEnd(s, i) : i < s.low.size() ? s.low[i] : 0);
}

Range WithMargins(Range range, bool keep_low) {
  double margin = 0.05 * (range.high - range.low);
  if (!(margin > 0)) margin = std::max(std::abs(range.low) * 0.05, 0.05);
  if (!keep_low) range.low -= margin;
  range.high += margin;
  return range;
}

Range DataRange(const Axes& axes, bool horizontal) {
  const Axis& axis = horizontal ? axes.x : axes.y;
  Extent extent;
  for (const Series& s : axes.series) IncludeSeries(s, axis, horizontal, &extent);
  Range range = extent.any ? extent.range : axis.log ? Range{1, 10} : Range{0, 1};
  if (axis.log) range.low = std::log10(range.low), range.high = std::log10(range.high);
  // Bars that start at 0 touch the axis.
  const bool grounded = extent.bars && !horizontal && !axis.log && range.low == 0;
  if (!extent.tight) range = WithMargins(range, grounded);
  const auto given = [&](double value, double* to) {
    if (std::isfinite(value) && (!axis.log || value > 0))
      *to = axis.log ? std::log10(value) : value;
  };
  given(axis.low, &range.low);
  given(axis.high, &range.high);
  if (range.low == range.high) range.high = range.low + std::max(std::abs(range.low), 1.0);
  if (!std::isfinite(range.high - range.low)) range = {0, 1};
  return range;
}

// Returns the step between ticks: 1, 2, 2.5 or 5 times a power of ten, for at most `most` steps.
double NiceStep(double span, size_t most) {
  const double raw = span / static_cast<double>(std::max<size_t>(most, 1));
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double step : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    if (step * power >= raw * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

std::string TickText(double value, double step) {
  const int digits =
      std::clamp(static_cast<int>(std::ceil(-std::log10(std::abs(step)) - 1e-9)), 0, 10);
  const double half = step * 10 / std::pow(10, -digits);
  // A step such as 2.5 needs one more digit.
  const bool more = std::abs(half / 10 - std::round(half / 10)) > 1e-6;
  char text[64];
  if (std::abs(value) >= 1e6 || (std::abs(step) < 1e-4 && value != 0)) {
    std::snprintf(text, sizeof text, "%.3g", value);
  } else {
    std::snprintf(text, sizeof text, "%.*f", digits + (more ? 1 : 0), value);
  }
  return text;
}

void MakeTicks(const Axis& axis, Range range, size_t most, std::vector<double>* ticks,
               std::vector<std::string>* texts) {
  const double low = std::min(range.low, range.high), high = std::max(range.low, range.high);
  if (axis.ticks_given) {
    for (size_t i = 0; i < axis.ticks.size(); ++i) {
      const double at = axis.log ? std::log10(axis.ticks[i]) : axis.ticks[i];
      if (!(at >= low - 1e-9 && at <= high + 1e-9)) continue;
      ticks->push_back(axis.ticks[i]);
      texts->push_back(i < axis.tick_labels.size() ? axis.tick_labels[i]
                                                   : ShortNumber(axis.ticks[i]));
    }
    return;
  }
  const double step =
      axis.log ? std::max(1.0, std::ceil(NiceStep(high - low, most))) : NiceStep(high - low, most);
  if (!(step > 0) || !std::isfinite(step)) return;
  for (double i = std::ceil(low / step - 1e-9);
       i * step <= high + step * 1e-9 && ticks->size() < 50; ++i) {
    const double at = i == 0 ? 0 : i * step;
    ticks->push_back(axis.log ? std::pow(10, at) : at);
    texts->push_back(axis.log ? ShortNumber(std::pow(10, at)) : TickText(at, step));
  }
}

}  // namespace

bool ParseFigure(const Json& json, Figure* figure) {
  figure->title = json["title"].as_string();
  figure->width = std::clamp(json["width"].as_float(640), 50.0, 8000.0);
  figure->height = std::clamp(json["height"].as_float(480), 50.0, 8000.0);
  for (const Json& each : json["axes"].items()) {
    Axes axes;
    axes.title = each["title"].as_string();
    ParseAxis(each["x"], &axes.x);
    ParseAxis(each["y"], &axes.y);
    axes.legend = each["legend"].as_bool();
    axes.grid = each["grid"].as_bool();
    axes.colorbar = each["colorbar"].as_bool();
    axes.equal = each["equal"].as_bool();
    axes.hidden = each["hidden"].as_bool();
    const auto index = [&](const char* key, int64_t least) {
      return static_cast<size_t>(std::clamp<int64_t>(each[key].as_int(least), least, kMaxGrid));
    };
    axes.rows = index("rows", 1), axes.cols = index("cols", 1);
    axes.row = std::min(index("row", 0), axes.rows - 1),
    axes.col = std::min(index("col", 0), axes.cols - 1);
    axes.row_span = std::min(index("row_span", 1), axes.rows - axes.row);
    axes.col_span = std::min(index("col_span", 1), axes.cols - axes.col);
    for (const Json& s : each["series"].items()) {
      Series series;
      if (!ParseSeries(s, axes.series.size(), &series)) return false;
      axes.series.push_back(std::move(series));
    }
    figure->axes.push_back(std::move(axes));
  }
  return true;
}

Frame MakeFrame(const Axes& axes, size_t x_ticks, size_t y_ticks) {
  Frame frame;
  frame.x = DataRange(axes, true);
  frame.y = DataRange(axes, false);
  if (axes.x.flipped) std::swap(frame.x.low, frame.x.high);
  if (axes.y.flipped) std::swap(frame.y.low, frame.y.high);
  MakeTicks(axes.x, frame.x, x_ticks, &frame.x_ticks, &frame.x_texts);
  MakeTicks(axes.y, frame.y, y_ticks, &frame.y_ticks, &frame.y_texts);
  return frame;
}

double Position(const Axis& axis, Range range, double value) {
  if (axis.log) value = value > 0 ? std::log10(value) : NAN;
  return (value - range.low) / (range.high - range.low);
}

Range LevelsOf(const Series& series) {
  Range range;
  bool any = false;
  for (const double value : series.kind == Series::Kind::kImage ? series.pixels : series.levels)
    Include(value, false, &range, &any);
  if (std::isfinite(series.value_low)) range.low = series.value_low;
  if (std::isfinite(series.value_high)) range.high = series.value_high;
  if (!(range.high > range.low)) range.high = range.low + 1;
  return range;
}

std::string ShortNumber(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

void Histogram(const std::vector<double>& values, size_t bins, std::vector<double>* edges,
               std::vector<double>* counts) {
  Range range;
  bool any = false;
  for (const double value : values) Include(value, false, &range, &any);
  if (!any) range = {0, 1};
  if (range.low == range.high) range.low -= 0.5, range.high += 0.5;
  bins = std::clamp<size_t>(bins, 1, 100000);
  const double width = (range.high - range.low) / static_cast<double>(bins);
  counts->assign(bins, 0);
  for (size_t i = 0; i <= bins; ++i) edges->push_back(range.low + width * static_cast<double>(i));
  for (const double value : values) {
    if (!std::isfinite(value) || !(width > 0) || !std::isfinite(width)) continue;
    const double at = (value - range.low) / width;
    ++(*counts)[std::min(static_cast<size_t>(std::max(at, 0.0)), bins - 1)];
  }
}

Series HistogramSeries(const std::vector<double>& values, size_t bins) {
  std::vector<double> edges;
  Series series;
  series.kind = Series::Kind::kBar;
  series.color = CycleColor(0);
  Histogram(values, bins, &edges, &series.y);
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    series.x.push_back(edges[i]);
    series.widths.push_back(edges[i + 1] - edges[i]);
    series.low.push_back(0);
  }
  return series;
}

}  // namespace tensh::shell::plot
