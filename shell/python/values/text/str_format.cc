// String formatting with `%` and str.format.
#include <algorithm>
#include <cstring>

#include "runtime/base/text.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

std::string Spaces(int64_t n, char c) {
  return n > 0 ? std::string(static_cast<size_t>(n), c) : "";
}

// Returns the bytes that %s and %b insert in a bytes format.
const std::string& BytesArgument(const Value& v) {
  auto* b = As<BytesObject>(v);
  if (!b) {
    throw TypeError(
        "%b requires a bytes-like object, or an object that implements __bytes__, not '" +
        TypeName(v) + "'");
  }
  return b->data;
}

struct Conversion {
  bool left = false, plus = false, space = false, alternate = false, zero = false;
  int width = 0;
  int precision = -1;
  char type = 0;
};

std::string PadText(const std::string& text, const Conversion& c) {
  const int64_t missing = c.width - static_cast<int64_t>(CodePoints(text));
  return c.left ? text + Spaces(missing, ' ') : Spaces(missing, ' ') + text;
}

std::string PadBytes(const std::string& data, const Conversion& c) {
  const int64_t missing = c.width - static_cast<int64_t>(data.size());
  return c.left ? data + Spaces(missing, ' ') : Spaces(missing, ' ') + data;
}

std::string PadNumber(bool negative, const std::string& prefix, const std::string& digits,
                      const Conversion& c) {
  std::string sign = negative ? "-" : c.plus ? "+" : c.space ? " " : "";
  sign += prefix;
  const int64_t missing = c.width - static_cast<int64_t>(sign.size() + digits.size());
  if (c.left) return sign + digits + Spaces(missing, ' ');
  if (c.zero) return sign + Spaces(missing, '0') + digits;
  return Spaces(missing, ' ') + sign + digits;
}

std::string IntegerConversion(const Value& v, const Conversion& c) {
  const bool decimal = c.type == 'd' || c.type == 'i' || c.type == 'u';
  Value i;
  if (IsInt(v)) {
    i = v;
  } else if (decimal && v.is_float()) {
    if (v.as_float() != v.as_float()) throw ValueError("cannot convert float NaN to integer");
    if (v.as_float() - v.as_float() != 0)
      throw OverflowError("cannot convert float infinity to integer");
    i = IntFromDouble(v.as_float());
  } else if (auto to_int = FindSlot(TypeOf(v), &TypeInfo::to_int); to_int && decimal && !IsStr(v)) {
    i = to_int(v);  // also of an array with one element, which has no index
  } else if (auto index = FindSlot(TypeOf(v), &TypeInfo::index)) {
    i = index(v);
  } else {
    throw TypeError(std::string("%") + c.type + " format: " +
                    (decimal ? "a real number is required" : "an integer is required") + ", not " +
                    TypeName(v));
  }
  const int base = decimal ? 10 : c.type == 'o' ? 8 : 16;
  std::string digits = IntToText(i, base);
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  digits = Spaces(c.precision - static_cast<int64_t>(digits.size()), '0') + digits;
  std::string prefix = !c.alternate || base == 10 ? "" : base == 8 ? "0o" : "0x";
  if (c.type == 'X') {
    digits = AsciiUpper(digits);
    if (!prefix.empty()) prefix = "0X";
  }
  return PadNumber(negative, prefix, digits, c);
}

std::string ByteConversion(const Value& v, const Conversion& c) {
  if (auto* b = As<BytesObject>(v); b && b->data.size() == 1) return PadBytes(b->data, c);
  if (!IsInt(v)) throw TypeError("%c requires an integer in range(256) or a single byte");
  if (!v.is_int() || v.as_int() < 0 || v.as_int() > 255)
    throw OverflowError("%c arg not in range(256)");
  return PadBytes(std::string(1, static_cast<char>(v.as_int())), c);
}

std::string CharConversion(const Value& v, const Conversion& c) {
  if (auto* s = As<StrObject>(v)) {
    if (s->length() != 1) throw TypeError("%c requires int or char");
    return PadText(s->text(), c);
  }
  if (!IsIndex(v)) throw TypeError("%c requires int or char");
  if (IsBigInt(v)) throw OverflowError("%c arg not in range(0x110000)");
  const int64_t cp = ToIndex(v);
  if (cp < 0 || cp > 0x10ffff) throw OverflowError("%c arg not in range(0x110000)");
  std::string out;
  AppendUtf8(static_cast<uint32_t>(cp), &out);
  return PadText(out, c);
}

std::string Convert(const Value& v, const Conversion& c, bool bytes) {
  switch (c.type) {
    case 's':
    case 'r':
    case 'a':
    case 'b': {
      if (bytes) {
        std::string data = c.type == 's' || c.type == 'b' ? BytesArgument(v) : AsciiRepr(v);
        if (c.precision >= 0) data.resize(std::min(data.size(), static_cast<size_t>(c.precision)));
        return PadBytes(data, c);
      }
      std::string text = c.type == 's' ? Str(v) : c.type == 'r' ? Repr(v) : AsciiRepr(v);
      if (c.precision >= 0) text.resize(CodePointOffset(text, static_cast<size_t>(c.precision)));
      return PadText(text, c);
    }
    case 'c':
      return bytes ? ByteConversion(v, c) : CharConversion(v, c);
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return IntegerConversion(v, c);
    default: {
      if (bytes && !v.is_float() && !FindSlot(TypeOf(v), &TypeInfo::to_float) &&
          !FindSlot(TypeOf(v), &TypeInfo::index)) {
        throw TypeError("float argument required, not " + TypeName(v));
      }
      const double d = ToDouble(v);
      std::string digits = FloatDigits(d, c.type, c.precision, c.alternate);
      const bool negative = digits[0] == '-';
      if (negative) digits.erase(0, 1);
      return PadNumber(negative, "", digits, c);
    }
  }
}

class PercentFormatter {
 public:
  PercentFormatter(std::string_view format, const Value& args, bool bytes)
      : format_(format), args_(args), tuple_(As<TupleObject>(args)), bytes_(bytes) {}

  std::string Run() {
    std::string out;
    while (at_ < format_.size()) {
      size_t percent = format_.find('%', at_);
      out += format_.substr(at_, percent - at_);
      if (percent == format_.npos) break;
      at_ = percent + 1;
      if (at_ < format_.size() && format_[at_] == '%') {
        out += '%';
        ++at_;
        continue;
      }
      out += One();
    }
    const bool all_used = tuple_ ? next_ >= tuple_->items.size() : next_ > 0 || mapped_;
    const bool mapping = FindSlot(TypeOf(args_), &TypeInfo::getitem) && !tuple_ && !IsStr(args_) &&
                         !(bytes_ && As<BytesObject>(args_));
    if (!all_used && !mapping)
      throw TypeError(std::string("not all arguments converted during ") +
                      (bytes_ ? "bytes" : "string") + " formatting");
    return out;
  }

 private:
  Value NextArg() {
    if (tuple_) {
      if (next_ >= tuple_->items.size()) throw TypeError("not enough arguments for format string");
      return tuple_->items[next_++];
    }
    if (next_++ > 0) throw TypeError("not enough arguments for format string");
    return args_;
  }

  char Peek() const {
    if (at_ >= format_.size()) throw ValueError("incomplete format");
    return format_[at_];
  }

  // Returns a width or a precision. The same limit applies to str.format.
  static int CheckWidth(int64_t n) {
    constexpr int64_t kMost = 1 << 26;
    if (n > kMost || n < -kMost)
      throw MakeError(kMemoryError, "the field of a format is wider than " + std::to_string(kMost) +
                                        " characters");
    return static_cast<int>(n);
  }

  int Number() {
    if (Peek() == '*') {
      ++at_;
      Value v = NextArg();
      if (!v.is_int()) throw TypeError("* wants int");
      return CheckWidth(v.as_int());
    }
    int64_t n = 0;
    while (at_ < format_.size() && format_[at_] >= '0' && format_[at_] <= '9') {
      n = n * 10 + (format_[at_++] - '0');
      if (n > INT32_MAX) throw ValueError("width too big");
    }
    return CheckWidth(n);
  }

  std::string One() {
    Conversion c;
    Value keyed;
    if (Peek() == '(') keyed = Keyed();
    for (;; ++at_) {
      char f = Peek();
      if (f == '-')
        c.left = true;
      else if (f == '+')
        c.plus = true;
      else if (f == ' ')
        c.space = true;
      else if (f == '#')
        c.alternate = true;
      else if (f == '0')
        c.zero = true;
      else
        break;
    }
    c.width = Number();
    if (c.width < 0) c.left = true, c.width = -c.width;
    if (at_ < format_.size() && format_[at_] == '.') {
      ++at_;
      c.precision = std::max(0, Number());
    }
    while (at_ < format_.size() && std::strchr("hlL", format_[at_])) ++at_;
    c.type = Peek();
    const char* known = bytes_ ? "srabcdiuxXoeEfFgG" : "sracdiuxXoeEfFgG";
    if (!std::strchr(known, c.type)) {
      if (keyed.is_null()) NextArg();  // A missing argument is reported first.
      size_t next = at_;
      uint32_t cp = DecodeUtf8(format_, &next);
      char hex[16];
      std::snprintf(hex, sizeof hex, "0x%x", cp);
      const char shown = cp > 31 && cp < 127 ? static_cast<char>(cp) : '?';
      throw ValueError(std::string("unsupported format character '") + shown + "' (" + hex +
                       ") at index " + std::to_string(CodePoints(format_.substr(0, at_))));
    }
    ++at_;
    return Convert(keyed.is_null() ? NextArg() : keyed, c, bytes_);
  }

  Value Keyed() {
    if (tuple_ || IsStr(args_) || !FindSlot(TypeOf(args_), &TypeInfo::getitem)) {
      throw TypeError("format requires a mapping");
    }
    const size_t begin = ++at_;
    for (int depth = 1; depth; ++at_) {
      if (at_ >= format_.size()) throw ValueError("incomplete format key");
      if (format_[at_] == '(') ++depth;
      if (format_[at_] == ')') --depth;
    }
    mapped_ = true;
    std::string_view key = format_.substr(begin, at_ - 1 - begin);
    return GetItem(args_, bytes_ ? MakeBytes(std::string(key)) : MakeStr(key));
  }

  std::string_view format_;
  const Value& args_;
  TupleObject* tuple_;
  bool bytes_;
  size_t at_ = 0, next_ = 0;
  bool mapped_ = false;
};

class BraceFormatter {
 public:
  BraceFormatter(const CallArgs* args, const Value* mapping) : args_(args), mapping_(mapping) {}

  std::string Run(std::string_view f, int depth) {
    if (depth > 2) throw ValueError("Max string recursion exceeded");
    std::string out;
    for (size_t at = 0; at < f.size();) {
      const char c = f[at];
      if (c != '{' && c != '}') {
        out += c;
        ++at;
      } else if (at + 1 < f.size() && f[at + 1] == c) {
        out += c;
        at += 2;
      } else if (c == '}') {
        throw ValueError("Single '}' encountered in format string");
      } else {
        out += Field(f, &at, depth);
      }
    }
    return out;
  }

 private:
  // Formats one field. f[*at] is its opening brace.
  std::string Field(std::string_view f, size_t* at, int depth) {
    size_t i = *at + 1;
    if (i >= f.size()) throw ValueError("Single '{' encountered in format string");
    const std::string_view name = FieldName(f, &i);
    const char conversion = f[i] == '!' ? Conversion(f, &i) : '\0';
    const std::string_view spec = f[i] == ':' ? Spec(f, &i) : std::string_view();
    *at = i + 1;
    const Value v = Convert(Lookup(name), conversion);
    return Format(v, spec.find('{') != spec.npos ? Run(spec, depth + 1) : std::string(spec));
  }

  // Each of these three reads a part of a field from f[*at], and moves to what ends it.
  static std::string_view FieldName(std::string_view f, size_t* at) {
    const size_t begin = *at;
    size_t& i = *at;
    bool brackets = false;
    while (i < f.size() && (brackets || (f[i] != '}' && f[i] != ':' && f[i] != '!'))) {
      if (f[i] == '[') brackets = true;
      if (f[i] == ']') brackets = false;
      if (f[i] == '{' && !brackets) throw ValueError("unexpected '{' in field name");
      ++i;
    }
    if (i >= f.size()) throw ValueError("expected '}' before end of string");
    return f.substr(begin, i - begin);
  }
  static char Conversion(std::string_view f, size_t* at) {
    const size_t i = *at + 1;
    if (i >= f.size()) throw ValueError("end of string while looking for conversion specifier");
    if (f[i] == '}') throw ValueError("unmatched '{' in format spec");
    *at = i + 1;
    if (i + 1 >= f.size() || (f[i + 1] != ':' && f[i + 1] != '}'))
      throw ValueError("expected ':' after conversion specifier");
    return f[i];
  }
  static std::string_view Spec(std::string_view f, size_t* at) {
    const size_t begin = ++*at;
    size_t& i = *at;
    int nested = 0;
    while (i < f.size() && (nested || f[i] != '}')) {
      if (f[i] == '{') ++nested;
      if (f[i] == '}') --nested;
      ++i;
    }
    if (i >= f.size()) throw ValueError("expected '}' before end of string");
    return f.substr(begin, i - begin);
  }

  static Value Convert(const Value& v, char conversion) {
    switch (conversion) {
      case 0:
        return v;
      case 'r':
        return MakeStr(Repr(v));
      case 's':
        return MakeStr(Str(v));
      case 'a':
        return MakeStr(AsciiRepr(v));
      default:
        throw ValueError(std::string("Unknown conversion specifier ") + conversion);
    }
  }

  Value Lookup(std::string_view name) {
    size_t end = name.find_first_of(".[");
    Value v = First(name.substr(0, end));
    while (end != name.npos && end < name.size()) {
      if (name[end] == '.') {
        size_t stop = name.find_first_of(".[", end + 1);
        std::string_view attr = name.substr(end + 1, stop == name.npos ? stop : stop - end - 1);
        if (attr.empty()) throw ValueError("Empty attribute in format string");
        v = GetAttr(v, attr);
        end = stop;
      } else if (name[end] == '[') {
        size_t stop = name.find(']', end);
        if (stop == name.npos) throw ValueError("Missing ']' in format string");
        std::string_view key = name.substr(end + 1, stop - end - 1);
        if (key.empty()) throw ValueError("Empty attribute in format string");
        Value index = IntFromText(key, 10);
        v = GetItem(v, index.is_null() ? MakeStr(key) : index);
        end = stop + 1;
        if (end < name.size() && name[end] != '.' && name[end] != '[') {
          throw ValueError("Only '.' or '[' may follow ']' in format field specifier");
        }
      }
    }
    return v;
  }

  Value First(std::string_view name) {
    Value index = name.empty() ? Value() : IntFromText(name, 10);
    if (name.empty()) {
      if (manual_) {
        throw ValueError(
            "cannot switch from manual field specification to automatic field numbering");
      }
      index = Value::Int(automatic_++);
    } else if (index.is_int()) {
      if (automatic_) {
        throw ValueError(
            "cannot switch from automatic field numbering to manual field specification");
      }
      manual_ = true;
    }
    if (mapping_) {
      if (index.is_int() && name.empty())
        throw ValueError("Format string contains positional fields");
      return GetItem(*mapping_, MakeStr(name));
    }
    if (index.is_int()) {
      if (index.as_int() < 0 || static_cast<size_t>(index.as_int()) >= args_->positional()) {
        throw IndexError("Replacement index " + std::to_string(index.as_int()) +
                         " out of range for positional args tuple");
      }
      return args_->args[static_cast<size_t>(index.as_int())];
    }
    for (size_t i = 0; i < args_->keyword_count(); ++i) {
      if (args_->keyword(i) == name) return args_->args[args_->positional() + i];
    }
    throw KeyError(MakeStr(name));
  }

  const CallArgs* args_;
  const Value* mapping_;
  int64_t automatic_ = 0;
  bool manual_ = false;
};

}  // namespace

std::string AsciiRepr(const Value& v) {
  const std::string text = Repr(v);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const uint32_t cp = DecodeUtf8(text, &i);
    char code[16];
    const char* form = cp < 0x80      ? "%c"
                       : cp < 0x100   ? "\\x%02x"
                       : cp < 0x10000 ? "\\u%04x"
                                      : "\\U%08x";
    std::snprintf(code, sizeof code, form, cp);
    out += code;
  }
  return out;
}

std::string PercentFormat(std::string_view format, const Value& args, bool bytes) {
  return PercentFormatter(format, args, bytes).Run();
}
std::string BraceFormat(std::string_view format, const CallArgs& args) {
  return BraceFormatter(&args, nullptr).Run(format, 1);
}
std::string BraceFormatMap(std::string_view format, const Value& mapping) {
  return BraceFormatter(nullptr, &mapping).Run(format, 1);
}

}  // namespace tensh::shell
