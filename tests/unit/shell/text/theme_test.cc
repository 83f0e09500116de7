#include "shell/text/theme.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "shell/text/grapheme.h"

namespace tensh::shell {
namespace {

TEST(Theme, DepthOfATerminal) {
  struct Row {
    const char *term, *colorterm;
    ColorDepth want;
  };
  const Row rows[] = {{"", "truecolor", ColorDepth::kNone},
                      {"dumb", "", ColorDepth::kNone},
                      {"xterm", "", ColorDepth::k16},
                      {"linux", "", ColorDepth::k16},
                      {"xterm-256color", "", ColorDepth::k256},
                      {"xterm-kitty", "", ColorDepth::k256},
                      {"xterm", "truecolor", ColorDepth::kTrue},
                      {"tmux", "24bit", ColorDepth::kTrue},
                      {"xterm-direct", "", ColorDepth::kTrue}};
  for (const Row& row : rows) EXPECT_EQ(DepthOf(row.term, row.colorterm), row.want) << row.term;
}

TEST(Theme, SequencesFitTheDepth) {
  EXPECT_EQ(Palette().Paint(Role::kError, "x"), "x");
  EXPECT_EQ(Palette("dark", ColorDepth::kNone).Paint(Role::kError, "x"), "x");
  EXPECT_EQ(Palette("dark", ColorDepth::k16).Paint(Role::kError, "x"), "\033[31mx\033[0m");
  EXPECT_EQ(Palette("dark", ColorDepth::k256).Open(Role::kError), "\033[38;5;203m");
  EXPECT_EQ(Palette("light", ColorDepth::kTrue).Open(Role::kError), "\033[38;2;200;30;30m");
  EXPECT_EQ(Palette("mono", ColorDepth::kTrue).Open(Role::kVerb), "\033[1m");
  // The theme mono has no colors, in any role.
  const Palette mono("mono", ColorDepth::kTrue);
  for (size_t i = 0; i < static_cast<size_t>(Role::kCount); ++i)
    EXPECT_EQ(mono.Open(static_cast<Role>(i)).find("38;"), std::string::npos) << i;
}

// Roles that occur next to each other have different looks.
TEST(Theme, RolesDiffer) {
  for (const char* theme : {"dark", "light"}) {
    const Palette palette(theme, ColorDepth::k256);
    std::set<std::string> seen;
    for (const Role role :
         {Role::kPlain, Role::kKeyword, Role::kString, Role::kNumber, Role::kComment,
          Role::kFunction, Role::kVerb, Role::kTensor, Role::kDevice, Role::kUnknown})
      EXPECT_TRUE(seen.insert(palette.Open(role)).second) << theme << static_cast<int>(role);
  }
}

TEST(Theme, NeighbouringDevicesDiffer) {
  EXPECT_EQ(DeviceRole("cpu:0"), DeviceRole("cpu:0"));
  const char* pairs[][2] = {{"cpu:0", "cpu:1"},
                            {"cpu:0", "gpu:0"},
                            {"/job:ps/task:0/cpu:0", "/job:ps/task:1/cpu:0"},
                            {"cpu:9", "cpu:10"}};
  for (const auto& [a, b] : pairs) EXPECT_NE(DeviceRole(a), DeviceRole(b)) << a << " " << b;
  for (const char* name : {"", "cpu", "cpu:99999999999999999999", "\xff:1"})
    EXPECT_LT(DeviceRole(name), Role::kCount) << name;
}

TEST(Grapheme, ClustersAndWidths) {
  struct Row {
    const char* text;
    size_t bytes, columns;
  };
  const Row rows[] = {{"ab", 1, 1},
                      {"e\xCC\x81x", 3, 1},
                      {"\xE6\x97\xA5x", 3, 2},
                      {"\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9x", 11, 2},  // a family
                      {"\xF0\x9F\x87\xA9\xF0\x9F\x87\xAAx", 8, 2},               // a flag
                      {"\xff\xfe", 1, 1},
                      {"\xCC\x81", 2, 1}};
  for (const Row& row : rows) {
    const Grapheme got = FirstGrapheme(row.text);
    EXPECT_EQ(got.bytes, row.bytes) << row.text;
    EXPECT_EQ(got.columns, row.columns) << row.text;
  }
  const std::string text = "a\xCC\x81\xE6\x97\xA5z";
  EXPECT_EQ(GraphemeBefore(text, 3), 0u);
  EXPECT_EQ(GraphemeBefore(text, 6), 3u);
  EXPECT_EQ(GraphemeBefore(text, 0), 0u);
  EXPECT_EQ(GraphemeAfter(text, 0), 3u);
  // No cluster is longer than 64 bytes.
  std::string marks = "a";
  for (int i = 0; i < 1000; ++i) marks += "\xCC\x81";
  EXPECT_LE(FirstGrapheme(marks).bytes, 66u);
}

}  // namespace
}  // namespace tensh::shell
