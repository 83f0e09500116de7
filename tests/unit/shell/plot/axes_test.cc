// The layout of axes: ranges and margins, ticks and their texts, colors, histograms, and the shapes
// that a figure draws.
#include <gtest/gtest.h>

#include "shell/plot/draw.h"
#include "shell/plot/terminal.h"
#include "shell/text/json.h"

namespace tensh::shell::plot {
namespace {

std::string Joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : " ") + text;
  return out;
}

Figure Parsed(const std::string& text) {
  Figure figure;
  EXPECT_TRUE(ParseFigure(Json::Parse(text), &figure)) << text;
  return figure;
}

// A figure with one pair of axes.
Figure OneAxes(const std::string& axes) { return Parsed("{\"axes\":[{" + axes + "}]}"); }

TEST(Ranges, OfData) {
  const struct {
    const char* axes;
    double x_low, x_high, y_low, y_high;
  } rows[] = {
      // Nothing at all: [0, 1] with margins of 5 %.
      {R"("series":[])", -.05, 1.05, -.05, 1.05},
      {R"("series":[{"kind":"line","x":[0,10],"y":[-1,1]}])", -.5, 10.5, -1.1, 1.1},
      // One point: 5 % of its size, at least 0.05.
      {R"("series":[{"kind":"line","x":[100],"y":[0]}])", 95, 105, -.05, .05},
      // Values that are not finite do not count.
      {R"("series":[{"kind":"scatter","x":[0,1,2],"y":[0,null,1]}])", -.1, 2.1, -.05, 1.05},
      // Bars reach the axis, and have a width of 0.8 unless it is given.
      {R"("series":[{"kind":"bar","x":[0,1],"y":[2,4]}])", -.09, 1.89, 0, 4.2},
      {R"("series":[{"kind":"bar","x":[0],"y":[-2],"widths":[2]}])", -.1, 2.1, -2.1, .1},
      // An image fills its axes.
      {R"("series":[{"kind":"image","rows":1,"cols":2,"pixels":[1,2],"extent":[0,4,0,2]}])", 0, 4,
       0, 2},
      // Given limits replace those of the data, one by one.
      {R"("x":{"low":-5},"y":{"low":0,"high":7},"series":[{"kind":"line","x":[0,10],"y":[1,2]}])",
       -5, 10.5, 0, 7},
      {R"("x":{"low":3,"high":3},"series":[])", 3, 6, -.05, 1.05},
      {R"("y":{"flipped":true},"series":[{"kind":"line","x":[0,10],"y":[-1,1]}])", -.5, 10.5, 1.1,
       -1.1},
      // On a logarithmic axis, the range is that of the exponents.
      {R"("y":{"log":true},"series":[{"kind":"line","x":[0,10,20],"y":[1,-5,100]}])", -1, 21, -.1,
       2.1},
      {R"("x":{"log":true,"low":10,"high":-3},"series":[])", 1, 1.05, -.05, 1.05},
  };
  for (const auto& row : rows) {
    const Frame frame = MakeFrame(OneAxes(row.axes).axes[0], 5, 5);
    EXPECT_NEAR(frame.x.low, row.x_low, 1e-9) << row.axes;
    EXPECT_NEAR(frame.x.high, row.x_high, 1e-9) << row.axes;
    EXPECT_NEAR(frame.y.low, row.y_low, 1e-9) << row.axes;
    EXPECT_NEAR(frame.y.high, row.y_high, 1e-9) << row.axes;
  }
}

TEST(Ticks, OfAnAxis) {
  const struct {
    const char* axis;
    size_t most;
    const char* want;
  } rows[] = {
      {R"({"low":0,"high":1})", 5, "0.0 0.2 0.4 0.6 0.8 1.0"},
      {R"({"low":0,"high":1})", 1, "0 1"},
      {R"({"low":0,"high":1})", 0, "0 1"},
      {R"({"low":0,"high":9})", 4, "0.0 2.5 5.0 7.5"},
      {R"({"low":0.1,"high":0.9})", 4, "0.2 0.4 0.6 0.8"},
      {R"({"low":-1e-3,"high":1e-3})", 4, "-0.0010 -0.0005 0.0000 0.0005 0.0010"},
      {R"({"low":0,"high":2e-5})", 2, "0.00000 1e-05 2e-05"},
      {R"({"low":0,"high":3e7})", 3, "0 1e+07 2e+07 3e+07"},
      {R"({"low":5,"high":1})", 2, "2 4"},
      {R"({"log":true,"low":1,"high":1000})", 5, "1 10 100 1e+03"},
      {R"({"log":true,"low":1,"high":1e8})", 3, "1 1e+05"},
      {R"({"log":true,"low":2,"high":5})", 5, ""},  // no power of ten lies between
      {R"({"low":0,"high":10,"ticks":[0,5,20]})", 5, "0 5"},
      {R"({"low":0,"high":10,"ticks":[0,5,10],"texts":["a","b"]})", 5, "a b 10"},
      {R"({"low":0,"high":10,"ticks":[]})", 5, ""},
      {R"({"log":true,"low":1,"high":100,"ticks":[-1,0,50]})", 5, "50"},
  };
  for (const auto& row : rows) {
    const Figure figure = OneAxes(std::string("\"x\":") + row.axis);
    EXPECT_EQ(Joined(MakeFrame(figure.axes[0], row.most, 3).x_texts), row.want) << row.axis;
  }
}

TEST(Ticks, PositionsOfValues) {
  Axis axis;
  EXPECT_EQ(Position(axis, {0, 10}, 2.5), .25);
  EXPECT_EQ(Position(axis, {10, 0}, 2.5), .75);
  EXPECT_EQ(Position(axis, {0, 10}, -5), -.5);
  axis.log = true;
  EXPECT_EQ(Position(axis, {0, 4}, 100), .5);
  EXPECT_TRUE(std::isnan(Position(axis, {0, 4}, 0)));
  EXPECT_EQ(ShortNumber(1234567), "1.23e+06");
  EXPECT_EQ(ShortNumber(.5), "0.5");
}

TEST(Levels, OfColourMaps) {
  const auto levels = [](const char* series) {
    const Range range =
        LevelsOf(OneAxes(std::string("\"series\":[") + series + "]").axes[0].series[0]);
    return ShortNumber(range.low) + " " + ShortNumber(range.high);
  };
  EXPECT_EQ(levels(R"({"kind":"image","rows":1,"cols":2,"pixels":[3,7]})"), "3 7");
  EXPECT_EQ(levels(R"({"kind":"image","rows":1,"cols":2,"pixels":[3,3]})"), "3 4");
  EXPECT_EQ(levels(R"({"kind":"image","rows":1,"cols":2,"pixels":[3,7],"vmin":0})"), "0 7");
  EXPECT_EQ(levels(R"({"kind":"image","rows":1,"cols":2,"pixels":[3,7],"vmin":9})"), "9 10");
  EXPECT_EQ(levels(R"({"kind":"scatter","x":[1,2],"y":[1,2],"levels":[-1,5]})"), "-1 5");
  EXPECT_EQ(levels(R"({"kind":"scatter","x":[1],"y":[1]})"), "0 1");
}

TEST(Colours, OfImages) {
  const auto colours = [](const char* series) {
    std::string out;
    for (const Color c :
         ImageColors(OneAxes(std::string("\"series\":[") + series + "]").axes[0].series[0]))
      out += (out.empty() ? "" : " ") + std::to_string(c.r) + "," + std::to_string(c.g) + "," +
             std::to_string(c.b);
    return out;
  };
  EXPECT_EQ(colours(R"({"kind":"image","rows":1,"cols":3,"pixels":[0,5,10],"map":"gray"})"),
            "0,0,0 128,128,128 255,255,255");
  EXPECT_EQ(colours(R"({"kind":"image","rows":1,"cols":2,"pixels":[0,1],"map":"gray_r"})"),
            "255,255,255 0,0,0");
  EXPECT_EQ(colours(R"({"kind":"image","rows":1,"cols":1,"channels":3,"pixels":[1,0,0.5]})"),
            "255,0,128");
}

TEST(Histograms, CountInBinsOfEqualWidth) {
  const struct {
    std::vector<double> values;
    size_t bins;
    std::vector<double> edges, counts;
  } rows[] = {
      {{1, 2, 2, 5}, 2, {1, 3, 5}, {3, 1}},
      {{0, 1, 2, 3, 4}, 4, {0, 1, 2, 3, 4}, {1, 1, 1, 2}},  // the last bin has its upper edge
      {{}, 2, {0, .5, 1}, {0, 0}},
      {{7, 7}, 2, {6.5, 7, 7.5}, {0, 2}},
      {{NAN, 1, INFINITY, 2}, 1, {1, 2}, {2}},
      {{1, 2}, 0, {1, 2}, {2}},
  };
  for (const auto& row : rows) {
    std::vector<double> edges, counts;
    Histogram(row.values, row.bins, &edges, &counts);
    EXPECT_EQ(edges, row.edges);
    EXPECT_EQ(counts, row.counts);
  }
  const Series bars = HistogramSeries({1, 2, 2, 5}, 2);
  EXPECT_EQ(bars.kind, Series::Kind::kBar);
  EXPECT_EQ(bars.x, (std::vector<double>{1, 3}));
  EXPECT_EQ(bars.widths, (std::vector<double>{2, 2}));
  EXPECT_EQ(bars.y, (std::vector<double>{3, 1}));
}

// Records the calls of a drawing as text.
class Recorder : public Canvas {
 public:
  void Line(const std::vector<Point>& points, const Pen& pen) override {
    Add("line of " + std::to_string(points.size()) + (*pen.dash ? " dashed" : ""));
  }
  void Box(double, double, double, double, Color, double) override { Add("box"); }
  void Disc(Point, double, Color, double) override { Add("disc"); }
  void Text(Point, const std::string& text, double, Anchor, bool up) override {
    Add("'" + text + "'" + (up ? " upwards" : ""));
  }
  void Image(double, double, double, double, size_t rows, size_t cols,
             const std::vector<Color>& colors) override {
    EXPECT_EQ(colors.size(), rows * cols);
    Add("image of " + std::to_string(rows) + "x" + std::to_string(cols));
  }
  void Clip(double, double, double, double) override { ++depth; }
  void Unclip() override { --depth; }
  void Add(const std::string& what) { calls.push_back(what); }
  size_t Count(const std::string& what) const {
    size_t n = 0;
    for (const std::string& call : calls) n += call == what;
    return n;
  }
  std::vector<std::string> calls;
  int depth = 0;
};

TEST(Drawings, HaveThePartsOfTheFigure) {
  const struct {
    const char *axes, *what;
    size_t count;
  } rows[] = {
      {R"("series":[{"kind":"line","x":[0,1,2],"y":[0,1,0]}])", "line of 3", 1},
      {R"("series":[{"kind":"line","style":"--","x":[0,1,2],"y":[0,1,0]}])", "line of 3 dashed", 1},
      {R"("series":[{"kind":"line","x":[0,1,2,3,4,5,6],"y":[0,1,0,null,0,1,0]}])", "line of 3", 2},
      {R"("series":[{"kind":"scatter","x":[0,1,2],"y":[0,1,0]}])", "disc", 3},
      {R"("series":[{"kind":"line","marker":"o","x":[0,1],"y":[0,1]}])", "disc", 2},
      {R"("series":[{"kind":"image","rows":2,"cols":3,"pixels":[1,2,3,4,5,6],"extent":[0,3,0,2]}])",
       "image of 2x3", 1},
      {R"("series":[{"kind":"text","x":[0.5],"y":[0.5],"text":"here"}])", "'here'", 1},
      {R"("title":"T","x":{"label":"time"},"y":{"label":"loss"},"series":[])", "'T'", 1},
      {R"("title":"T","x":{"label":"time"},"y":{"label":"loss"},"series":[])", "'time'", 1},
      {R"("title":"T","x":{"label":"time"},"y":{"label":"loss"},"series":[])", "'loss' upwards", 1},
      {R"("legend":true,"series":[{"kind":"line","label":"one","x":[0,1],"y":[0,1]}])", "'one'", 1},
      {R"("series":[{"kind":"line","label":"one","x":[0,1],"y":[0,1]}])", "'one'", 0},
      {R"("hidden":true,"title":"T","series":[])", "'0.5'", 0},
  };
  for (const auto& row : rows) {
    Recorder canvas;
    Draw(OneAxes(row.axes), canvas);
    EXPECT_EQ(canvas.Count(row.what), row.count) << row.axes << "\n" << Joined(canvas.calls);
    EXPECT_EQ(canvas.depth, 0) << row.axes << ": each clip ends";
  }
}

TEST(Drawings, SvgEscapesText) {
  const std::string svg = RenderSvg(OneAxes(R"("title":"a < b & \"c\"","series":[])"));
  EXPECT_EQ(svg.rfind("<svg", 0), 0u);
  EXPECT_NE(svg.find("a &lt; b &amp; "), svg.npos) << svg;
  EXPECT_EQ(svg.find("a < b"), svg.npos);
  EXPECT_NE(svg.find("</svg>"), svg.npos);
}

TEST(Drawings, SizesAreLimited) {
  Figure figure =
      Parsed(R"({"width":1e9,"height":-5,"axes":[{"rows":99999,"row":500,"series":[]}]})");
  EXPECT_EQ(figure.width, 8000);
  EXPECT_EQ(figure.height, 50);
  EXPECT_EQ(figure.axes[0].rows, 64u);
  EXPECT_EQ(figure.axes[0].row, 63u);
  figure = Parsed(R"({"axes":[{"rows":2,"row":7,"cols":0,"series":[]}]})");
  EXPECT_EQ(figure.axes[0].row, 1u);
  EXPECT_EQ(figure.axes[0].cols, 1u);
}

TEST(Terminal, ShadesWithoutColour) {
  const Figure image = OneAxes(
      R"("hidden":true,"series":[{"kind":"image","rows":2,"cols":2,"pixels":[0,1,1,0],"map":"gray","extent":[0,2,0,2]}])");
  const std::string ascii = RenderTerminal(image, {.width = 12, .height = 4, .ascii = true});
  for (const char c : ascii) EXPECT_LT(static_cast<unsigned char>(c), 128);
  EXPECT_EQ(RenderTerminal(image, {.width = 12, .height = 4}).find('\x1b'), std::string::npos);
  EXPECT_NE(RenderTerminal(image, {.width = 12, .height = 4, .color = true}).find("\x1b["),
            std::string::npos);
}

}  // namespace
}  // namespace tensh::shell::plot
