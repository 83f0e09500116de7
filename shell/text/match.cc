#include "shell/text/match.h"

#include <algorithm>

#include "runtime/base/text.h"

namespace tensh::shell {
namespace {

// Returns the length of the character at the front, given by its first byte. An invalid byte counts
// as a character.
size_t Length(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  const size_t length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  return std::min(length, text.size());
}

// Returns true if a set such as "a-z_" contains the character.
bool InSet(std::string_view set, std::string_view c) {
  const bool inverted = set.starts_with('^');
  if (inverted) set.remove_prefix(1);
  bool found = false;
  while (!set.empty() && !found) {
    const std::string_view low = set.substr(0, Length(set));
    set.remove_prefix(low.size());
    std::string_view high = low;
    if (set.size() >= 2 && set[0] == '-') {
      set.remove_prefix(1);
      high = set.substr(0, Length(set));
      set.remove_prefix(high.size());
    }
    found = low <= c && c <= high;  // UTF-8 sorts like the code points
  }
  return found != inverted;
}

constexpr size_t kStepsPerStop = size_t{1} << 16;

}  // namespace

// Adds the set at the front of the text, "[a-z]…", and returns its length; 0 if it is not closed.
size_t Pattern::AddSet(std::string_view text) {
  const size_t first = text.substr(1).starts_with('^') ? 3 : 2;  // a ] that comes first is a member
  const size_t close = text.find(']', first);
  if (close == std::string_view::npos) return 0;
  elements_.push_back({Element::Kind::kSet, std::string(text.substr(1, close - 1))});
  return close + 1;
}

Pattern::Pattern(PatternKind kind, std::string_view text, char escape) : kind_(kind) {
  const char any = kind == PatternKind::kLike ? '%' : '*';
  const char one = kind == PatternKind::kLike ? '_' : '?';
  while (!text.empty()) {
    size_t used = 0;
    if (escape != '\0' && text[0] == escape && text.size() > 1) {
      text.remove_prefix(1);
    } else if (text[0] == any || text[0] == one) {
      const bool many = text[0] == any;
      if (!many || elements_.empty() || elements_.back().kind != Element::Kind::kAny)
        elements_.push_back({many ? Element::Kind::kAny : Element::Kind::kOne});
      used = 1;
    } else if (kind == PatternKind::kGlob && text[0] == '[') {
      used = AddSet(text);
    }
    if (used == 0) {
      used = Length(text);
      elements_.push_back({Element::Kind::kText, std::string(text.substr(0, used))});
    }
    text.remove_prefix(used);
  }
}

size_t Pattern::MatchOne(const Element& element, std::string_view text) const {
  const size_t length = Length(text);
  if (element.kind == Element::Kind::kOne) return length;
  const std::string_view c = text.substr(0, length);
  if (element.kind == Element::Kind::kSet) return InSet(element.text, c) ? length : 0;
  if (kind_ == PatternKind::kLike && length == 1 && element.text.size() == 1)
    return AsciiLower(c[0]) == AsciiLower(element.text[0]) ? 1 : 0;
  return c == element.text ? length : 0;
}

// After a mismatch, only the last % is extended; extending an earlier one could not lead to another
// match.
bool Pattern::Matches(std::string_view text, const std::function<bool()>& stop) const {
  size_t at = 0, p = 0, resume = SIZE_MAX, mark = 0, steps = 0;
  while (at < text.size()) {
    if (++steps % kStepsPerStop == 0 && stop && stop()) return false;
    if (p < elements_.size() && elements_[p].kind == Element::Kind::kAny) {
      resume = ++p;
      mark = at;
      continue;
    }
    const size_t length = p < elements_.size() ? MatchOne(elements_[p], text.substr(at)) : 0;
    if (length > 0) {
      ++p;
      at += length;
    } else if (resume != SIZE_MAX) {
      p = resume;
      mark += Length(text.substr(mark));
      at = mark;
    } else {
      return false;
    }
  }
  while (p < elements_.size() && elements_[p].kind == Element::Kind::kAny) ++p;
  return p == elements_.size();
}

}  // namespace tensh::shell
