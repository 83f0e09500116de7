#include "shell/edit/vi_motion.h"

#include <algorithm>
#include <utility>

#include "shell/edit/code_tokens.h"

namespace tensh::shell {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// The kinds of characters that separate words: blanks, word characters and punctuation. For the
// `big` words of W, B and E, only blanks separate.
int ClassOf(char c, bool big) { return IsBlank(c) ? 0 : IsWordByte(c) || big ? 1 : 2; }

size_t NextWord(std::string_view text, size_t at, bool big) {
  if (at >= text.size()) return text.size();
  const int kind = ClassOf(text[at], big);
  while (at < text.size() && kind != 0 && ClassOf(text[at], big) == kind) ++at;
  while (at < text.size() && IsBlank(text[at])) ++at;
  return at;
}

size_t PreviousWord(std::string_view text, size_t at, bool big) {
  while (at > 0 && IsBlank(text[at - 1])) --at;
  if (at == 0) return 0;
  const int kind = ClassOf(text[at - 1], big);
  while (at > 0 && ClassOf(text[at - 1], big) == kind) --at;
  return at;
}

size_t EndOfWord(std::string_view text, size_t at, bool big) {
  ++at;
  while (at < text.size() && IsBlank(text[at])) ++at;
  if (at >= text.size()) return text.empty() ? 0 : text.size() - 1;
  const int kind = ClassOf(text[at], big);
  while (at + 1 < text.size() && ClassOf(text[at + 1], big) == kind) ++at;
  return at;
}

size_t EndOfPreviousWord(std::string_view text, size_t at, bool big) {
  if (at >= text.size()) return text.empty() ? 0 : text.size() - 1;
  const int kind = ClassOf(text[at], big);
  while (at > 0 && kind != 0 && ClassOf(text[at], big) == kind) --at;
  while (at > 0 && IsBlank(text[at])) --at;
  return at;
}

// Returns the offset of the blank line before or after `at`, or the end of the text.
size_t BlankLine(const TextBuffer& buffer, size_t at, bool forward) {
  const std::string& text = buffer.text();
  if (forward) {
    for (size_t end = buffer.LineEnd(at); end < text.size(); end = buffer.LineEnd(end + 1))
      if (end + 1 == buffer.LineEnd(end + 1)) return end + 1;
    return text.size();
  }
  for (size_t start = buffer.LineStart(at); start > 0; start = buffer.LineStart(start - 1))
    if (buffer.LineStart(start - 1) == start - 1) return start - 1;
  return 0;
}

size_t MovedOnce(const std::string& motion, size_t at, const TextBuffer& buffer) {
  const std::string& text = buffer.text();
  switch (motion[0]) {
    case 'h':
      return at > buffer.LineStart(at) ? buffer.Before(at) : at;
    case 'w':
    case 'W':
      return NextWord(text, at, motion == "W");
    case 'b':
    case 'B':
      return PreviousWord(text, at, motion == "B");
    case 'e':
    case 'E':
      return buffer.Before(EndOfWord(text, at, motion == "E") + 1);
    case 'g':
      return buffer.Before(EndOfPreviousWord(text, at, motion == "gE") + 1);
    case '{':
    case '}':
      return BlankLine(buffer, at, motion == "}");
    default:
      return at < buffer.LineEnd(at) ? buffer.After(at) : at;
  }
}

std::optional<ViMotion> Find(const ViFind& find, int times, bool again, const TextBuffer& buffer) {
  const std::string& text = buffer.text();
  const bool back = find.kind == 'F' || find.kind == 'T';
  const bool before = find.kind == 't' || find.kind == 'T';
  size_t at = buffer.cursor();
  const size_t start = buffer.LineStart(), end = buffer.LineEnd();
  // A repeated t does not stop at the character that the cursor is already beside.
  if (again && before) at = back ? buffer.Before(at) : buffer.After(at);
  for (int i = 0; i < times; ++i) {
    if (back) {
      at = at == 0 ? text.npos : text.rfind(find.character, at - 1);
      if (at == text.npos || at < start) return std::nullopt;
    } else {
      at = text.find(find.character, std::min(buffer.After(at), text.size()));
      if (at == text.npos || at >= end) return std::nullopt;
    }
  }
  if (find.kind == 't') at = buffer.Before(at);
  if (find.kind == 'T') at = buffer.After(at);
  return ViMotion{at, !back, false};
}

std::optional<ViMotion> RepeatedFind(bool other_way, int times, ViFind find,
                                     const TextBuffer& buffer) {
  constexpr std::string_view kKinds = "fFtT", kOther = "FfTt";
  const size_t kind = kKinds.find(find.kind);
  if (kind == kKinds.npos) return std::nullopt;
  if (other_way) find.kind = kOther[kind];
  return Find(find, times, true, buffer);
}

// Returns the offset of the bracket that matches the first one on the line from the cursor on.
std::optional<ViMotion> Bracket(const TextBuffer& buffer) {
  const std::string& text = buffer.text();
  const size_t bracket = text.find_first_of("()[]{}", buffer.cursor());
  if (bracket >= buffer.LineEnd()) return std::nullopt;
  const size_t other = MatchingBracket(text, TokensOf(text), bracket);
  if (other == text.npos) return std::nullopt;
  return ViMotion{other, true, false};
}

// Returns the first word of the line that is `lines` below the cursor's, or above it if negative.
std::optional<ViMotion> LinesAway(int lines, const TextBuffer& buffer) {
  size_t start = buffer.LineStart();
  for (; lines < 0; ++lines) {
    if (start == 0) return std::nullopt;
    start = buffer.LineStart(start - 1);
  }
  for (; lines > 0; --lines) {
    const size_t end = buffer.LineEnd(start);
    if (end == buffer.text().size()) return std::nullopt;
    start = end + 1;
  }
  return ViMotion{start + buffer.Indent(start), false, true};
}

// G and gg move to the line of the count, by default the last and the first one.
ViMotion NumberedLine(const ViCommand& command, const TextBuffer& buffer) {
  const std::string& text = buffer.text();
  const int line = command.count > 0 ? command.count : command.motion == "G" ? INT32_MAX : 1;
  size_t start = 0;
  for (int i = 1; i < line && buffer.LineEnd(start) < text.size(); ++i)
    start = buffer.LineEnd(start) + 1;
  return {start + buffer.Indent(start), false, true};
}

// Returns the destination of a motion to a position in the line.
std::optional<ViMotion> InLine(const ViCommand& command, const TextBuffer& buffer) {
  const size_t start = buffer.LineStart(), end = buffer.LineEnd();
  size_t at = start;
  switch (command.motion[0]) {
    case '0':
      return ViMotion{start};
    case '^':
      return ViMotion{start + buffer.Indent(start)};
    case '$':
      return ViMotion{end};
    case '|':
      for (int i = 1; i < command.times() && at < end; ++i) at = buffer.After(at);
      return ViMotion{at};
    default:
      break;
  }
  if (command.motion != "g_") return std::nullopt;
  for (at = end; at > start + 1 && IsBlank(buffer.text()[at - 1]);) --at;
  return ViMotion{buffer.Before(at), true, false};
}

// "cw" changes a word without the blanks that follow it, and "dw" does not join lines.
ViMotion WordMotion(const ViCommand& command, const TextBuffer& buffer) {
  const std::string& text = buffer.text();
  const size_t cursor = buffer.cursor();
  const bool big = command.motion == "W";
  size_t at = cursor;
  if (command.verb == "c" && at < text.size() && !IsBlank(text[at])) {
    // The end of the word may be under the cursor.
    const size_t next = buffer.After(at);
    const bool ends = next == text.size() || ClassOf(text[next], big) != ClassOf(text[at], big);
    for (int i = ends ? 1 : 0; i < command.times(); ++i) at = EndOfWord(text, at, big);
    return {buffer.Before(at + 1), true, false};
  }
  for (int i = 0; i < command.times(); ++i) at = NextWord(text, at, big);
  if (command.verb.empty()) return {at, false, false};
  size_t end = at;
  while (end > cursor && IsBlank(text[end - 1])) --end;
  const size_t newline = text.find('\n', end);
  return {newline < at ? newline : at, false, false};
}

// ---- text objects ----

std::optional<ViRange> Word(const ViCommand& command, const TextBuffer& buffer) {
  const std::string& text = buffer.text();
  const bool big = command.motion[1] == 'W', around = command.motion[0] == 'a';
  const size_t start = buffer.LineStart(), end = buffer.LineEnd();
  size_t from = buffer.cursor();
  if (from == end) return std::nullopt;
  const auto kind = [&](size_t at) { return ClassOf(text[at], big); };
  const auto run_end = [&](size_t at) {
    const int of = at < end ? kind(at) : 0;
    while (at < end && kind(at) == of) ++at;
    return at;
  };
  const int here = kind(from);
  while (from > start && kind(from - 1) == here) --from;
  size_t to = from;
  for (int i = 0; i < command.times() && to < end; ++i) {
    to = run_end(to);
    if (around && (here == 0 || (to < end && kind(to) == 0))) to = run_end(to);
  }
  // A word at the end of the line takes the blanks before it.
  if (around && here != 0 && !IsBlank(text[to - 1]))
    while (from > start && kind(from - 1) == 0) --from;
  return ViRange{from, to, false};
}

// A string on the line: the one around the cursor, or the first one after it.
std::optional<ViRange> Quoted(char quote, bool around, const TextBuffer& buffer) {
  const std::string& text = buffer.text();
  const size_t end = buffer.LineEnd();
  size_t open = text.npos;
  for (size_t at = buffer.LineStart(); at < end; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == quote && open == text.npos) {
      open = at;
    } else if (text[at] == quote) {
      if (at >= buffer.cursor()) {
        if (!around) return ViRange{open + 1, at, false};
        size_t to = at + 1;
        while (to < end && text[to] == ' ') ++to;
        return ViRange{open, to, false};
      }
      open = text.npos;
    }
  }
  return std::nullopt;
}

// The text in the innermost brackets around the cursor; with a count, in outer ones.
std::optional<ViRange> Bracketed(char open, char close, bool around, int times,
                                 const TextBuffer& buffer) {
  const std::string& text = buffer.text();
  const size_t cursor = buffer.cursor();
  // A closing bracket under the cursor belongs to the pair.
  size_t at = cursor + (cursor < text.size() && text[cursor] != close ? 1 : 0);
  size_t from = text.npos;
  for (int nested = 0; from == text.npos && at-- > 0;) {
    if (text[at] == close) ++nested;
    if (text[at] == open && nested-- == 0) {
      nested = 0;
      if (--times == 0) from = at;
    }
  }
  if (from == text.npos) return std::nullopt;
  size_t to = from;
  for (int depth = 0; to < text.size(); ++to) {
    if (text[to] == open) ++depth;
    if (text[to] == close && --depth == 0) break;
  }
  if (to == text.size()) return std::nullopt;
  return around ? ViRange{from, to + 1, false} : ViRange{from + 1, to, false};
}

std::optional<ViRange> Object(const ViCommand& command, const TextBuffer& buffer) {
  const bool around = command.motion[0] == 'a';
  const char object = command.motion[1];
  if (object == 'w' || object == 'W') return Word(command, buffer);
  if (std::string_view("\"'`").find(object) != std::string_view::npos)
    return Quoted(object, around, buffer);
  constexpr std::string_view kKinds[] = {"()b", "[]", "{}B", "<>"};
  for (const std::string_view kind : kKinds)
    if (kind.find(object) != kind.npos)
      return Bracketed(kind[0], kind[1], around, command.times(), buffer);
  return std::nullopt;
}

}  // namespace

std::optional<ViMotion> ViMotionOf(const ViCommand& command, const TextBuffer& buffer,
                                   ViFind* find) {
  const std::string& motion = command.motion;
  switch (motion[0]) {
    case 'f':
    case 'F':
    case 't':
    case 'T':
      *find = {motion[0], command.argument};
      return Find(*find, command.times(), false, buffer);
    case ';':
    case ',':
      return RepeatedFind(motion == ",", command.times(), *find, buffer);
    case '%':
      return Bracket(buffer);
    case 'w':
    case 'W':
      return WordMotion(command, buffer);
    case 'G':
      return NumberedLine(command, buffer);
    case 'j':
    case '+':
      return LinesAway(command.times(), buffer);
    case 'k':
    case '-':
      return LinesAway(-command.times(), buffer);
    default:
      break;
  }
  if (motion == "gg") return NumberedLine(command, buffer);
  if (const auto motion_in_line = InLine(command, buffer)) return motion_in_line;
  size_t at = buffer.cursor();
  for (int i = 0; i < command.times(); ++i) at = MovedOnce(motion, at, buffer);
  return ViMotion{at, motion[0] == 'e' || motion[0] == 'E' || motion[0] == 'g', false};
}

std::optional<ViRange> ViRangeOf(const ViCommand& command, const TextBuffer& buffer, ViFind* find) {
  const size_t cursor = buffer.cursor();
  if (command.motion == kViLines) {
    size_t to = buffer.LineEnd();
    for (int i = 1; i < command.times() && to < buffer.text().size(); ++i)
      to = buffer.LineEnd(to + 1);
    return ViRange{buffer.LineStart(), to, true};
  }
  if (command.motion.size() == 2 && (command.motion[0] == 'i' || command.motion[0] == 'a'))
    return Object(command, buffer);
  const auto motion = ViMotionOf(command, buffer, find);
  if (!motion) return std::nullopt;
  const auto [from, to] = std::minmax(cursor, motion->to);
  if (motion->lines) return ViRange{buffer.LineStart(from), buffer.LineEnd(to), true};
  return ViRange{from, motion->inclusive ? buffer.After(to) : to, false};
}

}  // namespace tensh::shell
