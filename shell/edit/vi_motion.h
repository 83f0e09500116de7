// The motions and text objects of vi.
//
//   h l 0 ^ $ | w b e ge W B E gE f F t T ; , % { } G gg j k + - g_   motions
//   iw aw iW aW i" a" i' a' i` a` i( a( ib ab i[ a[ i{ a{ iB aB i< a<   text objects
//
// Pure functions of the text and the cursor; thread-safe. Offsets are in bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "shell/edit/text_buffer.h"
#include "shell/edit/vi_command.h"

namespace tensh::shell {

// The last f, F, t or T, which ; and , repeat.
struct ViFind {
  char kind = '\0';
  std::string character;
};

struct ViMotion {
  size_t to = 0;
  bool inclusive = false;  // an operator includes the character at the farther end
  bool lines = false;      // an operator applies to whole lines
};

// Returns the destination of a motion, or nothing if it fails; a text object is not a motion. A
// motion after an operator may end elsewhere: "dw" does not delete a line break. Updates `find`.
std::optional<ViMotion> ViMotionOf(const ViCommand& command, const TextBuffer& buffer,
                                   ViFind* find);

// The range that an operator applies to. If `lines`, it consists of whole lines without the last
// line break.
struct ViRange {
  size_t from = 0, to = 0;
  bool lines = false;
};

// Returns the range of the motion or text object of an operator, or nothing if it fails.
std::optional<ViRange> ViRangeOf(const ViCommand& command, const TextBuffer& buffer, ViFind* find);

}  // namespace tensh::shell
