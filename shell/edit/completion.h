// What Tab offers for the text before the cursor. The editor knows no language: whoever makes it
// gives it a Completer.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

struct Completion {
  size_t from = 0;  // where the word begins that a candidate replaces, in bytes
  std::vector<std::string> candidates;
};
// Throws nothing: what cannot be completed has no candidates.
using Completer = std::function<Completion(std::string_view before_cursor)>;

// What all candidates begin with; never part of a character.
std::string CommonPrefix(const std::vector<std::string>& candidates);
// The candidates in columns, as many lines as `lines` at most, each ended by "\n".
std::string CandidateList(const std::vector<std::string>& candidates, size_t width, size_t lines);

}  // namespace tensh::shell
