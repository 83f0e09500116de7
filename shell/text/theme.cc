#include "shell/text/theme.h"

#include <cstdio>
#include <cstdlib>

namespace tensh::shell {
namespace {

enum Attribute : uint8_t { kBold = 1, kDim = 2, kItalic = 4, kUnderline = 8, kReverse = 16 };

// A color in each color depth. -1 in `ansi` means the terminal's own foreground.
struct Ink {
  int ansi = -1;  // 0 to 15
  int index = 0;  // of 256
  uint32_t rgb = 0;
};

struct Look {
  Role role;
  uint8_t attributes;
  Ink dark, light;
  uint8_t mono = 0;  // The attributes in the theme mono.
};

constexpr Ink kOwn{};
constexpr Look kLooks[] = {
    {Role::kPrompt, kBold, {2, 78, 0x5fd787}, {2, 28, 0x1a7f37}, kBold},
    {Role::kKeyword, 0, {5, 176, 0xc586c0}, {5, 90, 0x8839a4}, kBold},
    {Role::kString, 0, {3, 180, 0xd7a875}, {3, 94, 0x8a5a00}},
    {Role::kNumber, 0, {6, 151, 0xaed6a2}, {6, 23, 0x0b6e70}},
    {Role::kComment, 0, {8, 245, 0x8a8a8a}, {8, 244, 0x7c7c7c}, kDim},
    {Role::kFunction, 0, {4, 117, 0x87d7ff}, {4, 25, 0x0a5cad}},
    {Role::kVerb, kBold, {6, 80, 0x4fd6d6}, {6, 30, 0x00777a}, kBold},
    {Role::kOp, 0, {4, 111, 0x82aaff}, {4, 26, 0x1d4fd8}},
    {Role::kTensor, 0, {2, 114, 0x8fd67a}, {2, 28, 0x2f7d16}},
    {Role::kDevice, 0, {3, 215, 0xffb35c}, {3, 130, 0xa85a00}},
    {Role::kUnknown, kUnderline, {1, 203, 0xff6b6b}, {1, 160, 0xc81e1e}, kUnderline},
    {Role::kGhost, 0, {8, 242, 0x6c6c6c}, {8, 248, 0xa0a0a0}, kDim},
    {Role::kBracket, kBold | kUnderline, kOwn, kOwn, kBold | kUnderline},
    {Role::kFound, kReverse, kOwn, kOwn, kReverse},
    {Role::kItem, 0, kOwn, kOwn},
    {Role::kSelected, kReverse, kOwn, kOwn, kReverse},
    {Role::kNote, 0, {8, 245, 0x8a8a8a}, {8, 243, 0x707070}, kDim},
    {Role::kError, 0, {1, 203, 0xff6b6b}, {1, 160, 0xc81e1e}, kBold},
    {Role::kHint, 0, {6, 116, 0x7fd1c7}, {6, 30, 0x00706a}},
    {Role::kHeading, kBold, kOwn, kOwn, kBold},
    {Role::kDtype, 0, {5, 147, 0xb3b0ff}, {5, 61, 0x5b55b5}},
    {Role::kRuns, 0, {2, 114, 0x8fd67a}, {2, 28, 0x2f7d16}},
    {Role::kPruned, 0, {8, 242, 0x767676}, {8, 246, 0x909090}, kDim},
    {Role::kFed, 0, {6, 80, 0x4fd6d6}, {6, 30, 0x00777a}},
    {Role::kFetch, kBold, {3, 221, 0xffd75f}, {3, 136, 0x9a6700}, kBold},
    {Role::kCut, 0, {1, 209, 0xff875f}, {1, 166, 0xd2451e}, kUnderline},
    {Role::kWait, 0, {8, 245, 0x8a8a8a}, {8, 244, 0x7c7c7c}, kDim},
    {Role::kDevice0, 0, {4, 75, 0x5fafff}, {4, 25, 0x0a5cad}},
    {Role::kDevice1, 0, {13, 213, 0xff87ff}, {5, 127, 0xa6219b}},
    {Role::kDevice2, 0, {3, 179, 0xd7af5f}, {3, 94, 0x875f00}},
    {Role::kDevice3, 0, {6, 43, 0x00d7af}, {6, 29, 0x00875f}},
    {Role::kDevice4, 0, {12, 141, 0xaf87ff}, {12, 55, 0x5f00af}},
    {Role::kDevice5, 0, {11, 174, 0xd78787}, {13, 124, 0xaf0000}},
};

std::string Sgr(uint8_t attributes, const Ink& ink, ColorDepth depth) {
  std::string codes;
  const auto add = [&](const std::string& code) { codes += (codes.empty() ? "" : ";") + code; };
  constexpr struct {
    Attribute bit;
    const char* code;
  } kCodes[] = {{kBold, "1"}, {kDim, "2"}, {kItalic, "3"}, {kUnderline, "4"}, {kReverse, "7"}};
  for (const auto& row : kCodes)
    if ((attributes & row.bit) != 0) add(row.code);
  if (ink.ansi >= 0 && depth == ColorDepth::k16) {
    add(std::to_string(ink.ansi < 8 ? 30 + ink.ansi : 82 + ink.ansi));
  } else if (ink.ansi >= 0 && depth == ColorDepth::k256) {
    add("38;5;" + std::to_string(ink.index));
  } else if (ink.ansi >= 0) {
    char rgb[32];
    std::snprintf(rgb, sizeof(rgb), "38;2;%u;%u;%u", ink.rgb >> 16, ink.rgb >> 8 & 255,
                  ink.rgb & 255);
    add(rgb);
  }
  return codes.empty() ? "" : "\033[" + codes + "m";
}

std::string_view Env(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

ColorDepth DepthOf(std::string_view term, std::string_view colorterm) {
  if (term.empty() || term == "dumb") return ColorDepth::kNone;
  if (colorterm == "truecolor" || colorterm == "24bit" ||
      term.find("direct") != std::string_view::npos)
    return ColorDepth::kTrue;
  for (const std::string_view many : {"256color", "kitty", "alacritty", "foot", "ghostty"})
    if (term.find(many) != std::string_view::npos) return ColorDepth::k256;
  return ColorDepth::k16;
}

bool WantsColor() {
  return Env("NO_COLOR").empty() && DepthOf(Env("TERM"), {}) != ColorDepth::kNone;
}

bool LocaleIsPlain() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = Env(name);
    if (!value.empty()) return value == "C" || value == "POSIX";
  }
  return false;
}

ColorDepth DepthOfEnvironment() {
  if (!WantsColor() || LocaleIsPlain()) return ColorDepth::kNone;
  return DepthOf(Env("TERM"), Env("COLORTERM"));
}

Palette::Palette(std::string_view theme, ColorDepth depth) : plain_(depth == ColorDepth::kNone) {
  if (plain_) return;
  for (const Look& look : kLooks) {
    std::string& open = open_[static_cast<size_t>(look.role)];
    open = theme == "mono"    ? Sgr(look.mono, kOwn, depth)
           : theme == "light" ? Sgr(look.attributes, look.light, depth)
                              : Sgr(look.attributes, look.dark, depth);
  }
}

Role DeviceRole(std::string_view device) {
  constexpr unsigned kDevices = 6;
  // The numbers of the device, its task and its job are added, so that neighbors differ.
  unsigned sum = 0, number = 0;
  for (const char c : device) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) sum += number;
    number = digit ? (number * 10 + static_cast<unsigned>(c - '0')) % kDevices : 0;
  }
  sum += number;
  if (device.find("gpu:") != std::string_view::npos) sum += 2;
  return static_cast<Role>(static_cast<unsigned>(Role::kDevice0) + sum % kDevices);
}

const std::vector<std::string>& Palette::Themes() {
  static const std::vector<std::string> names = {"dark", "light", "mono"};
  return names;
}

std::string Palette::Paint(Role role, std::string_view text) const {
  const std::string& open = Open(role);
  if (open.empty() || text.empty()) return std::string(text);
  return open + std::string(text) + std::string(kResetStyle);
}

}  // namespace tensh::shell
