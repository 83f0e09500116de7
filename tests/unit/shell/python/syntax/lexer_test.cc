// Tokens of a text. A token is written as its text; numbers have a prefix i, f or j, and strings s.
// $ is a newline, > an indent and < a dedent.
#include "shell/python/syntax/lexer.h"

#include <gtest/gtest.h>

#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

std::string Word(const Lexer& lexer, const Token& token) {
  const std::string text(lexer.Text(token.span));
  switch (token.kind) {
    case Tok::kNewline:
      return "$";
    case Tok::kIndent:
      return ">";
    case Tok::kDedent:
      return "<";
    case Tok::kInt:
      return "i" + text;
    case Tok::kFloat:
      return "f" + text;
    case Tok::kImaginary:
      return "j" + text;
    case Tok::kString:
      return "s" + text;
    default:
      return text;
  }
}

std::string Tokens(const std::string& text, bool expression = false) {
  const Source source(text, "test");
  Lexer lexer(source, 0, static_cast<uint32_t>(text.size()), expression);
  std::string out;
  try {
    for (Token t = lexer.Next(); t.kind != Tok::kEnd; t = lexer.Next())
      out += (out.empty() ? "" : " ") + Word(lexer, t);
  } catch (const PyError& e) {
    out += (out.empty() ? "" : " ") + e.ClassName() + ": " + e.Message() +
           (lexer.at_end() ? " (unfinished)" : "");
  }
  return out;
}

struct Row {
  const char* text;
  const char* tokens;
};

TEST(Lexer, Operators) {
  const Row rows[] = {
      {"a+b-c", "a + b - c $"},
      {"a**=b//=c", "a **= b //= c $"},
      {"a<<=1>>=2", "a <<= i1 >>= i2 $"},
      {"x:=1", "x := i1 $"},
      {"x: =1", "x : = i1 $"},
      {"f()->a", "f ( ) -> a $"},
      {"a--b", "a - - b $"},
      {"a<=b>=c!=d==e", "a <= b >= c != d == e $"},
      {"a<b>c< >d", "a < b > c < > d $"},
      {"a<>b", "a SyntaxError: invalid syntax"},
      {"...", "... $"},
      {"....", "... . $"},
      {"..", ". . $"},
      {"a@b@=c", "a @ b @= c $"},
      {"~a|b&c^d%e", "~ a | b & c ^ d % e $"},
      {"x|=1;y&=2;z^=3", "x |= i1 ; y &= i2 ; z ^= i3 $"},
      {"[{(,.;:)}]", "[ { ( , . ; : ) } ] $"},
      {"a = == b", "a = == b $"},
      {"!", "SyntaxError: invalid syntax"},
      {"a $ b", "a SyntaxError: invalid syntax"},
      {"a ? b", "a SyntaxError: invalid syntax"},
      {"a\x01", "a SyntaxError: invalid non-printable character U+0001"},
  };
  for (const Row& row : rows) EXPECT_EQ(Tokens(row.text), row.tokens) << row.text;
}

TEST(Lexer, Numbers) {
  const Row rows[] = {
      {"0 1 42 1_000", "i0 i1 i42 i1_000 $"},
      {"0x1F 0XaB 0b101 0B1 0o17 0x_f", "i0x1F i0XaB i0b101 i0B1 i0o17 i0x_f $"},
      {"00 0_0", "i00 i0_0 $"},
      {"1. .5 1.5 1e3 1E-3 1.e+3 0e0 1_0.0_1", "f1. f.5 f1.5 f1e3 f1E-3 f1.e+3 f0e0 f1_0.0_1 $"},
      {"1j 1.5J .5j 1e3j 0j", "j1j j1.5J j.5j j1e3j j0j $"},
      {"1..real", "f1. . real $"},
      {"1.real", "SyntaxError: invalid decimal literal"},
      {"01",
       "SyntaxError: leading zeros in decimal integer literals are not permitted; use an 0o prefix "
       "for octal integers"},
      {"0777",
       "SyntaxError: leading zeros in decimal integer literals are not permitted; use an 0o prefix "
       "for octal integers"},
      {"0x", "SyntaxError: invalid hexadecimal literal"},
      {"0b2", "SyntaxError: invalid digit '2' in binary literal"},
      {"0o8", "SyntaxError: invalid digit '8' in octal literal"},
      {"1__0", "SyntaxError: invalid decimal literal"},
      {"1_", "SyntaxError: invalid decimal literal"},
      {"1abc", "SyntaxError: invalid decimal literal"},
      {"1if x", "i1 if x $"},
      {"1e", "SyntaxError: invalid decimal literal"},
      {"1.5e+", "SyntaxError: invalid decimal literal"},
      {"08.5", "f08.5 $"},
      {"1 .real", "i1 . real $"},
  };
  for (const Row& row : rows) EXPECT_EQ(Tokens(row.text), row.tokens) << row.text;
}

TEST(Lexer, Strings) {
  const Row rows[] = {
      {"'a' \"b\" ''", "s'a' s\"b\" s'' $"},
      {"'''a\nb''' \"\"\"c\"\"\"", "s'''a\nb''' s\"\"\"c\"\"\" $"},
      {"r'\\n' b'x' Rb'y' bR'z' f'{a}' rF'q' u'v' U'w'",
       "sr'\\n' sb'x' sRb'y' sbR'z' sf'{a}' srF'q' su'v' sU'w' $"},
      {"'a\\'b'", "s'a\\'b' $"},
      {"r'\\''", "sr'\\'' $"},
      {"'a\\\nb'", "s'a\\\nb' $"},
      {"ub'a'", "ub s'a' $"},
      {"x'a'", "x s'a' $"},
      {"'''a''b'''", "s'''a''b''' $"},
      {"''''a'''", "s''''a''' $"},
      {"'\\\\'", "s'\\\\' $"},
      {"'abc", "SyntaxError: unterminated string literal (detected at line 1)"},
      {"'abc\ndef'", "SyntaxError: unterminated string literal (detected at line 1)"},
      {"'''abc\n",
       "SyntaxError: unterminated triple-quoted string literal (detected at line 2) (unfinished)"},
      {"f'a", "SyntaxError: unterminated string literal (detected at line 1)"},
      {"'\\", "SyntaxError: unterminated string literal (detected at line 1)"},
  };
  for (const Row& row : rows) EXPECT_EQ(Tokens(row.text), row.tokens) << row.text;
}

TEST(Lexer, NamesAndKeywords) {
  EXPECT_EQ(Tokens("é _x x1 变量 ªº"), "é _x x1 变量 ªº $");
  EXPECT_EQ(Tokens("€"), "SyntaxError: invalid character '€' (U+20AC)");
  EXPECT_EQ(KeywordOf("for"), Tok::kFor);
  EXPECT_EQ(KeywordOf("None"), Tok::kNone);
  EXPECT_EQ(KeywordOf("none"), Tok::kName);
  EXPECT_EQ(KeywordOf("match"), Tok::kName);
  EXPECT_EQ(KeywordOf("forx"), Tok::kName);
  for (std::string_view word : Keywords()) EXPECT_NE(KeywordOf(word), Tok::kName) << word;
  EXPECT_EQ(Keywords().size(), 35u);
}

TEST(Lexer, LinesAndIndentation) {
  const Row rows[] = {
      {"", ""},
      {"\n\n  \n# note\n", ""},
      {"a\n\nb", "a $ b $"},
      {"a # b\n", "a $"},
      {"if x:\n  a\n  b\nc", "if x : $ > a $ b $ < c $"},
      {"if x:\n  if y:\n    a\n", "if x : $ > if y : $ > a $ < <"},
      {"if x:\n  a\n# note\n  b\n", "if x : $ > a $ b $ <"},
      {"if x:\n\ta\n\tb\n", "if x : $ > a $ b $ <"},
      {"(a,\n   b\n)\nc", "( a , b ) $ c $"},
      {"[\n# note\n1]", "[ i1 ] $"},
      {"a \\\n  b", "a b $"},
      {"a \\\n", "a SyntaxError: unexpected EOF while parsing (unfinished)"},
      {"a \\ b", "a SyntaxError: unexpected character after line continuation character"},
      {"  a", "> a $ <"},
      {"a\n  b", "a $ > b $ <"},
      {"if x:\n    a\n  b",
       "if x : $ > a $ IndentationError: unindent does not match any outer indentation level"},
      {"if x:\n\ta\n        b",
       "if x : $ > a $ TabError: inconsistent use of tabs and spaces in indentation"},
      {"if x:\n        a\n\tb",
       "if x : $ > a $ TabError: inconsistent use of tabs and spaces in indentation"},
      {"(", "( SyntaxError: '(' was never closed (unfinished)"},
      {")", "SyntaxError: unmatched ')'"},
      {"(]", "( SyntaxError: closing parenthesis ']' does not match opening parenthesis '('"},
      {"[\n(}\n]",
       "[ ( SyntaxError: closing parenthesis '}' does not match opening parenthesis '('"},
      {"a\r\nb", "a $ b $"},
      {"\xef\xbb\xbf(a)", "( a ) $"},
      {"a\f\nb", "a $ b $"},
  };
  for (const Row& row : rows) EXPECT_EQ(Tokens(row.text), row.tokens) << row.text;
}

TEST(Lexer, AnExpressionHasNoLines) {
  EXPECT_EQ(Tokens("\n a\n  + b\n", true), "a + b");
  EXPECT_EQ(Tokens("  x", true), "x");
}

TEST(Lexer, TakesTheRestOfALine) {
  const Source source("run a + [1,\n 2] # note\nb", "test");
  Lexer lexer(source, 0, static_cast<uint32_t>(source.text().size()));
  const Token run = lexer.Next();
  EXPECT_EQ(lexer.Text(lexer.TakeRestOfLine(run.span.end)), " a + [1,\n 2]");
}

TEST(Source, LocatesSpans) {
  const Source source("ab\né€x = 1\n\nlast", "f.py");
  const struct {
    uint32_t begin, end;
    int line, column, end_line, end_column;
    const char* text;
  } rows[] = {
      {0, 1, 1, 1, 1, 2, "ab"},      {1, 2, 1, 2, 1, 3, "ab"}, {8, 9, 2, 3, 2, 4, "é€x = 1"},
      {3, 8, 2, 1, 2, 3, "é€x = 1"}, {0, 9, 1, 1, 2, 4, "ab"}, {14, 14, 3, 1, 3, 1, ""},
      {15, 19, 4, 1, 4, 5, "last"},
  };
  for (const auto& row : rows) {
    const Location at = source.Locate({row.begin, row.end});
    EXPECT_EQ(at.file, "f.py");
    EXPECT_EQ(at.line, row.line) << row.begin;
    EXPECT_EQ(at.column, row.column) << row.begin;
    EXPECT_EQ(at.end_line, row.end_line) << row.begin;
    EXPECT_EQ(at.end_column, row.end_column) << row.begin;
    EXPECT_EQ(at.text, row.text) << row.begin;
  }
}

}  // namespace
}  // namespace tensh::shell
