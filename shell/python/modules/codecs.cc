// The module _codecs: JSON and base64 for the modules json and binascii (shell/python/library).
//
// The functions handle usual data. For anything else (an object of another type, text with an error,
// deep nesting) they return None, and the Python code does the work or raises the error.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "runtime/base/utf8.h"
#include "shell/python/modules/modules.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

constexpr int kDeepest = 200;  // nested lists and objects

// ---- JSON text of values ----

void AppendEscape(uint32_t unit, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  *out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) *out += kHex[unit >> shift & 15];
}

void AppendQuoted(std::string_view text, bool ascii, std::string* out) {
  *out += '"';
  for (size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c >= 0x80 && ascii) {
      const uint32_t code = DecodeUtf8(text, &at);
      if (code >= 0x10000) AppendEscape(0xd800 | ((code - 0x10000) >> 10), out);
      AppendEscape(code >= 0x10000 ? 0xdc00 | ((code - 0x10000) & 0x3ff) : code, out);
      continue;
    }
    ++at;
    constexpr std::string_view kSpecial = "\"\\\n\r\t\f\b", kLetters = "\"\\nrtfb";
    const size_t special =
        c < 32 || c == '"' || c == '\\' ? kSpecial.find(text[at - 1]) : kSpecial.npos;
    if (special != kSpecial.npos) {
      *out += '\\';
      *out += kLetters[special];
    } else if (c < 32 || (c == 127 && ascii)) {
      AppendEscape(c, out);
    } else {
      *out += text[at - 1];
    }
  }
  *out += '"';
}

template <class T>
const T* Exactly(const Value& v) {
  return v.is_object() && &v.object()->type() == &T::kType ? static_cast<T*>(v.object()) : nullptr;
}

class JsonWriter {
 public:
  explicit JsonWriter(Args& a)
      : ascii_(Truth(a[1])),
        sort_(Truth(a[2])),
        pretty_(IsStr(a[3])),
        indent_(pretty_ ? StrView(a[3]) : ""),
        item_(StrView(a[4])),
        key_(StrView(a[5])) {}

  // Returns false if the value needs the code in Python.
  bool Append(const Value& v, int level) {
    if (v.is_none()) return Add("null");
    if (v.is_bool()) return Add(v.as_bool() ? "true" : "false");
    if (v.is_int()) return Add(std::to_string(v.as_int()));
    if (v.is_float()) return std::isfinite(v.as_float()) && Add(Repr(v));
    if (const auto* s = Exactly<StrObject>(v)) return AppendQuoted(s->view(), ascii_, &out), true;
    if (level > kDeepest) return false;
    if (Exactly<ListObject>(v) || Exactly<TupleObject>(v)) return Items(*Sequence(v), level);
    const auto* dict = Exactly<DictObject>(v);
    return dict != nullptr && Pairs(dict->dict, level);
  }

  std::string out;

 private:
  bool Add(std::string_view text) { return out += text, true; }

  void Break(bool first, int level) {
    if (!first) out += item_;
    NewLine(level);
  }

  void NewLine(int level) {
    if (!pretty_) return;
    out += '\n';
    for (int i = 0; i < level; ++i) out += indent_;
  }

  bool Items(const std::vector<Value>& items, int level) {
    out += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      Break(i == 0, level + 1);
      if (!Append(items[i], level + 1)) return false;
    }
    if (!items.empty()) NewLine(level);
    return Add("]");
  }

  bool Pairs(const Dict& dict, int level) {
    std::vector<const Dict::Entry*> entries;
    for (size_t i = 0; const Dict::Entry* e = dict.At(&i);) {
      if (!Exactly<StrObject>(e->key) && (sort_ || !(e->key.is_int() || e->key.is_bool())))
        return false;
      entries.push_back(e);
    }
    if (sort_)
      std::sort(entries.begin(), entries.end(),
                [](const auto* a, const auto* b) { return StrView(a->key) < StrView(b->key); });
    out += '{';
    for (size_t i = 0; i < entries.size(); ++i) {
      Break(i == 0, level + 1);
      const bool text = IsStr(entries[i]->key);
      if (!text) out += '"';
      Append(entries[i]->key, level);
      if (!text) out += '"';
      out += key_;
      if (!Append(entries[i]->value, level + 1)) return false;
    }
    if (!entries.empty()) NewLine(level);
    return Add("}");
  }

  const bool ascii_, sort_, pretty_;
  const std::string_view indent_, item_, key_;
};

Value JsonText(Args& a) {
  if (!IsStr(a[4]) || !IsStr(a[5])) return Value::None();
  JsonWriter writer(a);
  return writer.Append(a[0], 0) ? MakeStr(std::move(writer.out)) : Value::None();
}

// ---- values of JSON text ----

class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  bool Document(Value* out) {
    Space();
    if (!Read(out, 0)) return false;
    Space();
    return at_ == text_.size();
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Skip(char c) { return Peek() == c && ++at_; }
  void Space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  bool Word(std::string_view word, Value value, Value* out) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    *out = std::move(value);
    return true;
  }

  bool Read(Value* out, int level) {
    switch (Peek()) {
      case '"': {
        std::string text;
        if (!String(&text)) return false;
        *out = MakeStr(std::move(text));
        return true;
      }
      case '[':
        return level < kDeepest && Array(out, level);
      case '{':
        return level < kDeepest && Object(out, level);
      case 'n':
        return Word("null", Value::None(), out);
      case 't':
        return Word("true", Value::Bool(true), out);
      case 'f':
        return Word("false", Value::Bool(false), out);
      default:
        return Number(out);
    }
  }

  size_t Digits() {
    const size_t begin = at_;
    while (Peek() >= '0' && Peek() <= '9') ++at_;
    return at_ - begin;
  }

  bool Number(Value* out) {
    const size_t begin = at_;
    Skip('-');
    const bool zero = Peek() == '0';
    const size_t digits = Digits();
    if (digits == 0 || (zero && digits > 1)) return false;
    bool whole = true;
    if (Skip('.')) {
      whole = false;
      if (Digits() == 0) return false;
    }
    if (Peek() == 'e' || Peek() == 'E') {
      whole = false;
      ++at_;
      if (!Skip('-')) Skip('+');
      if (Digits() == 0) return false;
    }
    const char *first = text_.data() + begin, *last = text_.data() + at_;
    if (whole) {
      int64_t number = 0;
      if (std::from_chars(first, last, number).ec != std::errc()) return false;
      *out = Value::Int(number);
      return true;
    }
    double number = 0;
    if (std::from_chars(first, last, number).ec != std::errc()) return false;
    *out = Value::Float(number);
    return true;
  }

  bool Unit(uint32_t* unit) {
    if (text_.size() - at_ < 4) return false;
    const char* end = text_.data() + at_ + 4;
    const bool read = std::from_chars(text_.data() + at_, end, *unit, 16).ptr == end;
    at_ += 4;
    return read;
  }

  bool Escape(std::string* out) {
    const char c = Peek();
    ++at_;
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (const size_t at = kLetters.find(c); c != '\0' && at != kLetters.npos)
      return *out += kMeant[at], true;
    uint32_t unit = 0, low = 0;
    if (c != 'u' || !Unit(&unit) || (unit >= 0xdc00 && unit < 0xe000)) return false;
    if (unit >= 0xd800 && unit < 0xdc00) {
      if (!Skip('\\') || !Skip('u') || !Unit(&low) || low < 0xdc00 || low > 0xdfff) return false;
      unit = 0x10000 + ((unit - 0xd800) << 10 | (low - 0xdc00));
    }
    AppendUtf8(unit, out);
    return true;
  }

  bool String(std::string* out) {
    ++at_;
    while (at_ < text_.size()) {
      const size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 32)
        ++at_;
      out->append(text_, begin, at_ - begin);
      if (Skip('"')) return true;
      if (!Skip('\\') || at_ == text_.size() || !Escape(out)) return false;
    }
    return false;
  }

  bool Array(Value* out, int level) {
    ++at_;
    std::vector<Value> items;
    Space();
    if (!Skip(']')) {
      do {
        Space();
        Value item;
        if (!Read(&item, level + 1)) return false;
        items.push_back(std::move(item));
        Space();
      } while (Skip(','));
      if (!Skip(']')) return false;
    }
    *out = MakeList(std::move(items));
    return true;
  }

  bool Object(Value* out, int level) {
    ++at_;
    *out = MakeDict();
    Dict& dict = As<DictObject>(*out)->dict;
    Space();
    if (Skip('}')) return true;
    do {
      Space();
      std::string key;
      if (Peek() != '"' || !String(&key)) return false;
      Space();
      if (!Skip(':')) return false;
      Space();
      Value value;
      if (!Read(&value, level + 1)) return false;
      dict.Set(MakeStr(std::move(key)), std::move(value));
      Space();
    } while (Skip(','));
    return Skip('}');
  }

  const std::string_view text_;
  size_t at_ = 0;
};

// Returns a tuple of the value.
Value JsonValue(Args& a) {
  Value value;
  const bool read = IsStr(a[0]) && JsonScanner(StrView(a[0])).Document(&value);
  return read ? MakeTuple({value}) : Value::None();
}

// ---- base64 ----

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Value ToBase64(Args& a) {
  const auto* bytes = As<BytesObject>(a[0]);
  if (bytes == nullptr) return Value::None();
  const std::string& data = bytes->data;
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  for (size_t i = 0; i < data.size(); i += 3) {
    const size_t count = std::min<size_t>(3, data.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(data[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= count ? kAlphabet[bits >> (18 - 6 * k) & 63] : '=';
  }
  return MakeBytes(std::move(out));
}

std::array<int8_t, 256> Places() {
  std::array<int8_t, 256> places;
  places.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    places[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  return places;
}

// Ignores characters of no meaning. Returns None if a digit is missing.
Value FromBase64(Args& a) {
  static const std::array<int8_t, 256> places = Places();
  const auto* bytes = As<BytesObject>(a[0]);
  if (bytes == nullptr) return Value::None();
  std::string out;
  out.reserve(bytes->data.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  size_t digits = 0, pads = 0;
  for (const char c : bytes->data) {
    if (c == '=') {
      ++pads;
      if (digits % 4 >= 2 && (digits + pads) % 4 == 0) break;
      continue;
    }
    const int8_t place = places[static_cast<unsigned char>(c)];
    if (place < 0) continue;
    pads = 0;
    bits = bits << 6 | static_cast<uint32_t>(place);
    if (++digits % 4 != 0) continue;
    for (int shift = 16; shift >= 0; shift -= 8) out += static_cast<char>(bits >> shift & 255);
    bits = 0;
  }
  const size_t rest = digits % 4;
  if (rest == 1 || (rest != 0 && pads < 4 - rest)) return Value::None();
  bits <<= rest == 0 ? 0 : 6 * (4 - rest);
  for (size_t k = 1; k < rest; ++k) out += static_cast<char>(bits >> (24 - 8 * k) & 255);
  return MakeBytes(std::move(out));
}

const FunctionRow kRows[] = {
    {"json_text", "value, ascii, sort, indent, item_separator, key_separator, /", JsonText},
    {"json_value", "text, /", JsonValue},
    {"to_base64", "data, /", ToBase64},
    {"from_base64", "data, /", FromBase64}};

}  // namespace

const ModuleDef kCodecsModule = {.name = "_codecs", .functions = kRows};

}  // namespace tensh::shell
