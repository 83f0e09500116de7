// Splits a text that is still being typed into tokens like Python's. Every text can be split: the
// last string or bracket may be open. The exact grammar is in shell/python; the editor only needs
// to know where strings, comments and brackets are.
//
// Pure functions; thread-safe. The time is linear in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tensh::shell {

struct CodeToken {
  enum class Kind : uint8_t { kName, kNumber, kString, kComment, kOperator, kNewline };
  Kind kind = Kind::kOperator;
  size_t from = 0, to = 0;
  bool open = false;       // the string is not closed
  bool formatted = false;  // the string has the prefix f

  std::string_view In(std::string_view text) const { return text.substr(from, to - from); }
};

// Blanks have no tokens. An operator is one character; a newline ends each line.
std::vector<CodeToken> TokensOf(std::string_view text);

// The situation at the end of a text.
struct CodePlace {
  std::vector<size_t> open;                // Offsets of the open brackets.
  size_t quote = std::string_view::npos;   // Offset of the text of the open string.
  size_t string = std::string_view::npos;  // Offset of the open string and its prefix.
  bool triple = false;                     // The open string continues on the next line.
  bool comment = false;
  size_t statement = 0;  // Offset of the last logical line.
};
CodePlace PlaceAtEnd(std::string_view text);

// Returns the offset of the bracket that belongs to the one at `at`, or npos.
size_t MatchingBracket(std::string_view text, const std::vector<CodeToken>& tokens, size_t at);

// Returns the indentation of a line that follows `before`, the text up to the cursor.
std::string_view::size_type IndentAfter(std::string_view before);

// If `text` ends with a line such as "else:", returns the indentation of the statement that the
// clause belongs to; otherwise npos.
size_t IndentOfClause(std::string_view text);

}  // namespace tensh::shell
