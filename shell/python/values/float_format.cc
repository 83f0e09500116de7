// Parsing of format specs, and formatting of ints and floats.
#include <charconv>
#include <cmath>
#include <cstring>

#include "runtime/base/text.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

constexpr int kMaxPrecision = 1 << 26;

std::string ToChars(double d, std::chars_format how, int precision) {
  std::string buffer(static_cast<size_t>(precision) + 350, '\0');
  auto r = std::to_chars(buffer.data(), buffer.data() + buffer.size(), d, how, precision);
  buffer.resize(static_cast<size_t>(r.ptr - buffer.data()));
  return buffer;
}

std::string NonFinite(double d) { return std::isnan(d) ? "nan" : d < 0 ? "-inf" : "inf"; }

// Formats like %g, but keeps trailing zeros and the point.
std::string GeneralAlternate(double d, int precision) {
  if (precision == 0) precision = 1;
  std::string e = ToChars(d, std::chars_format::scientific, precision - 1);
  int exponent = std::atoi(e.c_str() + e.find('e') + 1);
  if (exponent < -4 || exponent >= precision) {
    if (e.find('.') == e.npos) e.insert(e.find('e'), ".");
    return e;
  }
  std::string f = ToChars(d, std::chars_format::fixed, std::max(0, precision - 1 - exponent));
  if (f.find('.') == f.npos) f += '.';
  return f;
}

// Groups the digits of `whole` in threes (fours for '_' with x, o or b), padded with zeros to
// `width`.
std::string Group(std::string_view whole, char mark, int every, int width) {
  std::string reversed;
  int n = 0;
  auto put = [&](char c) {
    if (n && n % every == 0) reversed += mark;
    reversed += c;
    ++n;
  };
  for (size_t i = whole.size(); i-- > 0;) put(whole[i]);
  while (static_cast<int>(reversed.size()) < width) put('0');
  return std::string(reversed.rbegin(), reversed.rend());
}

std::string Pad(const std::string& text, const FormatSpec& spec, char default_align) {
  const int length = static_cast<int>(CodePoints(text));
  if (spec.width <= length) return text;
  const int missing = spec.width - length;
  const char align = spec.align ? spec.align : default_align;
  int left = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  auto fill = [&](int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += spec.fill;
    return out;
  };
  return fill(left) + text + fill(missing - left);
}

// Joins the sign or prefix, the grouped digits and the rest (fraction, exponent, %), and pads them.
std::string Assemble(const std::string& sign, std::string digits, const std::string& rest,
                     const FormatSpec& spec) {
  const bool inner = (spec.align == '=' || (!spec.align && spec.zero));
  const bool zeros = inner && spec.fill == "0";
  const int used = static_cast<int>(sign.size() + rest.size());
  if (spec.grouping) {
    const bool numeric = !digits.empty() && digits[0] >= '0' && digits[0] <= '9';
    int every =
        spec.type == 'x' || spec.type == 'X' || spec.type == 'o' || spec.type == 'b' ? 4 : 3;
    if (numeric || every == 4)
      digits = Group(digits, spec.grouping, every, zeros ? spec.width - used : 0);
  }
  if (inner) {
    std::string fill;
    const int missing = spec.width - used - static_cast<int>(digits.size());
    for (int i = 0; i < missing; ++i) fill += spec.fill;
    return sign + fill + digits + rest;
  }
  return Pad(sign + digits + rest, spec, '>');
}

std::string SignText(bool negative, char sign) {
  return negative ? "-" : sign == '+' ? "+" : sign == ' ' ? " " : "";
}

[[noreturn]] void ThrowUnknownCode(char code, const std::string& type_name) {
  char shown[8];
  std::snprintf(shown, sizeof shown, code > 32 ? "%c" : "\\x%x", static_cast<unsigned char>(code));
  throw ValueError(std::string("Unknown format code '") + shown + "' for object of type '" +
                   type_name + "'");
}

}  // namespace

// Takes the shortest digits that read back as the same value, and chooses the notation like
// CPython: an exponent below 1e-4 and from 1e16.
std::string FloatRepr(double d) {
  if (!std::isfinite(d)) return NonFinite(d);
  char buffer[64];
  auto r = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(r.ptr - buffer));
  const size_t e = text.find('e');
  const int exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  std::string sign, digits;
  for (char c : text.substr(0, e)) {
    if (c == '-') sign = "-";
    if (c >= '0' && c <= '9') digits += c;
  }
  if (exponent < -4 || exponent >= 16) {
    std::string mantissa = digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : "");
    std::string power = std::to_string(std::abs(exponent));
    return sign + mantissa + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
  }
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string FloatDigits(double d, char kind, int precision, bool alternate) {
  const bool upper = kind >= 'A' && kind <= 'Z';
  if (!std::isfinite(d)) return upper ? AsciiUpper(NonFinite(d)) : NonFinite(d);
  if (precision < 0) precision = 6;
  if (precision > kMaxPrecision) throw ValueError("precision too big");
  std::string out;
  switch (kind | 0x20) {
    case 'e':
      out = ToChars(d, std::chars_format::scientific, precision);
      if (alternate && precision == 0) out.insert(out.find('e'), ".");
      break;
    case 'f':
      out = ToChars(d, std::chars_format::fixed, precision);
      if (alternate && precision == 0) out += '.';
      break;
    default:
      out = alternate ? GeneralAlternate(d, precision)
                      : ToChars(d, std::chars_format::general, precision == 0 ? 1 : precision);
  }
  return upper ? AsciiUpper(out) : out;
}

namespace {

// Reads a format spec from left to right: [[fill]align][sign][z][#][0][width][,][.precision][type].
class SpecReader {
 public:
  SpecReader(std::string_view text, const std::string& type_name)
      : text_(text), type_name_(type_name) {}

  FormatSpec Read() {
    Align();
    Flags();
    Number(&spec_.width);
    Grouping();
    if (Accept(".") && !Number(&spec_.precision))
      throw ValueError("Format specifier missing precision");
    Type();
    return std::move(spec_);
  }

 private:
  static bool IsAlign(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

  // Returns the next character if it is one of `characters`, and moves past it; otherwise 0.
  char Accept(std::string_view characters) {
    if (at_ == text_.size() || characters.find(text_[at_]) == characters.npos) return 0;
    return text_[at_++];
  }

  void Align() {
    size_t first = 0;  // The end of the first code point, which may be the fill.
    if (!text_.empty()) DecodeUtf8(text_, &first);
    if (first > 0 && first < text_.size() && IsAlign(text_[first])) {
      filled_ = true;
      spec_.fill = std::string(text_.substr(0, first));
      spec_.align = text_[first];
      at_ = first + 1;
    } else {
      spec_.align = Accept("<>=^");
    }
  }

  void Flags() {
    if (const char sign = Accept("+- ")) {
      spec_.sign = sign;
      spec_.has_sign = true;
    }
    spec_.no_negative_zero = Accept("z") != 0;
    spec_.alternate = Accept("#") != 0;
    spec_.zero = Accept("0") != 0;
    if (spec_.zero && !filled_) spec_.fill = "0";  // An explicit fill takes precedence.
  }

  bool Number(int* out) {
    int64_t n = 0;
    const size_t begin = at_;
    while (const char digit = Accept("0123456789")) {
      n = n * 10 + (digit - '0');
      if (n > INT32_MAX) throw ValueError("Too many decimal digits in format string");
    }
    if (at_ == begin) return false;
    if (n > (1 << 26))
      throw MakeError(kMemoryError, "the field of a format is wider than 67108864 characters");
    *out = static_cast<int>(n);
    return true;
  }

  void Grouping() {
    spec_.grouping = Accept(",_");
    if (!spec_.grouping) return;
    if (const char second = Accept(",_")) {
      throw ValueError(second == ',' && spec_.grouping == ',' ? "Cannot specify ',' with ','."
                                                              : "Cannot specify both ',' and '_'.");
    }
  }

  void Type() {
    if (text_.size() - at_ > 1) {
      throw ValueError("Invalid format specifier '" + std::string(text_) +
                       "' for object of type '" + type_name_ + "'");
    }
    if (at_ == text_.size()) return;
    spec_.type = text_[at_];
    // 0 stands for no type, which only float and complex do not refuse as a character.
    if (spec_.type == 0 && type_name_ != "float" && type_name_ != "complex")
      ThrowUnknownCode(spec_.type, type_name_);
    if (!spec_.grouping || !spec_.type || std::strchr("deEfFgG%", spec_.type)) return;
    if (spec_.grouping == '_' && std::strchr("boxX", spec_.type)) return;
    throw ValueError(std::string("Cannot specify '") + spec_.grouping + "' with '" + spec_.type +
                     "'.");
  }

  std::string_view text_;
  const std::string& type_name_;
  FormatSpec spec_;
  size_t at_ = 0;
  bool filled_ = false;
};

// Formats without a type and with a precision. Like %g, but the point stays. Therefore the switch
// to an exponent comes one digit earlier.
std::string GeneralWithPoint(double magnitude, int precision, bool alternate) {
  const std::string e = FloatDigits(magnitude, 'e', precision - 1, alternate);
  const size_t mark = e.find('e');
  const int exponent = std::atoi(e.c_str() + mark + 1);
  if (exponent < -4 || exponent >= precision - 1) {
    std::string mantissa = e.substr(0, mark);
    if (mantissa.find('.') != mantissa.npos && !alternate) {
      while (mantissa.back() == '0') mantissa.pop_back();
      if (mantissa.back() == '.') mantissa.pop_back();
    }
    return mantissa + e.substr(mark);
  }
  const std::string body = FloatDigits(magnitude, 'g', precision, alternate);
  return body.find_first_of(".e") == body.npos ? body + ".0" : body;
}

// Formats a number without its sign for a spec without a type.
std::string UntypedDigits(double magnitude, const FormatSpec& spec) {
  if (spec.precision < 0) {
    std::string body = FloatRepr(magnitude);
    const size_t mark = body.find('e');
    if (spec.alternate && mark != body.npos && body.find('.') == body.npos) body.insert(mark, ".");
    return body;
  }
  if (!std::isfinite(magnitude)) return NonFinite(magnitude);
  return GeneralWithPoint(magnitude, std::max(spec.precision, 1), spec.alternate);
}

std::string UnsignedDigits(double magnitude, const FormatSpec& spec, const char* type_name) {
  switch (spec.type) {
    case 0:
      return UntypedDigits(magnitude, spec);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return FloatDigits(magnitude, spec.type, spec.precision, spec.alternate);
    case 'n':
      return FloatDigits(magnitude, 'g', spec.precision, spec.alternate);
    case '%':
      return FloatDigits(magnitude * 100, 'f', spec.precision, spec.alternate) + "%";
    default:
      ThrowUnknownCode(spec.type, type_name);
  }
}

}  // namespace

FormatSpec ParseFormatSpec(std::string_view text, const std::string& type_name) {
  return SpecReader(text, type_name).Read();
}

std::string FormatDouble(double d, std::string_view text, const char* type_name) {
  const FormatSpec spec = ParseFormatSpec(text, type_name);
  bool negative = std::signbit(d) && !std::isnan(d);
  const std::string body = UnsignedDigits(std::fabs(d), spec, type_name);
  if (spec.no_negative_zero && std::isfinite(d)) {
    const std::string_view digits = std::string_view(body).substr(0, body.find_first_of("eE"));
    if (digits.find_first_of("123456789") == digits.npos) negative = false;
  }
  size_t whole = 0;
  while (whole < body.size() && body[whole] >= '0' && body[whole] <= '9') ++whole;
  if (!std::isfinite(d)) whole = body.size() - (spec.type == '%' ? 1 : 0);
  return Assemble(SignText(negative, spec.sign), body.substr(0, whole), body.substr(whole), spec);
}

std::string FormatInt(const Value& v, std::string_view text) {
  if (text.empty()) return IntToText(v);
  FormatSpec spec = ParseFormatSpec(text, "int");
  if (spec.type && std::strchr("eEfFgG%", spec.type))
    return FormatDouble(IntToDouble(v), text, "int");
  if (spec.type && !std::strchr("dnxXobc", spec.type)) ThrowUnknownCode(spec.type, "int");
  if (spec.precision >= 0) throw ValueError("Precision not allowed in integer format specifier");
  if (spec.no_negative_zero) {
    throw ValueError("Negative zero coercion (z) not allowed in integer format specifier");
  }
  std::string digits, prefix;
  const char type = spec.type ? spec.type : 'd';
  switch (type) {
    case 'd':
    case 'n':
      digits = IntToText(v);
      break;
    case 'x':
    case 'X':
      digits = IntToText(v, 16), prefix = "0x";
      break;
    case 'o':
      digits = IntToText(v, 8), prefix = "0o";
      break;
    case 'b':
      digits = IntToText(v, 2), prefix = "0b";
      break;
    case 'c': {
      if (spec.has_sign) throw ValueError("Sign not allowed with integer format specifier 'c'");
      if (spec.alternate) {
        throw ValueError("Alternate form (#) not allowed with integer format specifier 'c'");
      }
      if (!v.is_int()) throw OverflowError("Python int too large to convert to C long");
      if (v.as_int() < 0 || v.as_int() > 0x10ffff) {
        throw OverflowError("%c arg not in range(0x110000)");
      }
      std::string out;
      AppendUtf8(static_cast<uint32_t>(v.as_int()), &out);
      return Pad(out, spec, '>');
    }
    default:
      ThrowUnknownCode(type, "int");
  }
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  if (type == 'X') digits = AsciiUpper(digits), prefix = "0X";
  if (!spec.alternate) prefix.clear();
  return Assemble(SignText(negative, spec.sign) + prefix, digits, "", spec);
}

std::string FormatText(std::string_view s, std::string_view text, const std::string& type_name) {
  if (text.empty()) return std::string(s);
  FormatSpec spec = ParseFormatSpec(text, type_name.c_str());
  if (spec.type && spec.type != 's') ThrowUnknownCode(spec.type, type_name.c_str());
  if (spec.grouping)
    throw ValueError(std::string("Cannot specify '") + spec.grouping + "' with 's'.");
  size_t after = 0;  // The position of a sign.
  if (spec.align)
    DecodeUtf8(text, &after),
        after = after < text.size() && text[after] == spec.align ? after + 1 : 1;
  if (after < text.size() && text[after] == '-')
    throw ValueError("Sign not allowed in string format specifier");
  if (spec.sign == ' ') throw ValueError("Space not allowed in string format specifier");
  if (spec.sign != '-') throw ValueError("Sign not allowed in string format specifier");
  if (spec.no_negative_zero) {
    throw ValueError("Negative zero coercion (z) not allowed in string format specifier");
  }
  if (spec.alternate) throw ValueError("Alternate form (#) not allowed in string format specifier");
  if (spec.align == '=') throw ValueError("'=' alignment not allowed in string format specifier");
  if (spec.precision >= 0) s = s.substr(0, CodePointOffset(s, static_cast<size_t>(spec.precision)));
  return Pad(std::string(s), spec, '<');
}

}  // namespace tensh::shell
