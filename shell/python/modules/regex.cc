// The module _re, on which shell/python/library/re.py is built. PCRE2 does the matching: it has the
// look-around, back-references and conditions of Python's patterns. A limit on its steps ensures
// that no pattern hangs the shell.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <cstring>
#include <map>
#include <memory>

#include "shell/python/modules/modules.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

// The values of re.ASCII, re.IGNORECASE and the other flags in CPython.
enum Flag : int64_t { kIgnoreCase = 2, kMultiline = 8, kDotAll = 16, kVerbose = 64, kAscii = 256 };

// About a second.
constexpr uint32_t kMatchSteps = 10'000'000;
constexpr uint32_t kMatchKilobytes = 64 * 1024;

// Translates {,n} and the few escapes that have another meaning in PCRE2. Rejects escapes that
// Python does not have but PCRE2 does.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : in_(pattern) {}

  // Returns false if the pattern has a bad escape; then error() says which.
  bool Run(std::string* out) {
    while (at_ < in_.size() && error_.empty()) Step();
    *out = std::move(out_);
    return error_.empty();
  }
  const std::string& error() const { return error_; }

 private:
  void Step() {
    const char c = in_[at_];
    if (c == '\\' && at_ + 1 < in_.size()) return Escape(in_[at_ + 1]);
    if (in_class_) {
      in_class_ = c != ']' || at_ == class_begin_;
    } else if (c == '[') {
      in_class_ = true;
      class_begin_ = at_ + 1 + (in_.substr(at_ + 1, 1) == "^");
    } else if (in_.substr(at_, 2) == "{,") {
      out_ += "{0";
      ++at_;
      return;
    }
    out_ += c;
    ++at_;
  }

  void Escape(char name) {
    static constexpr struct {
      char name;
      // the translation outside and inside of a set; null if the escape is invalid there
      const char *alone, *in_class;
    } kOther[] = {
        {'Z', "\\z", nullptr},
        {'v', "\\x0b", "\\x0b"},
        {'s', "[\\s\\x1c-\\x1f]", "\\s\\x1c-\\x1f"},
        {'S', "[^\\s\\x1c-\\x1f]", "\\S"},
    };
    const bool letter = (name >= 'a' && name <= 'z') || (name >= 'A' && name <= 'Z');
    if (letter && !std::strchr("AbBdDsSwWZafnrtvxuU", name)) {
      error_ = std::string("bad escape \\") + name + " at position " + std::to_string(at_);
      return;
    }
    std::string text(in_.substr(at_, 2));
    at_ += 2;
    for (const auto& row : kOther) {
      const char* other = in_class_ ? row.in_class : row.alone;
      if (row.name == name && other) text = other;
    }
    if (name == 'u' || name == 'U') {  // \u20ac becomes \x{20ac}
      const size_t digits = name == 'u' ? 4 : 8;
      text = "\\x{" + std::string(in_.substr(at_, digits)) + "}";
      at_ = std::min(at_ + digits, in_.size());
    }
    out_ += text;
  }

  std::string_view in_;
  std::string out_, error_;
  size_t at_ = 0, class_begin_ = 0;
  bool in_class_ = false;
};

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* p) const {
    kFree(p);
  }
};
struct Regex {
  std::unique_ptr<pcre2_code, Free<pcre2_code_free>> code;  // null if the pattern is invalid
  std::unique_ptr<pcre2_match_data, Free<pcre2_match_data_free>> match;  // of the last match
  std::string error;
  uint32_t groups = 0;
};

std::string Message(int error) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(error, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

Regex Compile(const std::string& pattern, int64_t flags) {
  Regex made;
  Translator translator(pattern);
  std::string translated;
  if (!translator.Run(&translated)) {
    made.error = translator.error();
    return made;
  }
  // In Python, ^ also matches after a newline that ends the text.
  uint32_t options = PCRE2_UTF | PCRE2_ALT_CIRCUMFLEX;
  if (!(flags & kAscii)) options |= PCRE2_UCP;
  if (flags & kIgnoreCase) options |= PCRE2_CASELESS;
  if (flags & kMultiline) options |= PCRE2_MULTILINE;
  if (flags & kDotAll) options |= PCRE2_DOTALL;
  if (flags & kVerbose) options |= PCRE2_EXTENDED;
  static auto* context = [] {
    auto* made = pcre2_compile_context_create(nullptr);
    pcre2_set_newline(made, PCRE2_NEWLINE_LF);
    return made;
  }();
  int error = 0;
  size_t at = 0;
  made.code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                                options, &error, &at, context));
  if (!made.code) {
    made.error = Message(error) + " at position " + std::to_string(at);
    return made;
  }
  pcre2_pattern_info(made.code.get(), PCRE2_INFO_CAPTURECOUNT, &made.groups);
  made.match.reset(pcre2_match_data_create_from_pattern(made.code.get(), nullptr));
  return made;
}

// Returns the compiled pattern from a cache, because scripts call re.sub in loops. The
// interpreter's lock protects the cache and the patterns in it.
std::shared_ptr<const Regex> Compiled(const std::string& pattern, int64_t flags) {
  static auto* cache = new std::map<std::pair<int64_t, std::string>, std::shared_ptr<const Regex>>;
  if (auto found = cache->find({flags, pattern}); found != cache->end()) return found->second;
  if (cache->size() > 256) cache->clear();
  auto made = std::make_shared<const Regex>(Compile(pattern, flags));
  return (*cache)[{flags, pattern}] = made;
}

// Converts byte offsets of a text to code point offsets. It counts from the last offset, because
// the next one is near.
class Positions {
 public:
  explicit Positions(std::string_view text) : text_(text) {}
  int64_t CodePoint(size_t byte) {
    while (byte < byte_) code_point_ -= !IsContinuation(--byte_);
    for (; byte_ < byte; ++byte_) code_point_ += !IsContinuation(byte_);
    return code_point_;
  }
  size_t Byte(int64_t code_point) const {
    size_t byte = 0;
    for (; byte < text_.size(); ++byte) {
      if (IsContinuation(byte)) continue;
      if (code_point-- <= 0) break;
    }
    return byte;
  }

 private:
  bool IsContinuation(size_t byte) const { return (text_[byte] & 0xC0) == 0x80; }
  std::string_view text_;
  size_t byte_ = 0;
  int64_t code_point_ = 0;
};

// info(pattern, flags): returns (number of groups, {name: group}), or an error message for an
// invalid pattern.
Value Info(Args& a) {
  const auto re = Compiled(ToText(a[0], "pattern"), ToIndex(a[1]));
  if (!re->code) return MakeStr(re->error);
  uint32_t count = 0, width = 0;
  const unsigned char* table = nullptr;
  pcre2_pattern_info(re->code.get(), PCRE2_INFO_NAMECOUNT, &count);
  pcre2_pattern_info(re->code.get(), PCRE2_INFO_NAMEENTRYSIZE, &width);
  pcre2_pattern_info(re->code.get(), PCRE2_INFO_NAMETABLE, &table);
  std::map<int, std::string> by_group;  // Python lists the names in this order
  for (uint32_t i = 0; i < count; ++i, table += width)
    by_group[table[0] << 8 | table[1]] = reinterpret_cast<const char*>(table + 2);
  Value names = MakeDict();
  for (const auto& [group, name] : by_group)
    As<DictObject>(names)->dict.Set(name, Value::Int(group));
  return MakeTuple({Value::Int(re->groups), names});
}

pcre2_match_context* MatchLimits() {
  static auto* limits = [] {
    auto* made = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(made, kMatchSteps);
    pcre2_set_heap_limit(made, kMatchKilobytes);
    return made;
  }();
  return limits;
}

[[noreturn]] void ThrowMatchError(int error) {
  if (error == PCRE2_ERROR_MATCHLIMIT || error == PCRE2_ERROR_HEAPLIMIT)
    throw RuntimeError("the regular expression takes too many steps on this text")
        .Hint("Nested repetitions such as (a+)+ try exponentially many ways; make them exclusive");
  throw ValueError("the text cannot be matched: " + Message(error));
}

// spans(pattern, flags, text, pos, endpos, limit, anchor): returns a tuple for each match from left
// to right: (begin, end, begin of group 1, end of group 1, …), with -1 for a group that did not
// match. anchor: 0 matches anywhere, 1 only at pos, 2 from pos to endpos. A match may be empty, but
// not directly after another empty match.
Value Spans(Args& a) {
  const auto re = Compiled(ToText(a[0], "pattern"), ToIndex(a[1]));
  const std::string text = ToText(a[2], "string");
  Positions positions(text);
  const int64_t limit = ToIndex(a[5]);
  const int64_t anchor = ToIndex(a[6]);
  const uint32_t anchors = (anchor > 0 ? PCRE2_ANCHORED : 0) | (anchor > 1 ? PCRE2_ENDANCHORED : 0);
  const size_t end = positions.Byte(ToIndex(a[4]));
  const size_t* const bounds = pcre2_get_ovector_pointer(re->match.get());
  std::vector<Value> out;
  uint32_t options = anchors;
  for (size_t at = positions.Byte(ToIndex(a[3])); static_cast<int64_t>(out.size()) < limit;) {
    const int found = pcre2_match(re->code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), end,
                                  at, options, re->match.get(), MatchLimits());
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0) ThrowMatchError(found);
    std::vector<Value> span;
    for (size_t i = 0; i < 2 * size_t{re->groups} + 2; ++i)
      span.push_back(Value::Int(bounds[i] == PCRE2_UNSET ? -1 : positions.CodePoint(bounds[i])));
    out.push_back(MakeTuple(std::move(span)));
    at = bounds[1];
    // The first call has checked that the text is UTF-8.
    options = anchors | PCRE2_NO_UTF_CHECK | (bounds[0] == at ? PCRE2_NOTEMPTY_ATSTART : 0);
  }
  return MakeList(std::move(out));
}

const FunctionRow kRows[] = {
    {"info", "pattern, flags, /", Info},
    {"spans", "pattern, flags, text, pos, endpos, limit, anchor, /", Spans},
};

}  // namespace

const ModuleDef kRegexModule = {.name = "_re", .functions = kRows};

}  // namespace tensh::shell
