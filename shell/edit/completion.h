// The interface between the line editor and completion by Tab. The editor knows no language; its
// creator provides a Completer.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

struct Completion {
  size_t from = 0;  // Byte offset where the word begins that a candidate replaces.
  std::vector<std::string> candidates;
};
// Returns the candidates for the text before the cursor. Must not throw; returns no candidates if
// the text cannot be completed.
using Completer = std::function<Completion(std::string_view before_cursor)>;

// Returns the longest common prefix of the candidates, in whole characters.
std::string CommonPrefix(const std::vector<std::string>& candidates);
// Formats the candidates in columns, in at most `lines` lines, each ended by "\n".
std::string CandidateList(const std::vector<std::string>& candidates, size_t width, size_t lines);

}  // namespace tensh::shell
