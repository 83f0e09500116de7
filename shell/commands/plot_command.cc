// The verbs `plot` and `show`: draw curves and pictures.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "shell/commands/base/command.h"
#include "shell/commands/base/live.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/value_json.h"
#include "shell/plot/draw.h"
#include "shell/plot/terminal.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"
#include "shell/text/theme.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxNumbers = size_t{1} << 24;
constexpr size_t kTilesAcross = 8, kMaxTiles = 64;
constexpr size_t kBins = 30;

// An array's numbers in row-major order.
struct Numbers {
  std::vector<size_t> shape;
  std::vector<double> values;
};

void Collect(const Json& json, size_t depth, Numbers* out) {
  if (!json.is_array()) {
    if (depth != out->shape.size()) throw ValueError("the rows differ in length");
    double number =
        json.kind() == Json::Kind::kBool ? (json.as_bool() ? 1 : 0) : json.as_float(NAN);
    if (json.is_string()) {  // the strings "nan" and "inf", or other text
      const std::string& text = json.as_string();
      if (text != "nan" && text != "inf" && text != "-inf")
        throw TypeError("text cannot be drawn: " + CutTo(JsonQuote(text), 40));
      number = text == "nan" ? NAN : text == "inf" ? INFINITY : -INFINITY;
    }
    return out->values.push_back(number);
  }
  if (out->values.empty() && depth == out->shape.size()) out->shape.push_back(json.size());
  if (depth >= out->shape.size() || json.size() != out->shape[depth])
    throw ValueError("the rows differ in length");
  if (out->values.size() + json.size() > kMaxNumbers) throw ValueError("too many numbers to draw");
  for (const Json& item : json.items()) Collect(item, depth + 1, out);
}

// Returns the value of a dict with one entry, which is what a signature with one output returns.
Value OnlyOutput(const Value& value, std::string_view verb, std::string_view piece) {
  const auto* outputs = As<DictObject>(value);
  if (outputs == nullptr || outputs->dict.size() == 0) return value;
  size_t first = 0;
  const Dict::Entry* entry = outputs->dict.At(&first);
  if (outputs->dict.size() == 1) return entry->value;
  throw TypeError("this has " + Count(static_cast<int64_t>(outputs->dict.size()), "value") +
                  " with names")
      .Type(std::string(verb) + " " + std::string(piece) + "[" + Repr(entry->key) + "]");
}

Numbers ToNumbers(const Value& given, std::string_view verb, std::string_view piece) {
  const Value value = OnlyOutput(given, verb, piece);
  Numbers out;
  bool ok = false;
  // The rows of a table draw their columns of numbers (shell/python/library/rows.py).
  const Value numbers = FindAttr(value, Intern("_numbers"));
  const Json json = Json::Parse(ValueJson(numbers.is_null() ? value : Call(numbers, {})), &ok);
  if (!ok || json.is_null()) throw TypeError("cannot draw a '" + TypeName(value) + "' object");
  Collect(json, 0, &out);
  return out;
}

plot::Series Curve(std::vector<double> y, size_t index) {
  plot::Series series;
  series.color = plot::CycleColor(index);
  for (size_t i = 0; i < y.size(); ++i) series.x.push_back(static_cast<double>(i));
  series.y = std::move(y);
  return series;
}

void ShowFigure(CommandCall& call, const plot::Figure& figure) {
  Shell& shell = call.shell();
  if (IsLive()) PublishPlot(plot::RenderSvg(figure));
  const auto svg = [&] { return plot::RenderSvg(figure); };
  if (call.Has("--svg")) return shell.out().PrintRich(svg(), "image/svg+xml", svg);
  if (call.Has("--png")) {
    if (call.file().empty()) call.Misused("a PNG goes into a file: --png > plot.png");
    return shell.out().Print(plot::RenderPng(figure));
  }
  const bool ascii = shell.options().ascii || call.Has("--ascii");
  const bool color = isatty(STDOUT_FILENO) != 0 && WantsColor() && !ascii && call.file().empty();
  const size_t width = shell.out().width() == 0 ? 80 : std::min<size_t>(shell.out().width(), 160);
  shell.out().PrintRich(
      plot::RenderTerminal(figure, {.width = width, .color = color, .ascii = ascii}),
      "image/svg+xml", svg);
}

void RunPlot(CommandCall& call) {
  Shell& shell = call.shell();
  plot::Figure figure;
  plot::Axes axes;
  if (const Watch* watch = shell.watches().FindNumbers(call.text())) {
    axes.series.push_back(Curve(watch->numbers, 0));
    axes.title = std::string(call.text());
    axes.x.label = "step";
    figure.axes.push_back(std::move(axes));
    return ShowFigure(call, figure);
  }
  const RunRequest request = ParseRun(call, call.text());
  std::vector<Numbers> values;
  for (size_t i = 0; i < request.fetches.size(); ++i)
    values.push_back(At(shell, request.pieces[i], [&] {
      return ToNumbers(EvalFetch(shell, request, i), "plot", request.pieces[i]);
    }));
  // `plot x, y` draws y over x. If x is increasing, several curves can share it.
  const auto beside = [&](const Numbers& v) {
    return v.shape.size() == 1 && v.shape == values[0].shape;
  };
  const bool rises =
      std::is_sorted(values[0].values.begin(), values[0].values.end(), std::less_equal<>());
  const bool pair = values.size() > 1 && std::all_of(values.begin(), values.end(), beside) &&
                    (values.size() == 2 || rises) && !call.Has("--hist");
  for (size_t i = pair ? 1 : 0; i < values.size(); ++i) {
    At(shell, request.pieces[i], [&] {
      Numbers& v = values[i];
      if (v.shape.empty())
        throw ValueError("one number is not a curve")
            .Hint("A curve of its values: watch " + std::string(request.pieces[i]) +
                  ", then run … times 100 and plot " + std::string(request.pieces[i]));
      if (v.shape.size() > 2)
        throw ValueError("plot draws one or two dimensions")
            .Type("show " + std::string(call.text()));
      if (call.Has("--hist")) return axes.series.push_back(plot::HistogramSeries(v.values, kBins));
      const size_t curves = v.shape.size() == 2 ? v.shape[1] : 1;
      if (curves > 20)
        throw ValueError("that would be " + Digits(static_cast<int64_t>(curves)) + " curves")
            .Type("show " + std::string(call.text()));
      for (size_t c = 0; c < curves; ++c) {
        std::vector<double> y;
        for (size_t k = c; k < v.values.size(); k += curves) y.push_back(v.values[k]);
        axes.series.push_back(Curve(std::move(y), axes.series.size()));
        if (pair) axes.series.back().x = values[0].values;
        if (curves > 1 || values.size() > (pair ? 2U : 1U))
          axes.series.back().label =
              std::string(request.pieces[i]) + (curves > 1 ? "[:," + std::to_string(c) + "]" : "");
      }
    });
  }
  axes.title = std::string(request.pieces[pair ? 1 : 0]);
  if (pair) axes.x.label = std::string(request.pieces[0]);
  axes.legend = axes.series.size() > 1;
  figure.axes.push_back(std::move(axes));
  ShowFigure(call, figure);
}

plot::Series ImageOf(std::vector<double> pixels, size_t rows, size_t cols, size_t channels) {
  plot::Series image;
  image.kind = plot::Series::Kind::kImage;
  image.rows = rows, image.cols = cols, image.channels = channels;
  image.left = -0.5, image.right = static_cast<double>(cols) - 0.5;
  image.top = -0.5, image.bottom = static_cast<double>(rows) - 0.5;
  // Pixels above 1.5 mean that the levels are 0 to 255.
  if (channels > 1 && std::any_of(pixels.begin(), pixels.end(), [](double v) { return v > 1.5; }))
    for (double& v : pixels) v /= 255;
  image.pixels = std::move(pixels);
  return image;
}

// Arranges a batch [n, rows, cols, channels] as tiles of one image.
plot::Series Tiles(const Numbers& v) {
  const size_t n = std::min(v.shape[0], kMaxTiles), rows = v.shape[1], cols = v.shape[2],
               channels = v.shape[3];
  const size_t across = std::min(n, kTilesAcross), down = (n + across - 1) / across;
  std::vector<double> pixels(down * rows * across * cols * channels, 0);
  for (size_t i = 0; i < n; ++i) {
    for (size_t r = 0; r < rows; ++r) {
      const size_t to = ((i / across * rows + r) * across + i % across) * cols * channels;
      std::copy_n(v.values.begin() + static_cast<std::ptrdiff_t>((i * rows + r) * cols * channels),
                  cols * channels, pixels.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
  return ImageOf(std::move(pixels), down * rows, across * cols, channels);
}

bool IsImage(const Numbers& v) {
  const size_t channels = v.shape.back();
  return channels == 1 || channels == 3 || channels == 4;
}

// Returns the index of a part that can be shown: "[0][0]".
std::string FirstPart(const Numbers& v) {
  std::string index;
  size_t rank = v.shape.size();
  for (; rank > 2 && (rank > 4 || !IsImage(v)); --rank) index += "[0]";
  return index;
}

void ShowOne(CommandCall& call, Numbers v, std::string_view piece) {
  if (v.values.empty()) throw ValueError("the tensor has no elements to show");
  // A batch of one, or one channel before the rows, as in models of ONNX.
  while (v.shape.size() > 2 && v.shape[0] == 1 && !IsImage(v)) v.shape.erase(v.shape.begin());
  if (v.shape.empty())
    throw ValueError("one number is not a picture").Type("eval " + std::string(piece));
  plot::Figure figure;
  plot::Axes axes;
  axes.title = std::string(piece);
  const size_t rank = v.shape.size();
  if (rank == 1) {
    axes.series.push_back(
        plot::HistogramSeries(v.values, std::min(kBins, std::max<size_t>(v.values.size() / 2, 5))));
    axes.title += ": histogram of " + Count(static_cast<int64_t>(v.values.size()), "value");
  } else if (rank == 2 || ((rank == 3 || rank == 4) && IsImage(v))) {
    if (rank == 4) {
      axes.series.push_back(Tiles(v));
    } else {
      axes.series.push_back(
          ImageOf(std::move(v.values), v.shape[0], v.shape[1], rank == 3 ? v.shape[2] : 1));
    }
    if (rank > 2) axes.series.back().map = "gray";
    axes.y.flipped = axes.equal = true;
    axes.colorbar = axes.series.back().channels == 1;
  } else {
    throw ValueError("show draws a vector, a matrix, or images [h,w,1|3|4] and [n,h,w,1|3|4]")
        .Hint("Take a part: show " + std::string(piece) + FirstPart(v));
  }
  figure.axes.push_back(std::move(axes));
  ShowFigure(call, figure);
}

void RunShow(CommandCall& call) {
  Shell& shell = call.shell();
  const RunRequest request = ParseRun(call, call.text());
  for (size_t i = 0; i < request.fetches.size(); ++i) {
    At(shell, request.pieces[i], [&] {
      ShowOne(call, ToNumbers(EvalFetch(shell, request, i), "show", request.pieces[i]),
              request.pieces[i]);
    });
  }
}

constexpr CommandExample kPlotExamples[] = {
    {"x = np.linspace(0., 6., 50)\nplot x, np.sin(x) --ascii", nullptr},
    {"plot [1, 4, 9, 16] --svg", nullptr},
};
constexpr CommandExample kShowExamples[] = {
    {"show [[0., 1.], [2., 3.]] --ascii", nullptr},
};

}  // namespace

void RegisterCommand_plot(CommandRegistry& r) {
  r.Add(
      {.name = "plot",
       .usage =
           "plot EXPR[, …] [feed X=…, …] [on SESSION] [--hist] [--ascii] [--svg] [--png] [> FILE]",
       .summary = "Draw curves: a vector, the columns of a matrix, Y over X, or a watched value "
                  "over the steps.",
       .help = "`plot x, y` draws y over x, and --hist draws a histogram. After `watch loss` and "
               "`run … times N`, `plot\nloss` draws its curve. The terminal uses braille "
               "characters, or ASCII with --ascii. `plot loss > "
               "loss.svg`\nwrites a file, and so do .png and .txt.",
       .examples = kPlotExamples,
       .complete = "expr",
       .run = RunPlot});
  r.Add({.name = "show",
         .usage = "show EXPR[, …] [feed X=…, …] [on SESSION] [--ascii] [--svg] [--png] [> FILE]",
         .summary =
             "Draw a tensor as a picture: a histogram, a heat map, an image or a batch of images.",
         .help = "A vector becomes a histogram and a matrix a heat map. The terminal draws with "
                 "colored half blocks, or\nwith shading characters if it has no color. `> "
                 "FILE.svg` and `> FILE.png` write files.",
         .examples = kShowExamples,
         .complete = "expr",
         .run = RunShow});
}

}  // namespace tensh::shell
