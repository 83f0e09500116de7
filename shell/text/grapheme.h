// Characters as a person sees them: a letter with its accents, a flag or a joined emoji is one
// grapheme cluster. Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace tensh::shell {

struct Grapheme {
  size_t bytes = 1;
  size_t columns = 1;
};

// Returns the cluster at the beginning of a non-empty text. An invalid byte and a control
// character are clusters of one byte and one column. A cluster is at most 64 bytes long, so that a
// hostile text cannot make one of any size.
Grapheme FirstGrapheme(std::string_view text);

// Returns the offset of the cluster that contains the byte before `at`, or 0 if `at` is 0.
size_t GraphemeBefore(std::string_view text, size_t at);
// Returns the offset behind the cluster that begins at `at`, or the end of the text.
size_t GraphemeAfter(std::string_view text, size_t at);

}  // namespace tensh::shell
