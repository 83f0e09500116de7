#include "shell/commands/base/pyplot.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "shell/commands/base/live.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/value_json.h"
#include "shell/plot/draw.h"
#include "shell/plot/terminal.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/type.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/library.h"
#include "shell/session/display.h"
#include "shell/session/output.h"
#include "shell/text/json.h"
#include "shell/text/theme.h"

namespace tensh::shell {
namespace {

// A stand-in for the parts of matplotlib besides pyplot (animation, ticker, …). Every attribute and
// call returns another stand-in.
class PlotObject : public Object {
 public:
  static const TypeInfo kType;
  PlotObject() : Object(kType) {}
};

Value Another() { return New<PlotObject>(); }

void SayOnce(const char* text) {
  static const Interp* said = nullptr;
  Interp& interp = Interp::Current();
  if (said == &interp) return;
  said = &interp;
  interp.Flush();
  interp.WriteError(text);
}

const TypeInfo MakeType() {
  TypeInfo type;
  type.name = "Plot";
  type.module = "matplotlib";
  type.repr = [](const Value&) { return std::string("<part of matplotlib that draws nothing>"); };
  type.getattr = [](const Value&, StrObject* name) {
    const bool internal = name->view().substr(0, 2) == "__";
    return internal ? Value() : Another();
  };
  type.setattr = [](const Value&, StrObject*, const Value&) { return true; };
  type.getitem = [](const Value&, const Value&) { return Another(); };
  type.call = [](const Value&, const CallArgs&) { return Another(); };
  type.enter = [](const Value& self) { return self; };
  type.exit = [](const Value&, const Value&) { return false; };
  return type;
}

const TypeInfo PlotObject::kType = MakeType();

plot::Figure FigureOf(const Value& spec) {
  plot::Figure figure;
  bool ok = false;
  const Json json = Json::Parse(ValueJson(spec), &ok);
  if (!ok || !plot::ParseFigure(json, &figure)) throw ValueError("this figure cannot be drawn");
  return figure;
}

bool g_ascii = false;

// Tells whether show() would draw: only on a page, in a notebook or in a terminal, so that a script
// in a pipe prints what it prints under CPython.
Value Seen(Args&) {
  const bool page = IsLive() || Display::Current() != nullptr;
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  if (!page && !terminal) {
    SayOnce(
        "plt.show(): figures show in a terminal; plt.savefig(\"plot.svg\") or (\"plot.png\") "
        "writes a file\n");
  }
  return Value::Bool(page || terminal);
}

Value Show(Args& a) {
  const plot::Figure figure = FigureOf(a[0]);
  if (IsLive()) PublishPlot(plot::RenderSvg(figure));
  if (Display* display = Display::Current()) {
    display->Show({.text = "<Figure>", .mime = "image/svg+xml", .data = plot::RenderSvg(figure)});
    return Value::None();
  }
  if (isatty(STDOUT_FILENO) == 0) return Value::None();
  winsize size{};
  size_t width = 80;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
    width = std::min<size_t>(size.ws_col, 160);
  Interp::Current().Write(plot::RenderTerminal(
      figure, {.width = width, .color = WantsColor() && !g_ascii, .ascii = g_ascii}));
  return Value::None();
}

std::string Drawn(const plot::Figure& figure, std::string_view kind) {
  return kind == "svg" ? plot::RenderSvg(figure) : plot::RenderPng(figure);
}

Value Draw(Args& a) { return MakeBytes(Drawn(FigureOf(a[0]), StrView(a[1]))); }

Value Pixels(Args& a) {
  size_t height = 0, width = 0;
  std::string bytes = plot::RenderRgb(FigureOf(a[0]), &height, &width);
  return MakeTuple({MakeBytes(std::move(bytes)), Value::Int(static_cast<int64_t>(height)),
                    Value::Int(static_cast<int64_t>(width))});
}

Value Save(Args& a) {
  const plot::Figure figure = FigureOf(a[0]);
  const std::string path(StrView(a[2]));
  const std::string bytes = Drawn(figure, StrView(a[1]));
  CheckPath(path);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool ok = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (file != nullptr) ok = std::fclose(file) == 0 && ok;
  if (!ok) throw MakeError(kOSError, "cannot write " + path + ": " + std::strerror(errno));
  return Value::None();
}

Value HistogramOf(Args& a) {
  std::vector<double> values, edges, counts;
  for (const Value& value : ToVector(a[0])) values.push_back(ToDouble(value));
  plot::Histogram(values, static_cast<size_t>(std::max<int64_t>(ToIndex(a[1]), 1)), &edges,
                  &counts);
  const auto list = [](const std::vector<double>& numbers) {
    std::vector<Value> items;
    for (const double number : numbers) items.push_back(Value::Float(number));
    return MakeList(std::move(items));
  };
  return MakeTuple({list(counts), list(edges)});
}

Value ColorsOf(Args& a) {
  std::vector<Value> items;
  for (const Value& value : ToVector(a[1])) {
    const plot::Color color = plot::MapColor(Str(a[0]), ToDouble(value));
    items.push_back(MakeList({Value::Int(color.r), Value::Int(color.g), Value::Int(color.b)}));
  }
  return MakeList(std::move(items));
}

const FunctionRow kFunctions[] = {
    {"show", "spec", Show, "Draws a figure in the terminal."},
    {"seen", "", Seen, "Returns True if show() draws. Otherwise says once how to write a file."},
    {"save", "spec, kind, path", Save, "Writes a figure as svg or png."},
    {"draw", "spec, kind", Draw, "Returns a figure as the bytes of an svg or png file."},
    {"pixels", "spec", Pixels, "Returns (bytes, height, width): three bytes for each pixel."},
    {"colors", "map, values", ColorsOf, "Returns the colors of a map as lists of three bytes."},
    {"histogram", "values, bins", HistogramOf,
     "Returns (counts, edges) of a histogram with this number of bins."},
};

const ConstantRow kClasses[] = {
    {"Axes", [] { return FromLibrary("pyplot_axes", Intern("Axes")); }},
    {"Part", [] { return FromLibrary("pyplot_axes", Intern("_Part")); }}};

const ModuleDef kDrawing = {.name = "_tensh_plot",
                            .functions = kFunctions,
                            .constants = kClasses,
                            .doc = "Draws for matplotlib.pyplot."};

constexpr const char* kFiles[] = {"pyplot"};
const ModuleDef kPyplot = {
    .name = "matplotlib.pyplot",
    .missing = [](StrObject* name) { return FromLibraries("matplotlib.pyplot", kFiles, name); },
    .doc = "Figures: drawn in the terminal by show, written as SVG or PNG by savefig.",
    .short_name = "plt"};

// mpl_toolkits.mplot3d
constexpr const char* kThreeFiles[] = {"pyplot_3d"};
const ModuleDef kThree = {.name = "mpl_toolkits.mplot3d", .missing = [](StrObject* name) {
                            return FromLibraries("mpl_toolkits.mplot3d", kThreeFiles, name);
                          }};
const ConstantRow kToolkits[] = {{"mplot3d", [] { return ModuleValue(kThree); }}};
const ModuleDef kToolkitsModule = {.name = "mpl_toolkits", .constants = kToolkits};

Value Pyplot() { return ModuleValue(kPyplot); }
Value Maps() { return FromLibrary("pyplot", Intern("cm")); }
Value Grids() { return FromLibrary("pyplot", Intern("gridspec")); }
Value Images() { return FromLibrary("pyplot", Intern("image")); }
Value Animations() { return FromLibrary("pyplot", Intern("animation")); }
Value Parameters() { return FromLibrary("pyplot", Intern("rcParams")); }

const ConstantRow kSubmodules[] = {{"__version__", [] { return MakeStr("3.5.3"); }},
                                   {"pyplot", Pyplot},
                                   {"cm", Maps},
                                   {"rcParams", Parameters},
                                   {"gridspec", Grids},
                                   {"animation", Animations},
                                   {"image", Images}};

Value Missing(StrObject* name) { return name->view().substr(0, 2) == "__" ? Value() : Another(); }

const ModuleDef kMatplotlib = {.name = "matplotlib",
                               .constants = kSubmodules,
                               .missing = Missing,
                               .doc = "matplotlib.pyplot draws; the rest is accepted.",
                               .short_name = "matplotlib"};

// pylab: the names of pyplot and of numpy, and the modules themselves.
constexpr const char* kPylabFiles[] = {"pylab"};
const ConstantRow kPylabModules[] = {{"mpl", [] { return ModuleValue(kMatplotlib); }},
                                     {"np", [] { return Interp::Current().Import("numpy"); }},
                                     {"plt", Pyplot}};
const ModuleDef kPylab = {
    .name = "pylab", .constants = kPylabModules, .missing = [](StrObject* name) {
      return FromLibraries("pylab", kPylabFiles, name);
    }};

}  // namespace

void DrawPyplotInAscii(bool ascii) { g_ascii = ascii; }

void AddPyplot(Interp& interp) {
  interp.AddModule("matplotlib", kMatplotlib);
  interp.AddModule("matplotlib.pyplot", kPyplot);
  interp.AddModule("pylab", kPylab);
  interp.AddModule("mpl_toolkits", kToolkitsModule);
  interp.AddModule("mpl_toolkits.mplot3d", kThree);
  interp.AddModule("mpl_toolkits.mplot3d.axes3d", kThree);
  interp.AddModule("_tensh_plot", kDrawing);
}

}  // namespace tensh::shell
