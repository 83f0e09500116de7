// Columns side by side, in a terminal and in a pipe.
#include "shell/text/layout.h"

#include <gtest/gtest.h>

namespace tensh::shell {
namespace {

const std::vector<Column> kColumns = {{"name"}, {"signature", 6}, {"does", 6}};
std::string Grid(const std::string& signature, size_t width) {
  return FormatGrid(kColumns, {{"", {"a", signature, "one"}}, {"", {"b", "()", "two"}}}, width,
                    true);
}

TEST(FormatGrid, CutsWhatDoesNotFit) {
  EXPECT_EQ(Grid(std::string(30, 's'), 22),
            "name signature    does\n"
            "a    sssssssssss… one\n"
            "b    ()           two\n");
}

TEST(FormatGrid, LetsALongCellStickOutWhereNothingIsCut) {
  const std::string longest(200, 's');
  EXPECT_EQ(Grid(longest, 0), "name  signature" + std::string(51, ' ') +
                                  "  does\n"
                                  "a     " +
                                  longest + "  one\n" + "b     ()" + std::string(58, ' ') +
                                  "  two\n");
}

struct Row {
  const char* text;
  size_t width;
  const char* want;
};

TEST(Layout, WidthsInColumns) {
  const std::pair<const char*, size_t> rows[] = {
      {"", 0}, {"abc", 3}, {"é", 1}, {"中文", 4}, {"😀", 2}, {"e\u0301", 1}, {"\u200b", 0}};
  for (const auto& [text, width] : rows) EXPECT_EQ(TextWidth(text), width) << text;
}

TEST(Layout, CutsBetweenCharacters) {
  const Row rows[] = {{"abc", 3, "abc"},       {"abcd", 3, "ab…"},     {"abc", 1, "…"},
                      {"中文字", 6, "中文字"}, {"中文字", 5, "中文…"}, {"中文字", 4, "中…"},
                      {"ééé", 2, "é…"}};
  for (const Row& row : rows) EXPECT_EQ(CutTo(row.text, row.width), row.want) << row.text;
}

TEST(Layout, Pads) {
  EXPECT_EQ(PadTo("é", 3), "é  ");
  EXPECT_EQ(PadTo("中", 3), "中 ");
  EXPECT_EQ(PadTo("abc", 2), "abc");
  EXPECT_EQ(PadLeft("中", 4), "  中");
  EXPECT_EQ(Repeat("ab", 3), "ababab");
  EXPECT_EQ(Repeat("ab", 0), "");
  EXPECT_EQ(Join({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(Join({}, ", "), "");
}

TEST(Layout, ShowsControlCharacters) {
  EXPECT_EQ(Visible("a\x1b[1m"), "a\\x1b[1m");
  EXPECT_EQ(Visible("é\xff"), "é\\xff");
  EXPECT_EQ(Visible("中"), "中");
}

TEST(Layout, Numbers) {
  EXPECT_EQ(Count(1, "node"), "1 node");
  EXPECT_EQ(Count(0, "node"), "0 nodes");
  EXPECT_EQ(Count(12345, "node"), "12,345 nodes");
  EXPECT_EQ(Count(1000000, "edge"), "1,000,000 edges");
  EXPECT_EQ(Bytes(8), "8 B");
  EXPECT_EQ(Bytes(0), "0 B");
  EXPECT_EQ(Duration(4100), "4.1 µs");
  EXPECT_EQ(TextWidth(DurationCell(1.0)), TextWidth(DurationCell(99.9e9)));
}

TEST(Layout, WrapsAtSpaces) {
  const Row rows[] = {{"aaa bbb ccc", 7, "aaa bbb\nccc"},
                      {"aaa bbb", 0, "aaa bbb"},
                      {"aaaaaaaaaa b", 4, "aaaaaaaaaa\nb"},
                      {"  aa bb", 4, "  aa\n  bb"},
                      {"a\nb", 10, "a\nb"},
                      {"中文 中文", 5, "中文\n中文"}};
  for (const Row& row : rows) EXPECT_EQ(Wrap(row.text, row.width), row.want) << row.text;
}

}  // namespace
}  // namespace tensh::shell
