#include "shell/text/match.h"

#include <gtest/gtest.h>

namespace tensh::shell {
namespace {

struct Case {
  const char *pattern, *text;
  bool matches;
};

TEST(Match, Like) {
  const Case rows[] = {
      {"", "", true},         {"", "a", false},
      {"%", "", true},        {"abc", "ABC", true},
      {"a_c", "abc", true},   {"a_c", "ac", false},
      {"%b%", "abc", true},   {"%%%c", "abc", true},
      {"a%c%", "abcd", true}, {"a%d", "abc", false},
      {"_", "é", true},       {"_", "日", true},
      {"É", "é", false},      {"[a]", "[a]", true},
      {"%ab", "aab", true},   {"%a%b%c", "aabbc", true},
      {"a*", "abc", false},
  };
  for (const Case& row : rows)
    EXPECT_EQ(Pattern(PatternKind::kLike, row.pattern).Matches(row.text), row.matches)
        << row.pattern << " " << row.text;
  EXPECT_TRUE(Pattern(PatternKind::kLike, "100x%", 'x').Matches("100%"));
  EXPECT_FALSE(Pattern(PatternKind::kLike, "100x%", 'x').Matches("1000"));
}

TEST(Match, Glob) {
  const Case rows[] = {
      {"*", "", true},          {"abc", "ABC", false},   {"a?c", "abc", true},
      {"[a-c]x", "bx", true},   {"[a-c]x", "dx", false}, {"[^a-c]x", "dx", true},
      {"[^a-c]x", "ax", false}, {"[]]", "]", true},      {"[^]]", "]", false},
      {"[ab", "[ab", true},     {"*[0-9]", "a7", true},  {"*[0-9]", "a7b", false},
      {"[α-ω]", "λ", true},     {"%", "a", false},       {"[-a]", "-", true},
  };
  for (const Case& row : rows)
    EXPECT_EQ(Pattern(PatternKind::kGlob, row.pattern).Matches(row.text), row.matches)
        << row.pattern << " " << row.text;
}

// SQLite's own matcher would try every combination of positions for the wildcards.
TEST(Match, ManyWildcardsTakeNoTime) {
  const std::string text(200000, 'a');
  EXPECT_FALSE(Pattern(PatternKind::kLike, "%a%a%a%a%a%a%a%a%b").Matches(text));
  EXPECT_FALSE(Pattern(PatternKind::kGlob, "*a*a*a*a*a*a*a*a*b").Matches(text));
}

TEST(Match, Stops) {
  int calls = 0;
  const std::string text(1 << 20, 'a');
  EXPECT_FALSE(Pattern(PatternKind::kLike, "%").Matches(text, [&] { return ++calls == 2; }));
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace tensh::shell
