// Splits the text of a verb where Python's grammar does not apply: at clause words and commas
// outside of brackets and quotes. All results are views of the given text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/text.h"  // Trim

namespace tensh::shell {

std::string_view FirstWord(std::string_view text);  // the text up to the first white space
std::string_view LastWord(std::string_view text);
bool IsName(std::string_view text);  // true for a Python identifier (ASCII, or any byte of UTF-8)

// Returns the trimmed pieces between the commas at the top level. "" has no pieces; "a,,b" has an
// empty one.
std::vector<std::string_view> SplitCommas(std::string_view text);

struct Clause {
  std::string_view word;  // "" for the part before the first clause word
  std::string_view text;
};
// Splits "mul, x feed x=[3,4] times 2" with the words {"feed", "times"} into {"", "mul, x"},
// {"feed", "x=[3,4]"}, {"times", "2"}. A word counts only where one expression has ended and
// another begins, so `2 * times` has no clause.
std::vector<Clause> SplitClauses(std::string_view text, std::span<const std::string_view> words);

// Splits "x=[3,4]" at its first top-level "=" that is not part of a comparison. Returns false if
// there is none.
bool SplitAssignment(std::string_view text, std::string_view* left, std::string_view* right);

struct Comparison {
  std::string_view left, op, right;  // `op` is empty if the text is not a comparison
};
// Splits "len(a) >= 1" at its first top-level operator of ==, !=, <, >, <=, >=, in and not in. The
// operator needs white space on both sides.
Comparison SplitComparison(std::string_view text);

}  // namespace tensh::shell
