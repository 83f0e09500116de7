// Splits text into tokens, one at a time, according to Python's rules for indentation and line
// joining.
//
// Errors are thrown as SyntaxError. After an error, at_end() tells the prompt that the text only
// ended too soon, so that another line may complete it.
#pragma once

#include <string_view>
#include <vector>

#include "shell/python/syntax/token.h"

namespace tensh::shell {

constexpr int kMaxNesting = 500;  // Limits how deeply brackets, blocks and operators may be nested.
constexpr int kMaxTokensOnLine = 1000000;

class Lexer {
 public:
  // Lexes source[begin, end). If `expression` is true, there is no indentation and newlines count
  // as spaces, as in a field of an f-string. If `python2` is true, the text is in Python 2.
  Lexer(const Source& source, uint32_t begin, uint32_t end, bool expression = false,
        bool python2 = false);
  Token Next();
  const Source& source() const { return source_; }
  std::string_view Text(Span span) const {
    return source_.text().substr(span.begin, span.end - span.begin);
  }
  // Returns the rest of the logical line from `from` to the newline or the end, and moves past it.
  Span TakeRestOfLine(uint32_t from);
  uint32_t position() const { return at_; }
  bool at_end() const { return unfinished_; }
  void set_unfinished() { unfinished_ = true; }
  int depth() const { return static_cast<int>(brackets_.size()); }

 private:
  bool StartLine(Token* out);  // Handles indentation. Returns true if it made a token.
  Token Name();
  Token Number();
  void Digits(bool (*is_digit)(char));
  Tok PrefixedNumber(char radix);
  Tok DecimalNumber();
  void EndNumber(uint32_t begin);
  void CheckTabs(bool consistent, uint32_t begin);
  Token String(uint32_t begin);
  Token Operator();
  [[noreturn]] void Fail(Span span, std::string message);
  char Peek(uint32_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\0'; }
  Token Make(Tok kind, uint32_t begin) const { return {kind, {begin, at_}}; }
  void SkipSpaces();
  uint32_t EndOfQuoted(uint32_t open) const;

  const Source& source_;
  std::string_view text_;
  uint32_t at_, end_;
  bool expression_;
  bool python2_;
  bool line_start_ = true;
  bool unfinished_ = false;
  bool any_on_line_ = false;
  int tokens_on_line_ = 0;
  int pending_dedents_ = 0;
  struct Level {
    // The column with tabs counted as 8 and as 1; comparisons by both must agree.
    int column, alternate;
  };
  std::vector<Level> indents_ = {{0, 0}};
  std::vector<uint32_t> brackets_;  // Offsets of the open brackets.
};

// Returns the keyword with this name, or Tok::kName if it is not a keyword.
Tok KeywordOf(std::string_view name);
bool IsIdentifierStart(uint32_t cp);
bool IsIdentifierPart(uint32_t cp);
const std::vector<std::string_view>& Keywords();

}  // namespace tensh::shell
