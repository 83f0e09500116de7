// The type complex, as far as expressions need it whose results are not real.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "runtime/base/text.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

using Complex = std::complex<double>;

bool ToComplex(const Value& v, Complex* out) {
  if (auto* c = As<ComplexObject>(v)) {
    *out = {c->re, c->im};
  } else if (v.is_float() || IsInt(v)) {
    *out = {ToDouble(v), 0};
  } else {
    return false;
  }
  return true;
}

Value From(Complex c) { return MakeComplex(c.real(), c.imag()); }

std::string Part(double d) {
  std::string s = FloatRepr(d);
  if (s.size() > 2 && s.substr(s.size() - 2) == ".0") s.resize(s.size() - 2);
  return s;
}

std::string ComplexRepr(const Value& v) {
  auto* c = static_cast<ComplexObject*>(v.object());
  std::string im = Part(c->im) + "j";
  if (c->re == 0 && !std::signbit(c->re)) return im;
  if (im[0] != '-') im = "+" + im;
  return "(" + Part(c->re) + im + ")";
}

bool ComplexTruth(const Value& v) {
  auto* c = static_cast<ComplexObject*>(v.object());
  return c->re != 0 || c->im != 0;
}

uint64_t ComplexHash(const Value& v) {
  auto* c = static_cast<ComplexObject*>(v.object());
  return Hash(Value::Float(c->re)) + 1000003 * (c->im == 0 ? 0 : Hash(Value::Float(c->im)));
}

Value ComplexCompare(CompareOp op, const Value& a, const Value& b) {
  Complex x, y;
  if (!ToComplex(a, &x) || !ToComplex(b, &y)) return Value::NotImplemented();
  if (op == CompareOp::kEq) return Value::Bool(x == y);
  if (op == CompareOp::kNe) return Value::Bool(x != y);
  return Value::NotImplemented();
}

Complex Product(Complex x, Complex y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

// Smith's algorithm (1962): scales by the larger part of the divisor, to avoid early overflow.
Complex Quotient(Complex x, Complex y) {
  const double c = y.real(), d = y.imag();
  if (c == 0 && d == 0) throw ZeroDivisionError("complex division by zero");
  if (std::isnan(c) || std::isnan(d)) return {NAN, NAN};
  if (std::fabs(c) >= std::fabs(d)) {
    const double ratio = d / c, scale = c + d * ratio;
    return {(x.real() + x.imag() * ratio) / scale, (x.imag() - x.real() * ratio) / scale};
  }
  const double ratio = c / d, scale = c * ratio + d;
  return {(x.real() * ratio + x.imag()) / scale, (x.imag() * ratio - x.real()) / scale};
}

// Small integral exponents multiply, as in CPython, because the polar form is less accurate.
Complex Power(Complex x, Complex y) {
  if (y.imag() == 0 && y.real() == std::floor(y.real()) && std::fabs(y.real()) <= 100) {
    if (y.real() < 0 && x == Complex(0)) {
      throw ZeroDivisionError("0.0 to a negative or complex power");
    }
    Complex r(1), base = x;
    for (int n = std::abs(static_cast<int>(y.real())); n; n >>= 1) {
      if (n & 1) r = Product(r, base);
      if (n > 1) base = Product(base, base);
    }
    return y.real() < 0 ? Quotient(1.0, r) : r;
  }
  if (y == Complex(0)) return 1.0;
  if (x == Complex(0)) {
    if (y.imag() != 0 || y.real() < 0) {
      throw ZeroDivisionError("0.0 to a negative or complex power");
    }
    return 0.0;
  }
  const double size = std::hypot(x.real(), x.imag()), angle = std::atan2(x.imag(), x.real());
  double length = std::pow(size, y.real()), phase = angle * y.real();
  if (y.imag() != 0) {
    length /= std::exp(angle * y.imag());
    phase += y.imag() * std::log(size);
  }
  if (std::isinf(length)) throw OverflowError("complex exponentiation");
  return {length * std::cos(phase), length * std::sin(phase)};
}

Value ComplexBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  Complex x, y;
  if (!ToComplex(a, &x) || !ToComplex(b, &y)) return Value::NotImplemented();
  switch (op) {
    case BinaryOp::kAdd:
      return From(x + y);
    case BinaryOp::kSub:
      return From(x - y);
    case BinaryOp::kMul:
      return From(Product(x, y));
    case BinaryOp::kTrueDiv:
      return From(Quotient(x, y));
    case BinaryOp::kPow:
      return From(Power(x, y));
    default:
      return Value::NotImplemented();
  }
}

Value ComplexUnary(UnaryOp op, const Value& v) {
  auto* c = static_cast<ComplexObject*>(v.object());
  if (op == UnaryOp::kNeg) return MakeComplex(-c->re, -c->im);
  if (op == UnaryOp::kPos) return v;
  if (op == UnaryOp::kAbs) return Value::Float(std::hypot(c->re, c->im));
  return Value::NotImplemented();
}

Value Real(const Value& v) { return Value::Float(static_cast<ComplexObject*>(v.object())->re); }
Value Imag(const Value& v) { return Value::Float(static_cast<ComplexObject*>(v.object())->im); }
Value Conjugate(Args& a) {
  auto* c = static_cast<ComplexObject*>(a.self().object());
  return MakeComplex(c->re, -c->im);
}

// ---- format(c, spec): both parts as floats without ".0"; without a type, in parentheses ----

std::string FormatPart(double d, const FormatSpec& spec, char sign) {
  std::string how = sign == '-' ? "" : std::string(1, sign);
  if (spec.alternate) how += '#';
  if (spec.grouping) how += spec.grouping;
  if (spec.precision >= 0) how += "." + std::to_string(spec.precision);
  const bool bare = !spec.type && spec.precision < 0;
  if (!bare) how += spec.type && spec.type != 'n' ? spec.type : 'g';
  std::string s = FormatDouble(d, how, "complex");
  if (bare && s.size() > 2 && s.substr(s.size() - 2) == ".0")
    s.erase(s.size() - (spec.alternate ? 1 : 2));
  return s;
}

std::string ComplexFormat(const Value& v, std::string_view text) {
  if (text.empty()) return ComplexRepr(v);
  const FormatSpec spec = ParseFormatSpec(text, "complex");
  if (spec.type && !std::strchr("eEfFgGn", spec.type)) {
    throw ValueError(std::string("Unknown format code '") + spec.type +
                     "' for object of type 'complex'");
  }
  if (spec.fill == "0") {
    throw ValueError("Zero padding is not allowed in complex format specifier");
  }
  if (spec.align == '=') {
    throw ValueError("'=' alignment flag is not allowed in complex format specifier");
  }
  auto* c = static_cast<ComplexObject*>(v.object());
  const bool imaginary = !spec.type && c->re == 0 && !std::signbit(c->re);
  std::string body = imaginary ? "" : FormatPart(c->re, spec, spec.sign);
  body += FormatPart(c->im, spec, imaginary ? spec.sign : '+') + "j";
  if (!spec.type && !imaginary) body = "(" + body + ")";
  if (spec.width < 0) return body;
  return FormatText(body, spec.fill + (spec.align ? spec.align : '>') + std::to_string(spec.width));
}

// ---- complex("1+2j") ----

bool HasDigit(std::string_view text, size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
}

// Returns the end of the digits at `at`. An underscore may separate two digits.
size_t SkipDigits(std::string_view text, size_t at) {
  const size_t begin = at;
  while (HasDigit(text, at) ||
         (at > begin && at < text.size() && text[at] == '_' && HasDigit(text, at + 1)))
    ++at;
  return at;
}

// Returns the end of "infinity", "inf" or "nan" in any case at `at`, or `at` if there is none.
size_t SkipNonFinite(std::string_view text, size_t at) {
  for (std::string_view word : {"infinity", "inf", "nan"}) {
    if (EqualIgnoringCase(text.substr(at, word.size()), word)) return at + word.size();
  }
  return at;
}

// Returns the end of a number such as 1, .5 or 1e-3 at `at`, or `at` if there is none.
size_t SkipDecimal(std::string_view text, size_t at) {
  const size_t begin = at;
  at = SkipDigits(text, at);
  bool digits = at > begin;
  if (at < text.size() && text[at] == '.') {
    const size_t fraction = ++at;
    at = SkipDigits(text, at);
    digits = digits || at > fraction;
  }
  if (!digits) return begin;
  if (at == text.size() || (text[at] | 0x20) != 'e') return at;
  size_t power = at + 1;
  if (power < text.size() && (text[power] == '+' || text[power] == '-')) ++power;
  const size_t end = SkipDigits(text, power);
  return end > power ? end : at;
}

// Removes a float from the front of `text`. If `sign` is true, it must begin with a sign. Returns
// false if there is no such float.
bool TakeFloat(std::string_view* text, bool sign, double* out) {
  const bool has_sign = text->starts_with('+') || text->starts_with('-');
  if (sign && !has_sign) return false;
  const size_t begin = has_sign ? 1 : 0;
  size_t end = SkipNonFinite(*text, begin);
  if (end == begin) end = SkipDecimal(*text, begin);
  if (end == begin) return false;
  std::string number(text->substr(0, end));
  std::erase(number, '_');
  *out = std::strtod(number.c_str(), nullptr);
  text->remove_prefix(end);
  return true;
}

bool TextToComplex(std::string_view text, Complex* out) {
  auto trim = [&] {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
      text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
      text.remove_suffix(1);
  };
  trim();
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') {
    text = text.substr(1, text.size() - 2);
    trim();
  }
  auto unit = [&](double* d) {  // Removes j, +j or -j.
    const bool sign = !text.empty() && (text[0] == '+' || text[0] == '-');
    if (text.size() != (sign ? 2u : 1u) || (text.back() | 0x20) != 'j') return false;
    *d = text[0] == '-' ? -1 : 1;
    return true;
  };
  double first, second;
  if (unit(&first)) return *out = {0, first}, true;
  if (!TakeFloat(&text, false, &first)) return false;
  if (text.empty()) return *out = {first, 0}, true;
  if (text == "j" || text == "J") return *out = {0, first}, true;
  if (text[0] != '+' && text[0] != '-') return false;
  if (!unit(&second) && (!TakeFloat(&text, true, &second) || (text != "j" && text != "J")))
    return false;
  return *out = {first, second}, true;
}

Value ConstructComplex(Args& a) {
  if (auto* s = As<StrObject>(a[0])) {
    if (a.has(1)) throw TypeError("complex() can't take second arg if first is a string");
    Complex c;
    if (!TextToComplex(s->view(), &c)) throw ValueError("complex() arg is a malformed string");
    return From(c);
  }
  if (IsStr(a[1])) throw TypeError("complex() second arg can't be a string");
  if (a[0].is_null()) a[0] = Value::Int(0);
  if (a[1].is_null()) a[1] = Value::Int(0);
  Complex re, im;
  if (!ToComplex(a[0], &re)) {
    throw TypeError("complex() first argument must be a string or a number, not '" +
                    TypeName(a[0]) + "'");
  }
  if (!ToComplex(a[1], &im)) {
    throw TypeError("complex() second argument must be a number, not '" + TypeName(a[1]) + "'");
  }
  return MakeComplex(re.real() - im.imag(), re.imag() + im.real());
}

const PropertyRow kProperties[] = {{"real", Real}, {"imag", Imag}};
const FunctionRow kMethods[] = {{"conjugate", "/", Conjugate}};
const FunctionRow kConstruct = {"complex", "real=..., imag=...", ConstructComplex};

}  // namespace

const TypeInfo ComplexObject::kType = {.name = "complex",
                                       .methods = kMethods,
                                       .properties = kProperties,
                                       .construct = &kConstruct,
                                       .repr = ComplexRepr,
                                       .format = ComplexFormat,
                                       .truth = ComplexTruth,
                                       .hash = ComplexHash,
                                       .compare = ComplexCompare,
                                       .binary = ComplexBinary,
                                       .unary = ComplexUnary};

Value MakeComplex(double re, double im) { return New<ComplexObject>(re, im); }

}  // namespace tensh::shell
