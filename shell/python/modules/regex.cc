// The module _re, on which shell/python/library/re.py is built. RE2 does the matching in time linear
// in the length of the text, so that no pattern can hang the shell. RE2 has no look-around and no
// back-references; patterns that need them raise an error that says so.
#include <re2/re2.h>

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

// Translates a Python pattern to RE2's syntax: classes become Unicode classes, \Z becomes \z, and
// {,n} becomes {0,n}. In verbose patterns, white space and comments are removed.
class Translator {
 public:
  Translator(std::string_view pattern, int64_t flags) : in_(pattern), flags_(flags) {}

  std::string Run() {
    std::string inline_flags;
    if (flags_ & kIgnoreCase) inline_flags += 'i';
    if (flags_ & kMultiline) inline_flags += 'm';
    if (flags_ & kDotAll) inline_flags += 's';
    if (!inline_flags.empty()) out_ = "(?" + inline_flags + ")";
    while (at_ < in_.size()) Step();
    return std::move(out_);
  }

 private:
  void Step() {
    const char c = in_[at_];
    if (c == '\\' && at_ + 1 < in_.size()) return Escape();
    if (in_class_) {
      if (c == ']' && at_ > class_begin_) in_class_ = false;
    } else if (c == '[') {
      in_class_ = true;
      class_begin_ = at_ + 1 + (in_.substr(at_ + 1, 1) == "^");
      // Python takes this ] literally; RE2 requires an escape.
      if (in_.substr(class_begin_, 1) == "]") {
        out_ += std::string(in_.substr(at_, class_begin_ - at_)) + "\\]";
        at_ = class_begin_ + 1;
        return;
      }
    } else if (in_.substr(at_, 3) == "(?#") {
      at_ = std::min(in_.find(')', at_), in_.size() - 1) + 1;
      return;
    } else if (in_.substr(at_, 2) == "{,") {
      out_ += "{0";
      ++at_;
      return;
    } else if (flags_ & kVerbose) {
      if (c == '#') at_ = std::min(in_.find('\n', at_), in_.size());
      if (c == '#' || std::strchr(" \t\n\r\f\v", c)) {
        at_ += c != '#';
        return;
      }
    }
    out_ += c;
    ++at_;
  }

  void Escape() {
    static constexpr struct {
      char name;
      const char *alone, *in_class;  // Null: copied unchanged.
    } kUnicode[] = {
        {'w', "[\\pL\\pN_]", "\\pL\\pN_"},
        {'W', "[^\\pL\\pN_]", nullptr},
        {'d', "\\p{Nd}", "\\p{Nd}"},
        {'D', "\\P{Nd}", "\\P{Nd}"},
        {'s', "[\\s\\v\\x1c-\\x1f\\x85\\p{Z}]", "\\s\\v\\x1c-\\x1f\\x85\\p{Z}"},
        {'S', "[^\\s\\v\\x1c-\\x1f\\x85\\p{Z}]", nullptr},
    };
    const char name = in_[at_ + 1];
    std::string text(in_.substr(at_, 2));
    if (name == 'Z') text = "\\z";
    if (!(flags_ & kAscii)) {
      for (const auto& row : kUnicode) {
        const char* better = in_class_ ? row.in_class : row.alone;
        if (row.name == name && better) text = better;
      }
    }
    out_ += text;
    at_ += 2;
  }

  std::string_view in_;
  const int64_t flags_;
  std::string out_;
  size_t at_ = 0, class_begin_ = 0;
  bool in_class_ = false;
};

// Returns the compiled pattern from a cache, because scripts call re.sub in loops. The
// interpreter's lock protects the cache.
std::shared_ptr<const RE2> Compiled(const std::string& pattern, int64_t flags) {
  static auto* cache = new std::map<std::pair<int64_t, std::string>, std::shared_ptr<const RE2>>;
  auto& found = (*cache)[{flags, pattern}];
  if (!found) {
    RE2::Options options;
    options.set_log_errors(false);
    auto made = std::make_shared<const RE2>(Translator(pattern, flags).Run(), options);
    if (cache->size() > 256)
      cache->clear();
    else
      found = made;
    return made;
  }
  return found;
}

// Converts byte offsets of a text to code point offsets. It continues from the last offset, because
// offsets are requested from left to right.
class Positions {
 public:
  explicit Positions(std::string_view text) : text_(text) {}
  int64_t CodePoint(size_t byte) {
    if (byte < byte_) byte_ = 0, code_point_ = 0;
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
  size_t Next(size_t byte) const {
    for (++byte; byte < text_.size() && IsContinuation(byte);) ++byte;
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
  if (!re->ok()) return MakeStr(re->error());
  Value names = MakeDict();
  for (const auto& [group, name] : re->CapturingGroupNames())
    As<DictObject>(names)->dict.Set(name, Value::Int(group));
  return MakeTuple({Value::Int(re->NumberOfCapturingGroups()), names});
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
  const int64_t anchor_code = ToIndex(a[6]);
  const auto anchor = anchor_code == 0   ? RE2::UNANCHORED
                      : anchor_code == 1 ? RE2::ANCHOR_START
                                         : RE2::ANCHOR_BOTH;
  const size_t end = positions.Byte(ToIndex(a[4]));
  std::vector<re2::StringPiece> groups(static_cast<size_t>(re->NumberOfCapturingGroups()) + 1);
  const re2::StringPiece subject(text.data(), end);
  std::vector<Value> out;
  bool must_advance = false;
  size_t at = positions.Byte(ToIndex(a[3]));
  for (const size_t first = at; at <= end && static_cast<int64_t>(out.size()) < limit;) {
    if (!re->Match(subject, at, end, anchor, groups.data(), static_cast<int>(groups.size()))) break;
    const size_t from = static_cast<size_t>(groups[0].data() - text.data());
    if (groups[0].empty() && from == at && must_advance) {
      at = positions.Next(at);
      must_advance = false;
      if (anchor != RE2::UNANCHORED && at != first) break;
      continue;
    }
    std::vector<Value> span;
    for (const re2::StringPiece& group : groups) {
      const size_t begin = group.data() ? static_cast<size_t>(group.data() - text.data()) : 0;
      span.push_back(Value::Int(group.data() ? positions.CodePoint(begin) : -1));
      span.push_back(Value::Int(group.data() ? positions.CodePoint(begin + group.size()) : -1));
    }
    out.push_back(MakeTuple(std::move(span)));
    at = from + groups[0].size();
    must_advance = groups[0].empty();
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
