// Lexer: text into tokens, one at a time, with Python's indentation and joining of lines.
//
// Errors are thrown as SyntaxError. `at_end` tells the prompt that the text only ended too soon.
#pragma once

#include <string_view>
#include <vector>

#include "shell/lang/token.h"

namespace tensh::shell {

constexpr int kMaxNesting = 500;  // Brackets, blocks and operators inside each other.
constexpr int kMaxTokensOnLine = 1000000;

class Lexer {
 public:
  // Lexes source[begin, end). `expression`: no indentation, newlines are spaces (an f-string's
  // field).
  Lexer(const Source& source, uint32_t begin, uint32_t end, bool expression = false);
  Token Next();
  const Source& source() const { return source_; }
  std::string_view Text(Span span) const {
    return source_.text().substr(span.begin, span.end - span.begin);
  }
  // The rest of the logical line from `from`: to the newline or end. Moves behind it.
  Span TakeRestOfLine(uint32_t from);
  uint32_t position() const { return at_; }
  bool at_end() const { return unfinished_; }
  int depth() const { return static_cast<int>(brackets_.size()); }

 private:
  bool StartLine(Token* out);  // Indentation; true when it made a token.
  Token Name();
  Token Number();
  Token String(uint32_t begin);
  Token Operator();
  [[noreturn]] void Fail(Span span, std::string message);
  char Peek(uint32_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\0'; }
  Token Make(Tok kind, uint32_t begin) const { return {kind, {begin, at_}}; }
  void SkipSpaces();

  const Source& source_;
  std::string_view text_;
  uint32_t at_, end_;
  bool expression_;
  bool line_start_ = true;
  bool unfinished_ = false;
  bool any_on_line_ = false;
  int tokens_on_line_ = 0;
  int pending_dedents_ = 0;
  struct Level {
    int column, alternate;  // With tabs as 8 and as 1: both must agree.
  };
  std::vector<Level> indents_ = {{0, 0}};
  std::vector<uint32_t> brackets_;  // Offsets of the open ones.
};

// The keyword a name is, or Tok::kName.
Tok KeywordOf(std::string_view name);
bool IsIdentifierStart(uint32_t cp);
bool IsIdentifierPart(uint32_t cp);
const std::vector<std::string_view>& Keywords();

}  // namespace tensh::shell
