#include "shell/python/values/text/str_methods.h"

#include <algorithm>

#include "shell/python/values/bigint.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/text/unicode.h"

namespace tensh::shell {
namespace {

std::string_view Self(Args& a) { return StrView(a.self()); }

std::string_view TextArg(Args& a, size_t i, const char* method) {
  auto* s = As<StrObject>(a[i]);
  if (!s) {
    throw TypeError(std::string(method) + "() argument " + std::to_string(i + 1) +
                    " must be str, not " + TypeName(a[i]));
  }
  return s->view();
}

// ---- case ----

using unicode::IsAlpha, unicode::IsCased, unicode::IsDigit, unicode::IsLower, unicode::IsNumeric,
    unicode::IsSpace, unicode::IsUpper, unicode::Lower, unicode::Upper;

enum class Case : uint8_t { kLower, kUpper, kSwap };
std::string ToCase(std::string_view text, Case to) {
  constexpr uint32_t kSharpS = 0xDF, kCapitalSigma = 0x3A3, kFinalSigma = 0x3C2;
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    const uint32_t c = DecodeUtf8(text, &i);
    const bool lower = to == Case::kLower || (to == Case::kSwap && IsUpper(c));
    if (!lower && c == kSharpS) {
      out += "SS";
    } else if (lower && c == kCapitalSigma &&
               unicode::EndsWord(text.substr(0, begin), text.substr(i))) {
      AppendUtf8(kFinalSigma, &out);
    } else {
      AppendUtf8(lower ? Lower(c) : Upper(c), &out);
    }
  }
  return out;
}
template <Case To>
Value Cased(Args& a) {
  return MakeStr(ToCase(Self(a), To));
}
Value CaseFold(Args& a) {
  std::string out;
  std::string_view text = Self(a);
  for (size_t i = 0; i < text.size();) {
    const uint32_t c = DecodeUtf8(text, &i);
    if (c == 0xDF)
      out += "ss";
    else
      AppendUtf8(c == 0x3C2 ? 0x3C3 : Lower(c), &out);
  }
  return MakeStr(std::move(out));
}
// Returns the text with the first letter of each word, or of the whole text, in upper case.
Value Capitals(std::string_view text, bool each_word) {
  std::string out;
  bool inside = false;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    const uint32_t c = DecodeUtf8(text, &i);
    const std::string_view one = text.substr(begin, i - begin);
    if (inside && c == 0x3A3) {
      out += unicode::EndsWord(text.substr(0, begin), text.substr(i)) ? "\xCF\x82" : "\xCF\x83";
    } else if (inside) {
      out += ToCase(one, Case::kLower);
    } else {
      out += c == 0xDF ? "Ss" : ToCase(one, Case::kUpper);
    }
    inside = each_word ? IsCased(c) : true;
  }
  return MakeStr(std::move(out));
}
Value Capitalize(Args& a) { return Capitals(Self(a), false); }
Value Title(Args& a) { return Capitals(Self(a), true); }

// ---- tests ----

template <bool (*Test)(uint32_t)>
Value AllAre(Args& a) {
  std::string_view text = Self(a);
  if (text.empty()) return Value::Bool(false);
  for (size_t i = 0; i < text.size();) {
    if (!Test(DecodeUtf8(text, &i))) return Value::Bool(false);
  }
  return Value::Bool(true);
}
bool IsAlnum(uint32_t c) { return IsAlpha(c) || IsNumeric(c); }
template <bool (*Bad)(uint32_t), bool (*Good)(uint32_t)>
Value CasedAs(Args& a) {
  std::string_view text = Self(a);
  bool any = false;
  for (size_t i = 0; i < text.size();) {
    uint32_t c = DecodeUtf8(text, &i);
    if (Bad(c)) return Value::Bool(false);
    any = any || Good(c);
  }
  return Value::Bool(any);
}
Value IsTitle(Args& a) {
  std::string_view text = Self(a);
  bool any = false, inside = false;
  for (size_t i = 0; i < text.size();) {
    uint32_t c = DecodeUtf8(text, &i);
    if (IsUpper(c) ? inside : IsLower(c) && !inside) return Value::Bool(false);
    inside = IsCased(c);
    any = any || inside;
  }
  return Value::Bool(any);
}
Value IsAscii(Args& a) {
  return Value::Bool(std::all_of(Self(a).begin(), Self(a).end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 128; }));
}
Value IsIdentifier(Args& a) {
  std::string_view text = Self(a);
  if (text.empty()) return Value::Bool(false);
  for (size_t i = 0; i < text.size();) {
    bool first = i == 0;
    uint32_t c = DecodeUtf8(text, &i);
    if (c != '_' && !IsAlpha(c) && (first || !IsDigit(c))) return Value::Bool(false);
  }
  return Value::Bool(true);
}
bool PrintablePoint(uint32_t c) { return c >= 32 && c != 127 && (c == ' ' || !IsSpace(c)); }
Value IsPrintable(Args& a) {
  return Self(a).empty() ? Value::Bool(true) : AllAre<PrintablePoint>(a);
}

// ---- search ----

// Reads the range [start, end) from the arguments that begin at `at`. It counts code points, is
// clipped to the text, and is returned as byte offsets.
bool Range(Args& a, size_t at, size_t* begin, size_t* end) {
  auto& s = *static_cast<StrObject*>(a.self().object());
  const int64_t n = s.length();
  auto bound = [&](size_t i, int64_t fallback) {
    if (i >= a.size() || a[i].is_null() || a[i].is_none()) return fallback;
    int64_t v = IsBigInt(a[i]) ? (BigNegative(a[i]) ? -n : INT64_MAX) : ToIndex(a[i]);
    return v < 0 ? std::max<int64_t>(0, v + n) : v;
  };
  const int64_t from = bound(at, 0), to = std::min(n, bound(at + 1, n));
  if (from > to) return false;
  *begin =
      s.ascii() ? static_cast<size_t>(from) : CodePointOffset(s.view(), static_cast<size_t>(from));
  *end = s.ascii() ? static_cast<size_t>(to) : CodePointOffset(s.view(), static_cast<size_t>(to));
  return true;
}

int64_t Search(Args& a, bool last, const char* method) {
  auto* needle = As<StrObject>(a[0]);
  if (!needle) throw TypeError("must be str, not " + TypeName(a[0]));
  (void)method;
  size_t begin, end;
  if (!Range(a, 1, &begin, &end)) return -1;
  std::string_view text = Self(a).substr(0, end);
  size_t found;
  if (last) {
    found = text.rfind(needle->view());
    if (found != text.npos && found < begin) found = text.npos;
  } else {
    found = text.find(needle->view(), begin);
  }
  return found == text.npos ? -1 : static_cast<int64_t>(CodePoints(text.substr(0, found)));
}
Value Find(Args& a) { return Value::Int(Search(a, false, "find")); }
Value RFind(Args& a) { return Value::Int(Search(a, true, "rfind")); }
Value Index(Args& a) {
  int64_t i = Search(a, false, "index");
  if (i < 0) throw ValueError("substring not found");
  return Value::Int(i);
}
Value RIndex(Args& a) {
  int64_t i = Search(a, true, "rindex");
  if (i < 0) throw ValueError("substring not found");
  return Value::Int(i);
}
Value Count(Args& a) {
  auto* needle = As<StrObject>(a[0]);
  if (!needle) throw TypeError("must be str, not " + TypeName(a[0]));
  size_t begin, end;
  if (!Range(a, 1, &begin, &end)) return Value::Int(0);
  std::string_view text = Self(a).substr(begin, end - begin), sub = needle->view();
  if (sub.empty()) return Value::Int(static_cast<int64_t>(CodePoints(text)) + 1);
  int64_t n = 0;
  for (size_t i = text.find(sub); i != text.npos; i = text.find(sub, i + sub.size())) ++n;
  return Value::Int(n);
}
template <bool AtEnd>
Value Affix(Args& a) {
  size_t begin, end;
  if (!Range(a, 1, &begin, &end)) return Value::Bool(false);
  std::string_view text = Self(a).substr(begin, end - begin);
  auto test = [&](const Value& v) {
    std::string_view s = StrView(v);
    return text.size() >= s.size() &&
           (AtEnd ? text.substr(text.size() - s.size()) : text.substr(0, s.size())) == s;
  };
  const char* name = AtEnd ? "endswith" : "startswith";
  if (auto* tuple = As<TupleObject>(a[0])) {
    for (const Value& v : tuple->items) {
      if (!IsStr(v)) {
        throw TypeError(std::string("tuple for ") + name + " must only contain str, not " +
                        TypeName(v));
      }
      if (test(v)) return Value::Bool(true);
    }
    return Value::Bool(false);
  }
  if (!IsStr(a[0])) {
    throw TypeError(std::string(name) + " first arg must be str or a tuple of str, not " +
                    TypeName(a[0]));
  }
  return Value::Bool(test(a[0]));
}
template <bool AtEnd>
Value RemoveAffix(Args& a) {
  std::string_view text = Self(a), s = TextArg(a, 0, AtEnd ? "removesuffix" : "removeprefix");
  if (AtEnd && !s.empty() && text.size() >= s.size() && text.substr(text.size() - s.size()) == s) {
    return MakeStr(text.substr(0, text.size() - s.size()));
  }
  if (!AtEnd && text.substr(0, s.size()) == s) return MakeStr(text.substr(s.size()));
  return a.self();
}

// ---- split and join ----

std::vector<Value> SplitSpaces(std::string_view text, int64_t limit) {
  std::vector<Value> out;
  size_t i = 0;
  for (;;) {
    size_t begin = i;
    while (i < text.size()) {
      begin = i;
      if (!IsSpace(DecodeUtf8(text, &i))) break;
      begin = i;
    }
    if (begin >= text.size()) return out;
    if (limit >= 0 && static_cast<int64_t>(out.size()) == limit) {
      out.push_back(MakeStr(text.substr(begin)));
      return out;
    }
    size_t end = begin;
    i = begin;
    while (i < text.size()) {
      end = i;
      if (IsSpace(DecodeUtf8(text, &i))) break;
      end = i;
    }
    out.push_back(MakeStr(text.substr(begin, end - begin)));
  }
}

std::vector<Value> SplitSpacesRight(std::string_view text, int64_t limit) {
  std::vector<Value> words = SplitSpaces(text, -1);
  if (limit < 0 || static_cast<int64_t>(words.size()) <= limit) return words;
  // Keeps the last `limit` words; the rest stays one piece.
  std::vector<Value> out;
  size_t end = text.size();
  auto space = [&](size_t at) { return IsSpace(static_cast<unsigned char>(text[at])); };
  for (int64_t n = 0; n < limit; ++n) {
    while (end > 0 && space(end - 1)) --end;
    size_t begin = end;
    while (begin > 0 && !space(begin - 1)) --begin;
    out.push_back(MakeStr(text.substr(begin, end - begin)));
    end = begin;
  }
  while (end > 0 && space(end - 1)) --end;
  if (end > 0) out.push_back(MakeStr(text.substr(0, end)));
  std::reverse(out.begin(), out.end());
  return out;
}

Value Split(Args& a) {
  const int64_t limit = ToSize(a[1]);
  if (a[0].is_none()) return MakeList(SplitSpaces(Self(a), limit));
  if (!IsStr(a[0])) throw TypeError("must be str or None, not " + TypeName(a[0]));
  std::string_view text = Self(a), sep = StrView(a[0]);
  if (sep.empty()) throw ValueError("empty separator");
  std::vector<Value> out;
  size_t begin = 0;
  while (limit < 0 || static_cast<int64_t>(out.size()) < limit) {
    size_t found = text.find(sep, begin);
    if (found == text.npos) break;
    out.push_back(MakeStr(text.substr(begin, found - begin)));
    begin = found + sep.size();
  }
  out.push_back(MakeStr(text.substr(begin)));
  return MakeList(std::move(out));
}
Value RSplit(Args& a) {
  const int64_t limit = ToSize(a[1]);
  if (a[0].is_none()) return MakeList(SplitSpacesRight(Self(a), limit));
  if (!IsStr(a[0])) throw TypeError("must be str or None, not " + TypeName(a[0]));
  std::string_view text = Self(a), sep = StrView(a[0]);
  if (sep.empty()) throw ValueError("empty separator");
  std::vector<Value> out;
  size_t end = text.size();
  while (limit < 0 || static_cast<int64_t>(out.size()) < limit) {
    if (end < sep.size()) break;
    size_t found = text.rfind(sep, end - sep.size());
    if (found == text.npos) break;
    out.push_back(MakeStr(text.substr(found + sep.size(), end - found - sep.size())));
    end = found;
  }
  out.push_back(MakeStr(text.substr(0, end)));
  std::reverse(out.begin(), out.end());
  return MakeList(std::move(out));
}
Value SplitLines(Args& a) {
  std::string_view text = Self(a);
  const bool keep = Truth(a[0]);
  std::vector<Value> out;
  for (size_t begin = 0, i = 0; i < text.size();) {
    size_t at = i;
    uint32_t c = DecodeUtf8(text, &i);
    bool ends =
        (c >= 10 && c <= 13) || (c >= 28 && c <= 30) || c == 0x85 || c == 0x2028 || c == 0x2029;
    if (c == '\r' && i < text.size() && text[i] == '\n') ++i;
    if (ends || i == text.size()) {
      out.push_back(MakeStr(text.substr(begin, (ends && !keep ? at : i) - begin)));
      begin = i;
    }
  }
  return MakeList(std::move(out));
}
template <bool Last>
Value Partition(Args& a) {
  if (!IsStr(a[0])) throw TypeError("must be str, not " + TypeName(a[0]));
  std::string_view text = Self(a), sep = StrView(a[0]);
  if (sep.empty()) throw ValueError("empty separator");
  size_t found = Last ? text.rfind(sep) : text.find(sep);
  if (found == text.npos) {
    return Last ? MakeTuple({MakeStr(""), MakeStr(""), a.self()})
                : MakeTuple({a.self(), MakeStr(""), MakeStr("")});
  }
  return MakeTuple(
      {MakeStr(text.substr(0, found)), a[0], MakeStr(text.substr(found + sep.size()))});
}
Value Join(Args& a) {
  if (!FindSlot(TypeOf(a[0]), &TypeInfo::iter) && !FindSlot(TypeOf(a[0]), &TypeInfo::getitem)) {
    throw TypeError("can only join an iterable");
  }
  std::string out;
  std::vector<Value> items = ToVector(a[0]);
  for (size_t i = 0; i < items.size(); ++i) {
    if (!IsStr(items[i])) {
      throw TypeError("sequence item " + std::to_string(i) + ": expected str instance, " +
                      TypeName(items[i]) + " found");
    }
    if (i) out += Self(a);
    out += StrView(items[i]);
  }
  return MakeStr(std::move(out));
}

// ---- strip, pad, replace ----

template <bool Left, bool Right>
Value Strip(Args& a) {
  std::string_view text = Self(a);
  if (!a[0].is_none() && !IsStr(a[0])) {
    throw TypeError(std::string(Left ? Right ? "strip" : "lstrip" : "rstrip") +
                    " arg must be None or str");
  }
  auto drop = [&](std::string_view c) {
    if (a[0].is_none()) {
      size_t i = 0;
      return IsSpace(DecodeUtf8(c, &i));
    }
    return StrView(a[0]).find(c) != std::string_view::npos;
  };
  while (Left && !text.empty()) {
    size_t next = CodePointOffset(text, 1);
    if (!drop(text.substr(0, next))) break;
    text.remove_prefix(next);
  }
  while (Right && !text.empty()) {
    size_t last = text.size() - 1;
    while (last > 0 && (text[last] & 0xC0) == 0x80) --last;
    if (!drop(text.substr(last))) break;
    text = text.substr(0, last);
  }
  return MakeStr(text);
}

enum class Side : uint8_t { kLeft, kRight, kCenter };
template <Side S>
Value Justify(Args& a) {
  auto& s = *static_cast<StrObject*>(a.self().object());
  const int64_t width = std::max<int64_t>(0, ToSize(a[0])), missing = width - s.length();
  auto* fill = As<StrObject>(a[1]);
  if (!fill || fill->length() != 1)
    throw TypeError("The fill character must be exactly one character long");
  if (missing <= 0) return a.self();
  if (missing > (1 << 28)) throw MakeError(kMemoryError, "");
  // As in CPython, an odd padding character goes to the left if the width is odd too.
  const int64_t left = S == Side::kLeft    ? 0
                       : S == Side::kRight ? missing
                                           : missing / 2 + (missing & width & 1);
  std::string out;
  for (int64_t i = 0; i < left; ++i) out += fill->view();
  out += s.view();
  for (int64_t i = left; i < missing; ++i) out += fill->view();
  return MakeStr(std::move(out));
}
Value ZFill(Args& a) {
  auto& s = *static_cast<StrObject*>(a.self().object());
  const int64_t missing = std::max<int64_t>(0, ToSize(a[0])) - s.length();
  if (missing <= 0) return a.self();
  if (missing > (1 << 28)) throw MakeError(kMemoryError, "");
  std::string out = s.text();
  size_t at = !out.empty() && (out[0] == '+' || out[0] == '-') ? 1 : 0;
  out.insert(at, static_cast<size_t>(missing), '0');
  return MakeStr(std::move(out));
}
Value ExpandTabs(Args& a) {
  const int64_t size = ToIndex(a[0]);
  std::string out;
  int64_t column = 0;
  for (char c : Self(a)) {
    if (c == '\t') {
      const int64_t n = size > 0 ? size - column % size : 0;
      constexpr int64_t kMost = 1 << 28;
      if (n > kMost - static_cast<int64_t>(out.size())) throw MakeError(kMemoryError, "");
      out.append(static_cast<size_t>(n), ' ');
      column += n;
    } else {
      out += c;
      if ((c & 0xC0) != 0x80) ++column;
      if (c == '\n' || c == '\r') column = 0;
    }
  }
  return MakeStr(std::move(out));
}
Value Replace(Args& a) {
  std::string_view text = Self(a), from = TextArg(a, 0, "replace"), to = TextArg(a, 1, "replace");
  int64_t left = ToSize(a[2]);
  if (left < 0) left = INT64_MAX;
  std::string out;
  size_t at = 0;
  if (from.empty()) {
    while (left-- > 0) {
      out += to;
      if (at >= text.size()) return MakeStr(std::move(out));
      size_t next = at + CodePointOffset(text.substr(at), 1);
      out += text.substr(at, next - at);
      at = next;
    }
    out += text.substr(at);
    return MakeStr(std::move(out));
  }
  for (size_t found; left > 0 && (found = text.find(from, at)) != text.npos; --left) {
    out += text.substr(at, found - at);
    out += to;
    at = found + from.size();
  }
  out += text.substr(at);
  return MakeStr(std::move(out));
}
Value Translate(Args& a) {
  std::string out;
  std::string_view text = Self(a);
  for (size_t i = 0; i < text.size();) {
    uint32_t c = DecodeUtf8(text, &i);
    Value to;
    auto* dict = As<DictObject>(a[0]);
    if (!dict) throw TypeError("translate() requires a table made by str.maketrans");
    Value* found = dict->dict.Find(Value::Int(c));
    if (!found)
      AppendUtf8(c, &out);
    else if (auto* s = As<StrObject>(*found))
      out += s->view();
    else if (!found->is_none())
      AppendUtf8(static_cast<uint32_t>(ToIndex(*found)), &out);
  }
  return MakeStr(std::move(out));
}
Value MakeTrans(Args& a) {
  Value out = MakeDict();
  Dict& table = As<DictObject>(out)->dict;
  if (!a.has(1)) {
    auto* dict = As<DictObject>(a[0]);
    if (!dict) throw TypeError("if you give only one argument to maketrans it must be a dict");
    for (size_t i = 0; const Dict::Entry* e = dict->dict.At(&i);) {
      size_t at = 0;
      table.Set(IsStr(e->key) ? Value::Int(DecodeUtf8(StrView(e->key), &at)) : e->key, e->value);
    }
    return out;
  }
  std::string_view from = TextArg(a, 0, "maketrans"), to = TextArg(a, 1, "maketrans");
  if (CodePoints(from) != CodePoints(to)) {
    throw ValueError("the first two maketrans arguments must have equal length");
  }
  for (size_t i = 0, j = 0; i < from.size();) {
    uint32_t c = DecodeUtf8(from, &i);
    table.Set(Value::Int(c), Value::Int(DecodeUtf8(to, &j)));
  }
  if (a.has(2)) {
    std::string_view gone = TextArg(a, 2, "maketrans");
    for (size_t i = 0; i < gone.size();) table.Set(Value::Int(DecodeUtf8(gone, &i)), Value::None());
  }
  return out;
}

Value FormatMethod(Args& a) {
  std::vector<Value> all = As<TupleObject>(a[0])->items, names;
  for (size_t i = 0; const Dict::Entry* e = As<DictObject>(a[1])->dict.At(&i);) {
    names.push_back(e->key);
    all.push_back(e->value);
  }
  Value keywords = MakeTuple(std::move(names));
  return MakeStr(BraceFormat(Self(a), CallArgs{all, As<TupleObject>(keywords)}));
}
Value FormatMap(Args& a) { return MakeStr(BraceFormatMap(Self(a), a[0])); }
Value EncodeMethod(Args& a) {
  return MakeBytes(Encode(Self(a), ToText(a[0], "encoding"), ToText(a[1], "errors")));
}

}  // namespace

const FunctionRow kStrMethods[] = {
    {"capitalize", "/", Capitalize},
    {"casefold", "/", CaseFold},
    {"center", "width, fillchar=' ', /", Justify<Side::kCenter>},
    {"count", "sub, start=..., end=..., /", Count},
    {"encode", "encoding='utf-8', errors='strict'", EncodeMethod},
    {"endswith", "suffix, start=..., end=..., /", Affix<true>},
    {"expandtabs", "tabsize=8", ExpandTabs},
    {"find", "sub, start=..., end=..., /", Find},
    {"format", "*args, **kwargs", FormatMethod},
    {"format_map", "mapping, /", FormatMap},
    {"index", "sub, start=..., end=..., /", Index},
    {"isalnum", "/", AllAre<IsAlnum>},
    {"isalpha", "/", AllAre<IsAlpha>},
    {"isascii", "/", IsAscii},
    {"isdecimal", "/", AllAre<IsDigit>},
    {"isdigit", "/", AllAre<IsDigit>},
    {"isidentifier", "/", IsIdentifier},
    {"islower", "/", CasedAs<IsUpper, IsLower>},
    {"isnumeric", "/", AllAre<IsNumeric>},
    {"isprintable", "/", IsPrintable},
    {"isspace", "/", AllAre<IsSpace>},
    {"istitle", "/", IsTitle},
    {"isupper", "/", CasedAs<IsLower, IsUpper>},
    {"join", "iterable, /", Join},
    {"ljust", "width, fillchar=' ', /", Justify<Side::kLeft>},
    {"lower", "/", Cased<Case::kLower>},
    {"lstrip", "chars=None, /", Strip<true, false>},
    {"partition", "sep, /", Partition<false>},
    {"removeprefix", "prefix, /", RemoveAffix<false>},
    {"removesuffix", "suffix, /", RemoveAffix<true>},
    {"replace", "old, new, count=-1, /", Replace},
    {"rfind", "sub, start=..., end=..., /", RFind},
    {"rindex", "sub, start=..., end=..., /", RIndex},
    {"rjust", "width, fillchar=' ', /", Justify<Side::kRight>},
    {"rpartition", "sep, /", Partition<true>},
    {"rsplit", "sep=None, maxsplit=-1", RSplit},
    {"rstrip", "chars=None, /", Strip<false, true>},
    {"split", "sep=None, maxsplit=-1", Split},
    {"splitlines", "keepends=False", SplitLines},
    {"startswith", "prefix, start=..., end=..., /", Affix<false>},
    {"strip", "chars=None, /", Strip<true, true>},
    {"swapcase", "/", Cased<Case::kSwap>},
    {"title", "/", Title},
    {"translate", "table, /", Translate},
    {"upper", "/", Cased<Case::kUpper>},
    {"zfill", "width, /", ZFill},
};
const FunctionRow kStrStatics[] = {{"maketrans", "x, y=..., z=..., /", MakeTrans}};

}  // namespace tensh::shell
