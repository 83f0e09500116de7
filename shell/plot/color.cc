// Colors: parsing, the color cycle, and color maps.
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "shell/plot/figure.h"

namespace tensh::shell::plot {
namespace {

constexpr Color kCycle[] = {{31, 119, 180},  {255, 127, 14}, {44, 160, 44},   {214, 39, 40},
                            {148, 103, 189}, {140, 86, 75},  {227, 119, 194}, {127, 127, 127},
                            {188, 189, 34},  {23, 190, 207}};

struct Named {
  const char* name;
  Color color;
};
constexpr Named kNamed[] = {
    {"b", {0, 0, 255}},
    {"g", {0, 128, 0}},
    {"r", {255, 0, 0}},
    {"c", {0, 191, 191}},
    {"m", {191, 0, 191}},
    {"y", {191, 191, 0}},
    {"k", {0, 0, 0}},
    {"w", {255, 255, 255}},
    {"blue", {0, 0, 255}},
    {"green", {0, 128, 0}},
    {"red", {255, 0, 0}},
    {"cyan", {0, 255, 255}},
    {"magenta", {255, 0, 255}},
    {"yellow", {255, 255, 0}},
    {"black", {0, 0, 0}},
    {"white", {255, 255, 255}},
    {"gray", {128, 128, 128}},
    {"grey", {128, 128, 128}},
    {"orange", {255, 165, 0}},
    {"purple", {128, 0, 128}},
    {"brown", {165, 42, 42}},
    {"pink", {255, 192, 203}},
    {"navy", {0, 0, 128}},
    {"teal", {0, 128, 128}},
    {"lime", {0, 255, 0}},
    {"gold", {255, 215, 0}},
    {"olive", {128, 128, 0}},
    {"violet", {238, 130, 238}},
    {"salmon", {250, 128, 114}},
    {"coral", {255, 127, 80}},
    {"crimson", {220, 20, 60}},
    {"indigo", {75, 0, 130}},
    {"darkblue", {0, 0, 139}},
    {"darkred", {139, 0, 0}},
    {"darkgreen", {0, 100, 0}},
    {"darkorange", {255, 140, 0}},
    {"lightblue", {173, 216, 230}},
    {"lightgreen", {144, 238, 144}},
    {"lightgray", {211, 211, 211}},
    {"skyblue", {135, 206, 235}},
    {"steelblue", {70, 130, 180}},
    {"turquoise", {64, 224, 208}},
};

struct Map {
  const char* name;
  std::array<Color, 9> at;
};
constexpr Map kMaps[] = {
    {"viridis",
     {{{68, 1, 84},
       {71, 44, 122},
       {59, 81, 139},
       {44, 113, 142},
       {33, 144, 141},
       {39, 173, 129},
       {92, 200, 99},
       {170, 220, 50},
       {253, 231, 37}}}},
    {"plasma",
     {{{13, 8, 135},
       {76, 2, 161},
       {126, 3, 168},
       {170, 35, 149},
       {204, 71, 120},
       {229, 107, 93},
       {248, 149, 64},
       {253, 197, 39},
       {240, 249, 33}}}},
    {"gray",
     {{{0, 0, 0},
       {32, 32, 32},
       {64, 64, 64},
       {96, 96, 96},
       {128, 128, 128},
       {159, 159, 159},
       {191, 191, 191},
       {223, 223, 223},
       {255, 255, 255}}}},
    {"hot",
     {{{11, 0, 0},
       {94, 0, 0},
       {178, 0, 0},
       {255, 6, 0},
       {255, 90, 0},
       {255, 173, 0},
       {255, 255, 4},
       {255, 255, 129},
       {255, 255, 255}}}},
    {"jet",
     {{{0, 0, 128},
       {0, 0, 255},
       {0, 96, 255},
       {0, 212, 255},
       {124, 255, 121},
       {255, 229, 0},
       {255, 122, 0},
       {255, 18, 0},
       {128, 0, 0}}}},
    {"coolwarm",
     {{{59, 76, 192},
       {98, 130, 234},
       {141, 176, 254},
       {184, 208, 249},
       {221, 221, 221},
       {245, 196, 173},
       {244, 154, 123},
       {222, 96, 77},
       {180, 4, 38}}}},
    {"bwr",
     {{{0, 0, 255},
       {64, 64, 255},
       {128, 128, 255},
       {192, 192, 255},
       {255, 255, 255},
       {255, 192, 192},
       {255, 128, 128},
       {255, 64, 64},
       {255, 0, 0}}}},
    {"Blues",
     {{{247, 251, 255},
       {222, 235, 247},
       {198, 219, 239},
       {158, 202, 225},
       {107, 174, 214},
       {66, 146, 198},
       {33, 113, 181},
       {8, 81, 156},
       {8, 48, 107}}}},
};
struct Alias {
  const char* name;
  const char* map;
};
constexpr Alias kAliases[] = {{"Greys_r", "gray"}, {"Greys", "gray_r"},    {"binary", "gray_r"},
                              {"rainbow", "jet"},  {"RdBu_r", "coolwarm"}, {"RdBu", "coolwarm_r"},
                              {"seismic", "bwr"},  {"inferno", "hot"},     {"magma", "hot"},
                              {"grey", "gray"}};

uint8_t Mix(uint8_t a, uint8_t b, double t) {
  return static_cast<uint8_t>(std::lround(a + (b - a) * t));
}

}  // namespace

Color CycleColor(size_t i) { return kCycle[i % std::size(kCycle)]; }

bool ParseColor(std::string_view text, Color* color) {
  if (text.substr(0, 4) == "tab:") text.remove_prefix(4);
  if (text.size() >= 2 && text[0] == 'C' && text[1] >= '0' && text[1] <= '9') {
    *color = CycleColor(static_cast<size_t>(text[1] - '0'));
    return true;
  }
  if (!text.empty() && text[0] == '#' && (text.size() == 7 || text.size() == 4)) {
    unsigned value = 0;
    const auto [end, error] =
        std::from_chars(text.data() + 1, text.data() + text.size(), value, 16);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    if (text.size() == 4)
      value = ((value >> 8) & 15) * 0x110000 + ((value >> 4) & 15) * 0x1100 + (value & 15) * 0x11;
    *color = {static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 8),
              static_cast<uint8_t>(value)};
    return true;
  }
  for (const Named& named : kNamed) {
    if (text == named.name) return *color = named.color, true;
  }
  double level = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() ||
      !(level >= 0 && level <= 1))
    return false;
  const auto gray = static_cast<uint8_t>(std::lround(level * 255));
  *color = {gray, gray, gray};
  return true;
}

Color MapColor(std::string_view map, double value) {
  for (const Alias& alias : kAliases) {
    if (map == alias.name) map = alias.map;
  }
  const bool reversed = map.size() > 2 && map.substr(map.size() - 2) == "_r";
  if (reversed) map.remove_suffix(2);
  const Map* found = &kMaps[0];
  for (const Map& each : kMaps) {
    if (map == each.name) found = &each;
  }
  if (!(value >= 0)) value = 0;  // Also for NaN.
  value = std::min(value, 1.0);
  if (reversed) value = 1 - value;
  const double at = value * static_cast<double>(found->at.size() - 1);
  const size_t i = std::min(static_cast<size_t>(at), found->at.size() - 2);
  const Color &a = found->at[i], &b = found->at[i + 1];
  const double t = at - static_cast<double>(i);
  return {Mix(a.r, b.r, t), Mix(a.g, b.g, t), Mix(a.b, b.b, t)};
}

}  // namespace tensh::shell::plot
