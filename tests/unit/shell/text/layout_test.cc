// Columns side by side, in a terminal and in a pipe.
#include "shell/text/layout.h"

#include <gtest/gtest.h>

#include <set>

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

TEST(Layout, StylesHaveNoWidth) {
  const std::string red = "\033[31m", plain = "\033[0m";
  EXPECT_EQ(TextWidth(red + "ab" + plain), 2u);
  EXPECT_EQ(CutTo(red + "abcd" + plain, 3), red + "ab…" + plain);
  EXPECT_EQ(PadTo(red + "ab" + plain, 3), red + "ab" + plain + " ");
  EXPECT_EQ(TextWidth("\033[x"), 3u);  // not a style
}

TEST(Layout, CommandsAreNotBroken) {
  const Row rows[] = {
      {"x is on cpu:0. More: why x", 40, "x is on cpu:0. More: why x"},
      {"x is on cpu:0. Move it: place x on /cpu:1", 20,
       "x is on cpu:0.\nMove it: place x on /cpu:1"},
      {"it is there. More: why x", 23, "it is there.\nMore: why x"},
      {"aa bb cc. More: why x", 12, "aa bb cc.\nMore: why x"},
      {"  list them: explain loss feed x=[1, 2]", 20, "  list them: explain loss feed x=[1, 2]"},
      {" next: why a · why not b · graph", 20, " next: why a\n why not b · graph"},
      {" \033[2mnext:\033[0m \033[36mwhy a\033[0m · \033[36mexplain b feed c=1\033[0m", 20,
       " \033[2mnext:\033[0m \033[36mwhy a\033[0m\n \033[36mexplain b feed c=1\033[0m"},
      {"TypeError: this is an error of many words", 20,
       "TypeError: this is\nan error of many\nwords"},
      {"Error: a. Feed it: eval y feed {\"a: b\": 1}", 20,
       "Error: a.\nFeed it: eval y feed {\"a: b\": 1}"},
      {"a text (b: c) of some length", 12, "a text (b:\nc) of some\nlength"},
      {"1 = 1   at 4 s", 10, "1 = 1   at\n4 s"},
  };
  EXPECT_EQ(WrapAdvice("no b. Choose one of: one, two, three", 20),
            "no b. Choose one of:\none, two, three");
  EXPECT_EQ(WrapAdvice(" critical path: aa → bb → cc", 20), " critical path: aa →\n bb → cc");
  EXPECT_EQ(WrapAdvice("no b. Usage: b [one] [two]", 16), "no b. Usage: b\n[one] [two]");
  for (const Row& row : rows) EXPECT_EQ(WrapAdvice(row.text, row.width), row.want) << row.text;
  EXPECT_EQ(WrapAdvice("a. More: why x", 0), "a. More: why x");
}

TEST(Layout, ShortensNamesWhereTheyAgree) {
  const auto shorten = [](size_t width, std::vector<std::string> names) {
    ShortenNames(width, &names);
    for (const std::string& name : names) EXPECT_LE(TextWidth(name), width) << name;
    return Join(names, " ");
  };
  EXPECT_EQ(shorten(10, {"short", "gradients/MatMul"}), "short gra…MatMul");
  EXPECT_EQ(shorten(10, {"scope/aaaaaaaaaa/x", "scope/aaaaaaaaaa/y"}), "sco…aaaa/x sco…aaaa/y");
  // They differ in the middle.
  EXPECT_EQ(shorten(10, {"layer1/weights/read", "layer2/weights/read"}), "layer1…ead layer2…ead");
  // Equal names stay equal, and tiny columns are cut at the end.
  EXPECT_EQ(shorten(10, {"a/very/long/name", "a/very/long/name"}), "a/v…g/name a/v…g/name");
  EXPECT_EQ(shorten(4, {"abcdefgh"}), "abc…");
  EXPECT_EQ(shorten(9, {"中文字中文字中文字"}), "中…中文字");
}

TEST(Layout, DifferentNamesStayDifferent) {
  std::vector<std::string> names;
  for (const char* layer : {"layer1", "layer2", "layer10"})
    for (const char* op : {"MatMul", "MatMul_1", "add_grad/tuple/control_dependency_1"})
      names.push_back(std::string("gradients/") + layer + "/MatMul_grad/" + op);
  for (const size_t width : {20, 24, 28, 32, 40}) {
    std::vector<std::string> shorts = names;
    ShortenNames(width, &shorts);
    EXPECT_EQ(std::set<std::string>(shorts.begin(), shorts.end()).size(), names.size())
        << width << "\n"
        << Join(shorts, "\n");
  }
}

TEST(Layout, HangingIndent) {
  EXPECT_EQ(WrapHanging("a = Op(b, c) f32", 9, 2), "a = Op(b,\n  c) f32");
  EXPECT_EQ(WrapHanging("abcdefghijkl", 5, 2), "abcde\n  fgh\n  ijk\n  l");
  EXPECT_EQ(WrapHanging("a b", 0, 2), "a b");
}

// The width that a left out column frees belongs to the others.
TEST(FormatBox, NamesGetTheWidthOfColumnsThatAreLeftOut) {
  const std::vector<Column> columns = {{"name", 4}, {"b"}, {"cccccccccc"}};
  const std::vector<GridRow> rows = {{"", {"abcdefghijklmnop", "1", "2"}}};
  const std::string box = FormatBox(columns, rows, 20);
  EXPECT_NE(box.find("│ abcdefghijk… │ 1 │"), std::string::npos) << box;
  EXPECT_NE(box.find("too narrow for"), std::string::npos) << box;
}

TEST(FormatBox, LeavesOutEmptyColumnsFirst) {
  const std::vector<Column> columns = {{"name", 4}, {"device", 6}, {"op"}};
  const std::vector<GridRow> rows = {{"", {"abcdef", "", "Exp"}}};
  EXPECT_NE(FormatBox(columns, rows, 40).find("device"), std::string::npos);
  EXPECT_EQ(FormatBox(columns, rows, 18),
            "┌────────┬─────┐\n│ name   │ op  │\n├────────┼─────┤\n│ abcdef │ Exp │\n"
            "└────────┴─────┘\n");
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
  EXPECT_EQ(Digits(999), "999");
  EXPECT_EQ(Digits(-1234567), "-1,234,567");
  EXPECT_EQ(Digits(-999), "-999");
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

TEST(Layout, VisibleLinesKeepsTheLines) {
  EXPECT_EQ(VisibleLines("a\n\tb\x1b[2J\n"), "a\n\tb\\x1b[2J\n");
  EXPECT_EQ(VisibleLines(""), "");
  EXPECT_EQ(VisibleLines("\n\n"), "\n\n");
}

}  // namespace
}  // namespace tensh::shell
