#include "shell/commands/base/words.h"

#include <gtest/gtest.h>

#include <string>

namespace tensh::shell {
namespace {

std::string Clauses(std::string_view text) {
  static constexpr std::string_view kWords[] = {"feed", "on", "times", "until"};
  std::string out;
  for (const Clause& clause : SplitClauses(text, kWords)) {
    out += std::string(clause.word) + "<" + std::string(clause.text) + ">";
  }
  return out;
}

std::string Commas(std::string_view text) {
  std::string out;
  for (const std::string_view piece : SplitCommas(text)) out += "<" + std::string(piece) + ">";
  return out;
}

std::string Assigned(std::string_view text) {
  std::string_view left, right;
  if (!SplitAssignment(text, &left, &right)) return "none";
  return std::string(left) + "|" + std::string(right);
}

TEST(Words, Clauses) {
  struct Row {
    const char* text;
    const char* want;
  };
  const Row rows[] = {
      {"", "<>"},
      {"mul", "<mul>"},
      {"mul feed x=[3,4]", "<mul>feed<x=[3,4]>"},
      {"a, b feed x=1, y=2 on s times 3", "<a, b>feed<x=1, y=2>on<s>times<3>"},
      {"times", "<times>"},
      {"2 * times", "<2 * times>"},
      {"a if on else b", "<a if on else b>"},
      {"f(x feed y)", "<f(x feed y)>"},
      {"'x feed y' feed z=1", "<'x feed y'>feed<z=1>"},
      {"\"\"\"a feed b\"\"\" times 2", "<\"\"\"a feed b\"\"\">times<2>"},
      {"a.feed", "<a.feed>"},
      {"[a]feed x=1", "<[a]>feed<x=1>"},
      {"step until loss < 0.1", "<step>until<loss < 0.1>"},
      {"x feed", "<x>feed<>"},
      {"place on /cpu:1", "<place>on</cpu:1>"},
      {"((((", "<((((>"},
      {"'open feed x", "<'open feed x>"},
      {"f(a feed b) feed \" feed \" in c", "<f(a feed b)>feed<\" feed \" in c>"},
  };
  for (const Row& row : rows) EXPECT_EQ(Clauses(row.text), row.want) << row.text;
}

TEST(Words, CommasAndAssignments) {
  EXPECT_EQ(Commas("a, f(b, c), [1, 2], 'x,y'"), "<a><f(b, c)><[1, 2]><'x,y'>");
  EXPECT_EQ(Commas(""), "");
  EXPECT_EQ(Commas("a,,b,"), "<a><><b>");
  EXPECT_EQ(Assigned("x=[3,4]"), "x|[3,4]");
  EXPECT_EQ(Assigned("'x:0' = f(a=1)"), "'x:0'|f(a=1)");
  EXPECT_EQ(Assigned("f(a=1)"), "none");
  EXPECT_EQ(Assigned("a == b"), "none");
  EXPECT_EQ(Assigned("a <= b"), "none");
}

TEST(Words, Comparisons) {
  const struct {
    const char *text, *left, *op, *right;
  } kRows[] = {
      {"a == [1]", "a", "==", "[1]"},
      {"abs(x - 1) < 0.01", "abs(x - 1)", "<", "0.01"},
      {"len(a) >= 1", "len(a)", ">=", "1"},
      {"\"x\" in names[\"a == b\"]", "\"x\"", "in", "names[\"a == b\"]"},
      {"x not in y", "x", "not in", "y"},
      {"a.endswith('in b')", "", "", ""},
      {"a ==", "", "", ""},
      {"", "", "", ""},
  };
  for (const auto& row : kRows) {
    const Comparison parts = SplitComparison(row.text);
    EXPECT_EQ(parts.left, row.left);
    EXPECT_EQ(parts.op, row.op) << row.text;
    EXPECT_EQ(parts.right, row.right);
  }
}

}  // namespace
}  // namespace tensh::shell
