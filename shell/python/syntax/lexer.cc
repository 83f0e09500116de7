#include "shell/python/syntax/lexer.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>

#include "runtime/base/text.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

struct OperatorRow {
  std::string_view text;
  Tok kind;
};
constexpr OperatorRow kOperators[] = {
    {"**=", Tok::kPowAssign},
    {"//=", Tok::kDoubleSlashAssign},
    {"<<=", Tok::kLShiftAssign},
    {">>=", Tok::kRShiftAssign},
    {"...", Tok::kEllipsis},
    {"->", Tok::kArrow},
    {":=", Tok::kWalrus},
    {"==", Tok::kEqual},
    {"!=", Tok::kNotEqual},
    {"<=", Tok::kLessEqual},
    {">=", Tok::kGreaterEqual},
    {"<<", Tok::kLShift},
    {">>", Tok::kRShift},
    {"**", Tok::kDoubleStar},
    {"//", Tok::kDoubleSlash},
    {"+=", Tok::kPlusAssign},
    {"-=", Tok::kMinusAssign},
    {"*=", Tok::kStarAssign},
    {"@=", Tok::kAtAssign},
    {"/=", Tok::kSlashAssign},
    {"%=", Tok::kPercentAssign},
    {"&=", Tok::kAmperAssign},
    {"^=", Tok::kCaretAssign},
    {"|=", Tok::kPipeAssign},
    {"(", Tok::kLParen},
    {")", Tok::kRParen},
    {"[", Tok::kLBracket},
    {"]", Tok::kRBracket},
    {"{", Tok::kLBrace},
    {"}", Tok::kRBrace},
    {",", Tok::kComma},
    {":", Tok::kColon},
    {";", Tok::kSemicolon},
    {".", Tok::kDot},
    {"=", Tok::kAssign},
    {"+", Tok::kPlus},
    {"-", Tok::kMinus},
    {"*", Tok::kStar},
    {"/", Tok::kSlash},
    {"%", Tok::kPercent},
    {"@", Tok::kAt},
    {"&", Tok::kAmper},
    {"|", Tok::kPipe},
    {"^", Tok::kCaret},
    {"~", Tok::kTilde},
    {"<", Tok::kLess},
    {">", Tok::kGreater},
};

bool IsHex(char c) { return IsAsciiDigit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 128;
}
bool IsNamePart(char c) { return IsNameStart(c) || IsAsciiDigit(c); }
bool IsOpening(char c) { return c == '(' || c == '[' || c == '{'; }
bool IsClosing(char c) { return c == ')' || c == ']' || c == '}'; }

}  // namespace

bool IsIdentifierStart(uint32_t cp) {
  if (cp < 128) return IsNameStart(static_cast<char>(cp));
  auto k = utf8proc_category(static_cast<int>(cp));
  return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) || k == UTF8PROC_CATEGORY_NL;
}
bool IsIdentifierPart(uint32_t cp) {
  if (cp < 128) return IsNamePart(static_cast<char>(cp));
  auto k = utf8proc_category(static_cast<int>(cp));
  return IsIdentifierStart(cp) || k == UTF8PROC_CATEGORY_MN || k == UTF8PROC_CATEGORY_MC ||
         k == UTF8PROC_CATEGORY_ND || k == UTF8PROC_CATEGORY_PC;
}

const std::vector<std::string_view>& Keywords() {
  static const auto* all =
      new std::vector<std::string_view>(std::begin(kKeywords), std::end(kKeywords));
  return *all;
}

Tok KeywordOf(std::string_view name) {
  if (name.size() < 2 || name.size() > 8) return Tok::kName;
  auto it = std::lower_bound(std::begin(kKeywords), std::end(kKeywords), name);
  if (it == std::end(kKeywords) || *it != name) return Tok::kName;
  return static_cast<Tok>(static_cast<int>(Tok::kFalse) + (it - std::begin(kKeywords)));
}

Lexer::Lexer(const Source& source, uint32_t begin, uint32_t end, bool expression, bool python2)
    : source_(source),
      text_(source.text()),
      at_(begin),
      end_(end),
      expression_(expression),
      python2_(python2) {
  if (expression) line_start_ = false;
  if (begin == 0 && text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
}

void Lexer::Fail(Span span, std::string message) { ThrowSyntax(source_, span, std::move(message)); }

// Skips white space, comments and joined lines. Newlines inside brackets count as white space.
void Lexer::SkipSpaces() {
  for (;;) {
    char c = Peek();
    if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      const auto* newline =
          static_cast<const char*>(std::memchr(text_.data() + at_, '\n', end_ - at_));
      at_ = newline ? static_cast<uint32_t>(newline - text_.data()) : end_;
    } else if (c == '\n' && (!brackets_.empty() || expression_)) {
      ++at_;
      tokens_on_line_ = 0;
    } else if (c == '\\' && (Peek(1) == '\n' || (Peek(1) == '\r' && Peek(2) == '\n'))) {
      at_ += Peek(1) == '\n' ? 2 : 3;
      if (at_ >= end_) {
        unfinished_ = true;
        Fail({at_ - 1, at_}, "unexpected EOF while parsing");
      }
    } else {
      return;
    }
  }
}

// Throws TabError if the indentation depends on the width of a tab, which Python 2 defines as 8.
void Lexer::CheckTabs(bool consistent, uint32_t begin) {
  if (!consistent && !python2_) {
    ThrowPython2(source_, {begin, at_}, "inconsistent use of tabs and spaces in indentation",
                 kTabError);
  }
}

// Reads the white space at the beginning of a line. Skips blank lines and comments.
bool Lexer::StartLine(Token* out) {
  for (;;) {
    int column = 0, alternate = 0;
    const uint32_t begin = at_;
    for (; at_ < end_; ++at_) {
      char c = text_[at_];
      if (c == ' ') {
        ++column, ++alternate;
      } else if (c == '\t') {
        column = (column / 8 + 1) * 8;
        ++alternate;
      } else if (c == '\f') {
        column = alternate = 0;
      } else {
        break;
      }
    }
    if (Peek() == '#' || Peek() == '\n' || Peek() == '\r') {
      SkipSpaces();
      if (Peek() == '\n') {
        ++at_;
        continue;
      }
    }
    line_start_ = false;
    if (at_ >= end_) return false;
    if (Peek() == '\\' && (Peek(1) == '\n' || Peek(1) == '\r')) return false;
    const Level now = {column, alternate}, top = indents_.back();
    if (now.column == top.column) {
      CheckTabs(now.alternate == top.alternate, begin);
      return false;
    }
    if (now.column > top.column) {
      CheckTabs(now.alternate > top.alternate, begin);
      if (static_cast<int>(indents_.size()) > kMaxNesting) {
        ThrowSyntax(source_, {begin, at_}, "too many levels of indentation", kIndentationError);
      }
      indents_.push_back(now);
      *out = {Tok::kIndent, {begin, at_}};
      return true;
    }
    while (indents_.back().column > now.column) {
      indents_.pop_back();
      ++pending_dedents_;
    }
    if (indents_.back().column != now.column) {
      ThrowSyntax(source_, {begin, at_}, "unindent does not match any outer indentation level",
                  kIndentationError);
    }
    return false;
  }
}

// At the end of the text, closes the line and then each open indentation before it returns kEnd.
Token Lexer::Next() {
  if (line_start_ && brackets_.empty()) {
    Token indent;
    if (StartLine(&indent)) return indent;
    tokens_on_line_ = 0;
    any_on_line_ = false;
  }
  if (pending_dedents_ > 0) {
    --pending_dedents_;
    return {Tok::kDedent, {at_, at_}};
  }
  SkipSpaces();
  if (at_ >= end_) {
    if (!brackets_.empty()) {
      unfinished_ = true;
      const uint32_t open = brackets_.back();
      Fail({open, open + 1}, std::string("'") + text_[open] + "' was never closed");
    }
    if (any_on_line_ && !expression_) {
      any_on_line_ = false;
      return {Tok::kNewline, {at_, at_}};
    }
    if (indents_.size() > 1) {
      indents_.pop_back();
      return {Tok::kDedent, {at_, at_}};
    }
    return {Tok::kEnd, {at_, at_}};
  }
  if (++tokens_on_line_ > kMaxTokensOnLine)
    Fail({at_, at_ + 1}, "more than 1000000 tokens on one line");
  const char c = text_[at_];
  const uint32_t begin = at_;
  if (c == '\n') {
    ++at_;
    line_start_ = true;
    any_on_line_ = false;
    return Make(Tok::kNewline, begin);
  }
  any_on_line_ = true;
  if (IsNameStart(c)) return Name();
  if (IsAsciiDigit(c) || (c == '.' && IsAsciiDigit(Peek(1)))) return Number();
  if (c == '"' || c == '\'') return String(begin);
  return Operator();
}

Token Lexer::Name() {
  const uint32_t begin = at_;
  bool ascii = true;
  for (; at_ < end_ && IsNamePart(text_[at_]); ++at_)
    ascii &= static_cast<unsigned char>(text_[at_]) < 128;
  if ((Peek() == '"' || Peek() == '\'') && at_ - begin <= 2) {
    std::string prefix;
    for (uint32_t i = begin; i < at_; ++i) prefix += static_cast<char>(text_[i] | 32);
    static constexpr std::string_view kPrefixes[] = {"r", "u", "b", "f", "br", "rb", "fr", "rf"};
    if (prefix == "ur" && !python2_) ThrowPython2(source_, {begin, at_}, "invalid syntax");
    if (std::find(std::begin(kPrefixes), std::end(kPrefixes), prefix) != std::end(kPrefixes) ||
        prefix == "ur")
      return String(begin);
  }
  if (!ascii) {
    size_t i = begin;
    while (i < at_) {
      size_t start = i;
      uint32_t cp = DecodeUtf8(text_, &i);
      if (start == begin ? IsIdentifierStart(cp) : IsIdentifierPart(cp)) continue;
      if (start > begin) {
        // The name ends here. The next token begins with this character.
        at_ = static_cast<uint32_t>(start);
        break;
      }
      ThrowInvalidCharacter(source_, {begin, static_cast<uint32_t>(i)});
    }
  }
  Token token = Make(Tok::kName, begin);
  if (ascii) token.kind = KeywordOf(text_.substr(begin, at_ - begin));
  const bool newer =
      token.kind == Tok::kAsync || token.kind == Tok::kAwait || token.kind == Tok::kNonlocal;
  if (newer && python2_) token.kind = Tok::kName;
  return token;
}

Token Lexer::Number() {
  const uint32_t begin = at_;
  const char radix = static_cast<char>(Peek(1) | 32);
  const bool prefixed = Peek() == '0' && (radix == 'x' || radix == 'o' || radix == 'b');
  const Tok kind = prefixed ? PrefixedNumber(radix) : DecimalNumber();
  if (kind == Tok::kInt && python2_ && (Peek() | 32) == 'l')
    ++at_;
  else if (kind != Tok::kImaginary)
    EndNumber(begin);
  return Make(kind, begin);
}

// Reads digits and the underscores between them.
void Lexer::Digits(bool (*is_digit)(char)) {
  while (is_digit(Peek()) || (Peek() == '_' && is_digit(Peek(1)))) ++at_;
}

// Reads a number such as 0x1F, 0o17 or 0b11.
Tok Lexer::PrefixedNumber(char radix) {
  const uint32_t begin = at_, first = at_ + 2;
  at_ = first;
  if (Peek() == '_') ++at_;
  Digits(radix == 'x' ? IsHex : IsAsciiDigit);
  const char* name = radix == 'x' ? "hexadecimal" : radix == 'o' ? "octal" : "binary";
  if (at_ == first) Fail({begin, at_}, std::string("invalid ") + name + " literal");
  for (uint32_t i = first; i < at_ && radix != 'x'; ++i) {
    if (text_[i] != '_' && text_[i] >= (radix == 'o' ? '8' : '2')) {
      Fail({i, i + 1}, std::string("invalid digit '") + text_[i] + "' in " + name + " literal");
    }
  }
  return Tok::kInt;
}

// Reads a number such as 12, 1_000, 1.5e-3 or 2j.
Tok Lexer::DecimalNumber() {
  const uint32_t begin = at_;
  Tok kind = Tok::kInt;
  Digits(IsAsciiDigit);
  if (Peek() == '.') {
    ++at_;
    kind = Tok::kFloat;
    Digits(IsAsciiDigit);
  }
  const bool sign = Peek(1) == '+' || Peek(1) == '-';
  if ((Peek() | 32) == 'e' && IsAsciiDigit(Peek(sign ? 2 : 1))) {
    at_ += 2;
    kind = Tok::kFloat;
    Digits(IsAsciiDigit);
  }
  if ((Peek() | 32) == 'j') {
    ++at_;
    return Tok::kImaginary;
  }
  const std::string_view number = text_.substr(begin, at_ - begin);
  const bool octal =
      kind == Tok::kInt && number[0] == '0' && number.find_first_not_of("0_") != number.npos;
  if (octal && python2_) {
    if (number.find_first_not_of("01234567") != number.npos) Fail({begin, at_}, "invalid token");
  } else if (octal) {
    ThrowPython2(
        source_, {begin, at_},
        "leading zeros in decimal integer literals are not permitted; use an 0o prefix for "
        "octal integers");
  }
  return kind;
}

// Python allows "1if x". Any other letter directly after a number is an error.
void Lexer::EndNumber(uint32_t begin) {
  if (!IsNameStart(Peek())) return;
  uint32_t stop = at_;
  while (stop < end_ && IsNamePart(text_[stop])) ++stop;
  const std::string_view word = text_.substr(at_, stop - at_);
  if (word == "L" || word == "l") ThrowPython2(source_, {begin, stop}, "invalid decimal literal");
  static constexpr std::string_view kMayFollow[] = {"and", "else", "for", "if",
                                                    "in",  "is",   "or",  "not"};
  if (std::ranges::find(kMayFollow, word) == std::end(kMayFollow))
    Fail({begin, at_}, "invalid decimal literal");
}

Token Lexer::String(uint32_t begin) {
  bool raw = false;
  while (text_[at_] != '"' && text_[at_] != '\'') raw = raw || (text_[at_++] | 32) == 'r';
  (void)raw;  // Also in a raw string, a quote after a backslash does not end it.
  const char quote = text_[at_];
  const bool triple = Peek(1) == quote && Peek(2) == quote;
  at_ += triple ? 3 : 1;
  for (;;) {
    if (at_ >= end_ || (!triple && text_[at_] == '\n' && !expression_)) {
      unfinished_ = triple && at_ >= end_;
      int line = source_.Locate({begin, begin}).line;
      Fail({begin, std::min(begin + 1, end_)},
           triple ? "unterminated triple-quoted string literal (detected at line " +
                        std::to_string(source_.Locate({end_, end_}).line) + ")"
                  : "unterminated string literal (detected at line " + std::to_string(line) + ")");
    }
    const char c = text_[at_];
    if (c == '\\' && at_ + 1 < end_) {
      at_ += 2;
    } else if (c == quote && (!triple || (Peek(1) == quote && Peek(2) == quote))) {
      at_ += triple ? 3 : 1;
      return Make(Tok::kString, begin);
    } else {
      ++at_;
    }
  }
}

namespace {

// Returns true if only blanks are before the offset on its line or after a semicolon.
bool BeginsStatement(std::string_view text, uint32_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n' || text[at - 1] == ';';
}

}  // namespace

Token Lexer::Operator() {
  const uint32_t begin = at_;
  std::string_view rest = text_.substr(at_, std::min<uint32_t>(3, end_ - at_));
  if (rest.starts_with("<>") || rest.starts_with('`')) {
    at_ += rest[0] == '`' ? 1 : 2;
    if (!python2_) ThrowPython2(source_, {begin, at_}, "invalid syntax");
    return Make(rest[0] == '`' ? Tok::kBacktick : Tok::kNotEqual, begin);
  }
  for (const OperatorRow& row : kOperators) {
    if (rest.substr(0, row.text.size()) != row.text) continue;
    at_ += static_cast<uint32_t>(row.text.size());
    if (row.kind == Tok::kLParen || row.kind == Tok::kLBracket || row.kind == Tok::kLBrace) {
      if (static_cast<int>(brackets_.size()) >= kMaxNesting)
        Fail({begin, at_}, "too many nested parentheses");
      brackets_.push_back(begin);
    } else if (row.kind == Tok::kRParen || row.kind == Tok::kRBracket || row.kind == Tok::kRBrace) {
      const char close = text_[begin];
      if (brackets_.empty()) Fail({begin, at_}, std::string("unmatched '") + close + "'");
      const char open = text_[brackets_.back()];
      if ((open == '(') != (close == ')') || (open == '[') != (close == ']')) {
        Fail({begin, at_}, std::string("closing parenthesis '") + close +
                               "' does not match opening parenthesis '" + open + "'");
      }
      brackets_.pop_back();
    }
    return Make(row.kind, begin);
  }
  size_t after = at_;
  uint32_t cp = DecodeUtf8(text_, &after);
  const Span span = {begin, static_cast<uint32_t>(after)};
  if (cp == '\\') Fail(span, "unexpected character after line continuation character");
  if (cp == '?' && BeginsStatement(text_, begin)) {
    at_ = static_cast<uint32_t>(after);
    return Make(Tok::kQuestion, begin);
  }
  if (cp == '$' || cp == '?' || cp == '!') Fail(span, "invalid syntax");
  ThrowInvalidCharacter(source_, span);
}

// Stops at the end of the line, a `;` or a comment, but not inside brackets and quotes. An
// apostrophe that is not closed on its line is plain text ("help what's new").
Span Lexer::TakeRestOfLine(uint32_t from) {
  const auto blank = [&](uint32_t i) { return text_[i] == ' ' || text_[i] == '\t'; };
  int depth = 0;
  uint32_t i = from;
  for (; i < end_; ++i) {
    const char c = text_[i];
    const bool comment = c == '#' && i > from && blank(i - 1);
    if (depth == 0 && (c == '\n' || c == ';' || comment)) break;
    if (IsOpening(c)) ++depth;
    if (IsClosing(c) && depth > 0) --depth;
    if (c == '\'' || c == '"') i = EndOfQuoted(i);
  }
  if (depth > 0) unfinished_ = true;
  at_ = i;
  any_on_line_ = true;
  while (i > from && (blank(i - 1) || text_[i - 1] == '\r')) --i;
  return {from, i};
}

// Returns the position of the quote that closes the one at `open` on the same line, or `open`
// itself if none does.
uint32_t Lexer::EndOfQuoted(uint32_t open) const {
  uint32_t close = open + 1;
  while (close < end_ && text_[close] != text_[open] && text_[close] != '\n')
    close += text_[close] == '\\' ? 2 : 1;
  return close < end_ && text_[close] == text_[open] ? close : open;
}

}  // namespace tensh::shell
