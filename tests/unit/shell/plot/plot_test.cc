#include <gtest/gtest.h>

#include "shell/plot/draw.h"
#include "shell/plot/raster.h"
#include "shell/plot/terminal.h"
#include "shell/text/json.h"

namespace tensh::shell::plot {
namespace {

Figure Parsed(const char* text) {
  Figure figure;
  EXPECT_TRUE(ParseFigure(Json::Parse(text), &figure)) << text;
  return figure;
}

TEST(Figure, TicksAreRoundNumbers) {
  struct Row {
    double low, high;
    std::vector<std::string> texts;
  };
  const Row rows[] = {{0, 10, {"0", "5", "10"}},
                      {0, 1, {"0.0", "0.5", "1.0"}},
                      {-1, 1, {"-1", "0", "1"}},
                      {0, 0.5, {"0.0", "0.2", "0.4"}},
                      {1000, 3000, {"1000", "2000", "3000"}}};
  for (const Row& row : rows) {
    Axes axes;
    axes.x.low = row.low, axes.x.high = row.high;
    EXPECT_EQ(MakeFrame(axes, 3, 3).x_texts, row.texts) << row.low << " to " << row.high;
  }
}

TEST(Figure, OddDataHasALimit) {
  for (const char* y : {"[]", "[5]", "[\"nan\", \"nan\"]", "[1e308, -1e308]", "[3, 3, 3]"}) {
    const std::string text =
        std::string(R"({"axes":[{"series":[{"kind":"line","x":)") + y + ",\"y\":" + y + "}]}]}";
    const Figure figure = Parsed(text.c_str());
    const Frame frame = MakeFrame(figure.axes[0], 5, 5);
    EXPECT_LT(frame.y.low, frame.y.high) << y;
    EXPECT_FALSE(RenderTerminal(figure, {}).empty());
    EXPECT_FALSE(RenderSvg(figure).empty());
    EXPECT_EQ(RenderPng(figure).substr(1, 3), "PNG");
  }
}

TEST(Figure, RefusesWhatDoesNotFit) {
  for (
      const char* text :
      {R"({"axes":[{"series":[{"kind":"pie"}]}]})",
       R"({"axes":[{"series":[{"kind":"line","x":[1],"y":[1,2]}]}]})",
       R"({"axes":[{"series":[{"kind":"image","rows":2,"cols":2,"pixels":[1]}]}]})",
       R"({"axes":[{"series":[{"kind":"image","rows":9999999999,"cols":9999999999,"pixels":[]}]}]})"}) {
    Figure figure;
    EXPECT_FALSE(ParseFigure(Json::Parse(text), &figure)) << text;
  }
}

TEST(Colors, NamesAndMaps) {
  Color color;
  EXPECT_TRUE(ParseColor("#1f77b4", &color));
  EXPECT_EQ(color, CycleColor(0));
  EXPECT_TRUE(ParseColor("C1", &color));
  EXPECT_EQ(color, CycleColor(1));
  EXPECT_TRUE(ParseColor("0.5", &color));
  EXPECT_EQ(color, (Color{128, 128, 128}));
  EXPECT_TRUE(ParseColor("#f00", &color));
  EXPECT_EQ(color, (Color{255, 0, 0}));
  for (const char* text : {"", "#12", "reddish", "2.5", "nan"})
    EXPECT_FALSE(ParseColor(text, &color)) << text;
  EXPECT_EQ(MapColor("gray", 1), kWhite);
  EXPECT_EQ(MapColor("gray_r", 1), kBlack);
  EXPECT_EQ(MapColor("no such map", NAN), MapColor("viridis", 0));
}

TEST(Png, IsWhatDecodersWant) {
  const std::string png = EncodePng({kBlack, kWhite}, 2, 1);
  EXPECT_EQ(png.substr(0, 8), std::string("\x89PNG\r\n\x1a\n", 8));
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
}

TEST(Terminal, ACurveAndAnImage) {
  const Figure line = Parsed(R"({"axes":[{"series":[{"kind":"line","x":[0,1,2],"y":[0,1,2]}]}]})");
  EXPECT_EQ(RenderTerminal(line, {.width = 20, .height = 4, .color = false, .ascii = true}),
            "2 +          *****\n"
            "  |     *****\n"
            "  |*****   *\n"
            "0 + *\n"
            "  +----------------\n"
            "    0            2\n");
}

}  // namespace
}  // namespace tensh::shell::plot
