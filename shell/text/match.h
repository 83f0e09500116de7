// Patterns of SQL's LIKE and GLOB, matched in time proportional to the length of the pattern times
// that of the text. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

enum class PatternKind : uint8_t {
  kLike,  // % stands for any text and _ for one character; ASCII letters match in either case
  kGlob,  // * stands for any text, ? for one character, and [a-z] or [^a-z] for one of a set
};

class Pattern {
 public:
  // The character `escape`, unless it is 0, makes the next character of a LIKE pattern an ordinary
  // one.
  Pattern(PatternKind kind, std::string_view text, char escape = '\0');

  // `stop` is called periodically; if it returns true, the result is false.
  bool Matches(std::string_view text, const std::function<bool()>& stop = nullptr) const;

 private:
  struct Element {
    enum class Kind : uint8_t { kText, kOne, kAny, kSet };
    Kind kind = Kind::kText;
    std::string text = {};  // one character of UTF-8; for a set, the text between the brackets
  };
  // Returns the length of the character at the front of the text if the element matches it;
  // otherwise 0.
  size_t MatchOne(const Element& element, std::string_view text) const;
  size_t AddSet(std::string_view text);

  PatternKind kind_;
  std::vector<Element> elements_;
};

}  // namespace tensh::shell
