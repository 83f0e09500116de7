// Splitting the text of a verb where Python's grammar does not reach: clause words and commas
// outside of brackets and quotes. Everything returned views the text given.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace tensh::shell {

std::string_view Trim(std::string_view text);
std::string_view FirstWord(std::string_view text);  // up to white space
std::string_view LastWord(std::string_view text);
bool IsName(std::string_view text);  // a Python identifier (ASCII, or any byte of UTF-8)

// Pieces between the commas at the top level, trimmed. "" gives none; "a,,b" gives an empty piece.
std::vector<std::string_view> SplitCommas(std::string_view text);

struct Clause {
  std::string_view word;  // "" for what comes before the first clause word
  std::string_view text;
};
// "mul, x feed x=[3,4] times 2" with {"feed", "times"} gives {"", "mul, x"}, {"feed", "x=[3,4]"},
// {"times", "2"}. A word counts only where an expression has ended and another begins: `2 * times`
// has no clause.
std::vector<Clause> SplitClauses(std::string_view text, std::span<const std::string_view> words);

// "x=[3,4]" at its first top-level "=" that is no comparison; false when there is none.
bool SplitAssignment(std::string_view text, std::string_view* left, std::string_view* right);

}  // namespace tensh::shell
