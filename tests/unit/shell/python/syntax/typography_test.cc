// Characters of web pages in lines of code.
#include "shell/python/syntax/typography.h"

#include <gtest/gtest.h>

#include "shell/python/syntax/source.h"
#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

TEST(Typography, APlainLineHasTheCharactersOfPython) {
  const struct {
    const char *line, *want;
  } rows[] = {
      {"x = 1", "x = 1"},
      {"name=“a”", "name=\"a\""},
      {"name=‘a’", "name='a'"},
      {"name=”a”", "name=\"a\""},
      {"„a“", "\"a\""},
      {"print(‘it’s’)", "print('it’s')"},
      {"print(“it's”)", "print(\"it's\")"},
      {"print(“a \"b\"”)", "print(\"a \\\"b\\\"\")"},
      {"print(“a\")", "print(\"a\")"},
      {"'“kept”' + “a”", "'“kept”' + \"a\""},
      {"'it\\'s “kept”'", "'it\\'s “kept”'"},
      {"a – b — c − d", "a - b - c - d"},
      {"a × 2 ÷ 3 ≤ 4", "a * 2 / 3 <= 4"},
      {"x\u00A0=\u202F1\u200B", "x = 1"},
      {"x = 1  # it’s – kept", "x = 1  # it’s – kept"},
      {"é = 'ü'", "é = 'ü'"},
      {"", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(PlainLine(row.line), row.want) << row.line;
}

// The search for closing quotes must not start again at each of them.
TEST(Typography, AMillionUnclosedQuotesAreReplaced) {
  constexpr size_t kQuotes = 1'000'000;
  std::string line, want;
  for (size_t i = 0; i < kQuotes; ++i) line += "‘a", want += "'a";
  EXPECT_TRUE(PlainLine(line) == want);
}

TEST(Typography, AWordOfAVerbMayBeginWithOne) {
  const struct {
    const char *text, *want;
  } rows[] = {
      {"–all", "–"},
      {"where op == “Const”", "“"},
      {"where op in (‘A’, ‘B’)", "‘"},
      {"a feed x=“1”", "“"},
      {"a > “x.svg”", "“"},
      {"Bob’s–file.csv", ""},  // a file may have such a name
      {"'“a”'", ""},
      {"where op == \"–\" # –", ""},
      {"", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(TypographicWord(row.text), row.want) << row.text;
}

// Returns the message and the hint of the error at a character of the text.
std::string Error(const std::string& text, uint32_t begin, uint32_t end) {
  const Source source(text, "test");
  try {
    ThrowInvalidCharacter(source, {begin, end});
  } catch (const PyError& error) {
    const ErrorHint& hint = error.exception().hint;
    return error.Message() + (hint.kind == ErrorHint::Kind::kType ? " | type " : " | ") + hint.text;
  }
}

TEST(Typography, AnErrorShowsTheLineInPlainCharacters) {
  EXPECT_EQ(Error("a = “b”", 4, 7), "invalid character '“' (U+201C) | type a = \"b\"");
  EXPECT_EQ(Error("a =\u00A0b\n", 3, 5), "invalid non-printable character U+00A0 | type a = b");
  EXPECT_EQ(Error("if a:\n    b – c", 12, 15),
            "invalid character '–' (U+2013) | with the characters of Python: b - c");
  EXPECT_EQ(Error("a → b", 2, 5), "invalid character '→' (U+2192) | ");
}

}  // namespace
}  // namespace tensh::shell
