// The methods of bytes. Letters, digits and white space are those of ASCII.
#include <algorithm>

#include "runtime/base/text.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/text/str_methods.h"

namespace tensh::shell {
namespace {

std::string_view Self(Args& a) { return static_cast<BytesObject*>(a.self().object())->data; }
Value Piece(std::string_view data) { return MakeBytes(std::string(data)); }

std::string_view BytesArg(const Value& v) {
  auto* b = As<BytesObject>(v);
  if (!b) throw TypeError("a bytes-like object is required, not '" + TypeName(v) + "'");
  return b->data;
}

bool IsAlpha(char c) { return IsAsciiUpper(c) || IsAsciiLower(c); }
bool IsAlnum(char c) { return IsAlpha(c) || IsAsciiDigit(c); }
bool IsAscii(char c) { return static_cast<unsigned char>(c) < 128; }
char Swap(char c) { return IsAsciiUpper(c) ? AsciiLower(c) : AsciiUpper(c); }

// ---- case and tests ----

template <char (*F)(char)>
Value Mapped(Args& a) {
  std::string out(Self(a));
  std::transform(out.begin(), out.end(), out.begin(), F);
  return MakeBytes(std::move(out));
}
Value Capitalize(Args& a) {
  std::string out(Self(a));
  for (size_t i = 0; i < out.size(); ++i) out[i] = i == 0 ? AsciiUpper(out[i]) : AsciiLower(out[i]);
  return MakeBytes(std::move(out));
}
Value Title(Args& a) {
  std::string out(Self(a));
  bool inside = false;
  for (char& c : out) {
    const bool alpha = IsAlpha(c);
    c = inside ? AsciiLower(c) : AsciiUpper(c);
    inside = alpha;
  }
  return MakeBytes(std::move(out));
}
template <bool (*Test)(char)>
Value AllAre(Args& a) {
  const std::string_view data = Self(a);
  return Value::Bool(!data.empty() && std::all_of(data.begin(), data.end(), Test));
}
Value AllAscii(Args& a) {
  return Value::Bool(std::all_of(Self(a).begin(), Self(a).end(), IsAscii));
}
template <bool (*Good)(char), bool (*Bad)(char)>
Value CasedAs(Args& a) {
  const std::string_view data = Self(a);
  return Value::Bool(std::any_of(data.begin(), data.end(), Good) &&
                     std::none_of(data.begin(), data.end(), Bad));
}
Value IsTitle(Args& a) {
  bool any = false, inside = false;
  for (char c : Self(a)) {
    if (IsAsciiUpper(c) ? inside : IsAsciiLower(c) && !inside) return Value::Bool(false);
    inside = IsAlpha(c);
    any = any || inside;
  }
  return Value::Bool(any);
}

// ---- search ----

// Reads the range [start, end) from the arguments that begin at `at`. Returns false if start is
// greater than end.
bool Range(Args& a, size_t at, size_t* begin, size_t* end) {
  const auto n = static_cast<int64_t>(Self(a).size());
  auto bound = [&](size_t i, int64_t otherwise) {
    if (i >= a.size() || a[i].is_null() || a[i].is_none()) return otherwise;
    const int64_t v = IsBigInt(a[i]) ? (BigNegative(a[i]) ? -n : INT64_MAX) : ToIndex(a[i]);
    return v < 0 ? std::max<int64_t>(0, v + n) : v;
  };
  const int64_t from = bound(at, 0), to = std::min(n, bound(at + 1, n));
  if (from > to) return false;
  *begin = static_cast<size_t>(from);
  *end = static_cast<size_t>(to);
  return true;
}

// Returns the bytes to search for: bytes, or the single byte given by an int.
std::string Needle(const Value& v) {
  if (auto* b = As<BytesObject>(v)) return b->data;
  if (!IsIndex(v))
    throw TypeError("argument should be integer or bytes-like object, not '" + TypeName(v) + "'");
  const int64_t byte = IsBigInt(v) ? -1 : ToIndex(v);
  if (byte < 0 || byte > 255) throw ValueError("byte must be in range(0, 256)");
  return std::string(1, static_cast<char>(byte));
}

template <bool Last>
int64_t Search(Args& a) {
  const std::string needle = Needle(a[0]);
  size_t begin, end;
  if (!Range(a, 1, &begin, &end)) return -1;
  const std::string_view part = Self(a).substr(begin, end - begin);
  const size_t found = Last ? part.rfind(needle) : part.find(needle);
  return found == part.npos ? -1 : static_cast<int64_t>(begin + found);
}
template <bool Last>
Value Find(Args& a) {
  return Value::Int(Search<Last>(a));
}
template <bool Last>
Value Index(Args& a) {
  const int64_t i = Search<Last>(a);
  if (i < 0) throw ValueError("subsection not found");
  return Value::Int(i);
}
Value Count(Args& a) {
  const std::string needle = Needle(a[0]);
  size_t begin, end;
  if (!Range(a, 1, &begin, &end)) return Value::Int(0);
  const std::string_view part = Self(a).substr(begin, end - begin);
  if (needle.empty()) return Value::Int(static_cast<int64_t>(part.size()) + 1);
  int64_t n = 0;
  for (size_t i = part.find(needle); i != part.npos; i = part.find(needle, i + needle.size())) ++n;
  return Value::Int(n);
}
template <bool AtEnd>
Value Affix(Args& a) {
  const std::string name = AtEnd ? "endswith" : "startswith";
  size_t begin = 0, end = 0;
  const bool inside = Range(a, 1, &begin, &end);
  const std::string_view part = inside ? Self(a).substr(begin, end - begin) : std::string_view();
  auto test = [&](std::string_view s) {
    return inside && part.size() >= s.size() &&
           part.substr(AtEnd ? part.size() - s.size() : 0, s.size()) == s;
  };
  if (auto* tuple = As<TupleObject>(a[0])) {
    return Value::Bool(std::any_of(tuple->items.begin(), tuple->items.end(),
                                   [&](const Value& v) { return test(BytesArg(v)); }));
  }
  if (!As<BytesObject>(a[0])) {
    throw TypeError(name + " first arg must be bytes or a tuple of bytes, not " + TypeName(a[0]));
  }
  return Value::Bool(test(BytesArg(a[0])));
}
template <bool AtEnd>
Value RemoveAffix(Args& a) {
  const std::string_view data = Self(a), s = BytesArg(a[0]);
  if (data.size() < s.size() || data.substr(AtEnd ? data.size() - s.size() : 0, s.size()) != s)
    return a.self();
  return Piece(AtEnd ? data.substr(0, data.size() - s.size()) : data.substr(s.size()));
}

// ---- split and join ----

// Splits off one word at a time from the front or the back, at most `limit` words. The rest stays
// one piece.
template <bool Right>
Value SplitSpaces(std::string_view data, int64_t limit) {
  std::vector<Value> out;
  auto trim = [&](bool right) {
    while (!data.empty() && IsAsciiSpace(right ? data.back() : data.front())) {
      right ? data.remove_suffix(1) : data.remove_prefix(1);
    }
  };
  for (trim(Right); !data.empty(); trim(Right)) {
    size_t n = 0;
    if (limit >= 0 && static_cast<int64_t>(out.size()) >= limit) {
      n = data.size();
    } else {
      while (n < data.size() && !IsAsciiSpace(Right ? data[data.size() - 1 - n] : data[n])) ++n;
    }
    out.push_back(Piece(Right ? data.substr(data.size() - n) : data.substr(0, n)));
    Right ? data.remove_suffix(n) : data.remove_prefix(n);
  }
  if (Right) std::reverse(out.begin(), out.end());
  return MakeList(std::move(out));
}
template <bool Right>
Value Split(Args& a) {
  const int64_t limit = ToSize(a[1]);
  std::string_view data = Self(a);
  if (a[0].is_none()) return SplitSpaces<Right>(data, limit);
  const std::string_view sep = BytesArg(a[0]);
  if (sep.empty()) throw ValueError("empty separator");
  std::vector<Value> out;
  while (limit < 0 || static_cast<int64_t>(out.size()) < limit) {
    const size_t found = Right ? data.rfind(sep) : data.find(sep);
    if (found == data.npos) break;
    out.push_back(Piece(Right ? data.substr(found + sep.size()) : data.substr(0, found)));
    data = Right ? data.substr(0, found) : data.substr(found + sep.size());
  }
  out.push_back(Piece(data));
  if (Right) std::reverse(out.begin(), out.end());
  return MakeList(std::move(out));
}
Value SplitLines(Args& a) {
  const std::string_view data = Self(a);
  const bool keep = Truth(a[0]);
  std::vector<Value> out;
  for (size_t begin = 0; begin < data.size();) {
    const size_t end = std::min(data.find_first_of("\n\r", begin), data.size());
    size_t next = std::min(end + 1, data.size());
    if (end + 1 < data.size() && data[end] == '\r' && data[end + 1] == '\n') ++next;
    out.push_back(Piece(data.substr(begin, (keep ? next : end) - begin)));
    begin = next;
  }
  return MakeList(std::move(out));
}
template <bool Last>
Value Partition(Args& a) {
  const std::string_view data = Self(a), sep = BytesArg(a[0]);
  if (sep.empty()) throw ValueError("empty separator");
  const size_t found = Last ? data.rfind(sep) : data.find(sep);
  if (found == data.npos) {
    return Last ? MakeTuple({Piece(""), Piece(""), a.self()})
                : MakeTuple({a.self(), Piece(""), Piece("")});
  }
  return MakeTuple({Piece(data.substr(0, found)), a[0], Piece(data.substr(found + sep.size()))});
}
Value Join(Args& a) {
  if (!FindSlot(TypeOf(a[0]), &TypeInfo::iter) && !FindSlot(TypeOf(a[0]), &TypeInfo::getitem)) {
    throw TypeError("can only join an iterable");
  }
  std::string out;
  const std::vector<Value> items = ToVector(a[0]);
  for (size_t i = 0; i < items.size(); ++i) {
    auto* b = As<BytesObject>(items[i]);
    if (!b) {
      throw TypeError("sequence item " + std::to_string(i) + ": expected a bytes-like object, " +
                      TypeName(items[i]) + " found");
    }
    if (i) out += Self(a);
    out += b->data;
  }
  return MakeBytes(std::move(out));
}

// ---- strip, pad, replace ----

template <bool Left, bool Right>
Value Strip(Args& a) {
  std::string_view data = Self(a);
  const std::string_view chars = a[0].is_none() ? std::string_view(" \t\n\r\v\f") : BytesArg(a[0]);
  auto drop = [&](char c) { return chars.find(c) != chars.npos; };
  while (Left && !data.empty() && drop(data.front())) data.remove_prefix(1);
  while (Right && !data.empty() && drop(data.back())) data.remove_suffix(1);
  return Piece(data);
}

enum class Side : uint8_t { kLeft, kRight, kCenter };
constexpr int64_t kMostPadding = int64_t{1} << 28;
template <Side S>
Value Justify(Args& a) {
  const std::string_view data = Self(a);
  const int64_t width = std::max<int64_t>(0, ToSize(a[0])),
                missing = width - static_cast<int64_t>(data.size());
  char fill = ' ';
  if (a.has(1)) {
    auto* b = As<BytesObject>(a[1]);
    if (!b || b->data.size() != 1) {
      throw TypeError(std::string(a.row().name) +
                      "() argument 2 must be a byte string of length 1, not " + TypeName(a[1]));
    }
    fill = b->data[0];
  }
  if (missing <= 0) return a.self();
  if (missing > kMostPadding) throw MakeError(kMemoryError, "");
  // As for str, an odd padding byte goes to the left if the width is odd too.
  const int64_t left = S == Side::kLeft    ? 0
                       : S == Side::kRight ? missing
                                           : missing / 2 + (missing & width & 1);
  return MakeBytes(std::string(static_cast<size_t>(left), fill) + std::string(data) +
                   std::string(static_cast<size_t>(missing - left), fill));
}
Value ZFill(Args& a) {
  const std::string_view data = Self(a);
  const int64_t missing = std::max<int64_t>(0, ToSize(a[0])) - static_cast<int64_t>(data.size());
  if (missing <= 0) return a.self();
  if (missing > kMostPadding) throw MakeError(kMemoryError, "");
  std::string out(data);
  out.insert(!out.empty() && (out[0] == '+' || out[0] == '-') ? 1 : 0, static_cast<size_t>(missing),
             '0');
  return MakeBytes(std::move(out));
}
Value ExpandTabs(Args& a) {
  const int64_t size = ToSize(a[0]);
  std::string out;
  int64_t column = 0;
  for (char c : Self(a)) {
    if (c == '\t') {
      const int64_t n = size > 0 ? size - column % size : 0;
      if (n > kMostPadding - static_cast<int64_t>(out.size())) throw MakeError(kMemoryError, "");
      out.append(static_cast<size_t>(n), ' ');
      column += n;
    } else {
      out += c;
      column = c == '\n' || c == '\r' ? 0 : column + 1;
    }
  }
  return MakeBytes(std::move(out));
}
Value Replace(Args& a) {
  const std::string_view data = Self(a), from = BytesArg(a[0]), to = BytesArg(a[1]);
  int64_t left = ToSize(a[2]);
  if (left < 0) left = INT64_MAX;
  std::string out;
  size_t at = 0;
  if (from.empty()) {
    for (; left > 0 && at <= data.size(); --left, ++at) {
      out += to;
      if (at < data.size()) out += data[at];
    }
    return MakeBytes(at < data.size() ? out + std::string(data.substr(at)) : out);
  }
  for (size_t found; left > 0 && (found = data.find(from, at)) != data.npos; --left) {
    out += data.substr(at, found - at);
    out += to;
    at = found + from.size();
  }
  out += data.substr(at);
  return MakeBytes(std::move(out));
}
Value Translate(Args& a) {
  const std::string_view table = a[0].is_none() ? std::string_view() : BytesArg(a[0]),
                         gone = a.has(1) ? BytesArg(a[1]) : std::string_view();
  if (!a[0].is_none() && table.size() != 256)
    throw ValueError("translation table must be 256 characters long");
  std::string out;
  for (char c : Self(a)) {
    if (gone.find(c) != gone.npos) continue;
    out += table.empty() ? c : table[static_cast<unsigned char>(c)];
  }
  return MakeBytes(std::move(out));
}

Value DecodeMethod(Args& a) {
  return Decode(Self(a), ToText(a[0], "encoding"), ToText(a[1], "errors"));
}
Value Hex(Args& a) {
  std::string out;
  for (char c : Self(a)) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return MakeStr(std::move(out));
}

}  // namespace

const FunctionRow kBytesMethods[] = {
    {"capitalize", "/", Capitalize},
    {"center", "width, fillchar=..., /", Justify<Side::kCenter>},
    {"count", "sub, start=..., end=..., /", Count},
    {"decode", "encoding='utf-8', errors='strict'", DecodeMethod},
    {"endswith", "suffix, start=..., end=..., /", Affix<true>},
    {"expandtabs", "tabsize=8", ExpandTabs},
    {"find", "sub, start=..., end=..., /", Find<false>},
    {"hex", "/", Hex},
    {"index", "sub, start=..., end=..., /", Index<false>},
    {"isalnum", "/", AllAre<IsAlnum>},
    {"isalpha", "/", AllAre<IsAlpha>},
    {"isascii", "/", AllAscii},
    {"isdigit", "/", AllAre<IsAsciiDigit>},
    {"islower", "/", CasedAs<IsAsciiLower, IsAsciiUpper>},
    {"isspace", "/", AllAre<IsAsciiSpace>},
    {"istitle", "/", IsTitle},
    {"isupper", "/", CasedAs<IsAsciiUpper, IsAsciiLower>},
    {"join", "iterable_of_bytes, /", Join},
    {"ljust", "width, fillchar=..., /", Justify<Side::kLeft>},
    {"lower", "/", Mapped<AsciiLower>},
    {"lstrip", "bytes=None, /", Strip<true, false>},
    {"partition", "sep, /", Partition<false>},
    {"removeprefix", "prefix, /", RemoveAffix<false>},
    {"removesuffix", "suffix, /", RemoveAffix<true>},
    {"replace", "old, new, count=-1, /", Replace},
    {"rfind", "sub, start=..., end=..., /", Find<true>},
    {"rindex", "sub, start=..., end=..., /", Index<true>},
    {"rjust", "width, fillchar=..., /", Justify<Side::kRight>},
    {"rpartition", "sep, /", Partition<true>},
    {"rsplit", "sep=None, maxsplit=-1", Split<true>},
    {"rstrip", "bytes=None, /", Strip<false, true>},
    {"split", "sep=None, maxsplit=-1", Split<false>},
    {"splitlines", "keepends=False", SplitLines},
    {"startswith", "prefix, start=..., end=..., /", Affix<false>},
    {"strip", "bytes=None, /", Strip<true, true>},
    {"swapcase", "/", Mapped<Swap>},
    {"title", "/", Title},
    {"translate", "table, /, delete=...", Translate},
    {"upper", "/", Mapped<AsciiUpper>},
    {"zfill", "width, /", ZFill},
};

}  // namespace tensh::shell
