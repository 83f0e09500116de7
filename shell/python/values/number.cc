// The types int, bool and float; complex.cc has complex.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>

#include "runtime/base/text.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"
#include "shell/python/values/number_subclass.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

bool IsReal(const Value& v) { return v.is_float() || IsInt(v); }
double RealOf(const Value& v) { return v.is_float() ? v.as_float() : IntToDouble(v); }

std::string IntRepr(const Value& v) { return IntToText(v); }
std::string BoolRepr(const Value& v) { return v.as_bool() ? "True" : "False"; }
std::string BoolFormat(const Value& v, std::string_view spec) {
  if (spec.empty()) return BoolRepr(v);
  const char type = ParseFormatSpec(spec, "bool").type;
  if (type && !std::strchr("bcdeEfFgGnoxX%", type)) {
    throw ValueError(std::string("Unknown format code '") + type + "' for object of type 'bool'");
  }
  return FormatInt(Value::Int(v.as_int()), spec);
}
bool IntTruth(const Value& v) { return v.is_object() || v.as_int() != 0; }
uint64_t IntHash(const Value& v) { return v.is_object() ? BigHash(v) : Hash(v); }
Value IntIndex(const Value& v) { return v.is_bool() ? Value::Int(v.as_int()) : PlainNumber(v); }

Value IntBinarySlot(BinaryOp op, const Value& a, const Value& b, bool) {
  return IntBinary(op, a, b);
}

Value IntUnary(UnaryOp op, const Value& v) {
  switch (op) {
    case UnaryOp::kNeg:
      return IntNegate(v);
    case UnaryOp::kPos:
      return IntIndex(v);
    case UnaryOp::kInvert:
      return IntInvert(v);
    case UnaryOp::kAbs:
      return IntCompare(v, Value::Int(0)) < 0 ? IntNegate(v) : IntIndex(v);
  }
  return Value::NotImplemented();
}

std::string FloatReprSlot(const Value& v) { return FloatRepr(v.as_float()); }
std::string FloatFormat(const Value& v, std::string_view spec) {
  return FormatDouble(v.as_float(), spec);
}
Value FloatToInt(const Value& v) {
  if (std::isnan(v.as_float())) throw ValueError("cannot convert float NaN to integer");
  if (std::isinf(v.as_float())) throw OverflowError("cannot convert float infinity to integer");
  return IntFromDouble(v.as_float());
}

double FloorMod(double a, double b) {
  double m = std::fmod(a, b);
  if (m != 0 ? (b < 0) != (m < 0) : false) m += b;
  if (m == 0) m = std::copysign(0.0, b);
  return m;
}

double FloorDiv(double a, double b) {
  double m = std::fmod(a, b);
  double q = (a - m) / b;
  if (m != 0 && (b < 0) != (m < 0)) q -= 1;
  if (q == 0) return std::copysign(0.0, a / b);
  double f = std::floor(q);
  return q - f > 0.5 ? f + 1 : f;
}

Value FloatPower(double a, double b) {
  if (a == 0 && b < 0 && std::isfinite(b)) {
    throw ZeroDivisionError("0.0 cannot be raised to a negative power");
  }
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) {
    std::complex<double> r = std::polar(std::pow(-a, b), M_PI * b);
    return MakeComplex(r.real(), r.imag());
  }
  double r = std::pow(a, b);
  if (std::isinf(r) && std::isfinite(a) && std::isfinite(b)) {
    throw PyError(New<ExceptionObject>(
        kOverflowError, MakeTuple({Value::Int(34), MakeStr("Numerical result out of range")})));
  }
  return Value::Float(r);
}

Value FloatBinary(BinaryOp op, const Value& va, const Value& vb, bool) {
  if (!IsReal(va) || !IsReal(vb)) return Value::NotImplemented();
  const double a = RealOf(va), b = RealOf(vb);
  switch (op) {
    case BinaryOp::kAdd:
      return Value::Float(a + b);
    case BinaryOp::kSub:
      return Value::Float(a - b);
    case BinaryOp::kMul:
      return Value::Float(a * b);
    case BinaryOp::kTrueDiv:
      if (b == 0) throw ZeroDivisionError("float division by zero");
      return Value::Float(a / b);
    case BinaryOp::kFloorDiv:
      if (b == 0) throw ZeroDivisionError("float floor division by zero");
      return Value::Float(FloorDiv(a, b));
    case BinaryOp::kMod:
      if (b == 0) throw ZeroDivisionError("float modulo");
      return Value::Float(FloorMod(a, b));
    case BinaryOp::kPow:
      return FloatPower(a, b);
    default:
      return Value::NotImplemented();
  }
}

Value FloatUnary(UnaryOp op, const Value& v) {
  switch (op) {
    case UnaryOp::kNeg:
      return Value::Float(-v.as_float());
    case UnaryOp::kPos:
      return v;
    case UnaryOp::kAbs:
      return Value::Float(std::fabs(v.as_float()));
    default:
      return Value::NotImplemented();
  }
}

// ---- constructors ----

Value TextToInt(std::string_view text, int base, const Value& shown) {
  Value v = IntFromText(text, base);
  if (v.is_null()) {
    throw ValueError("invalid literal for int() with base " + std::to_string(base) + ": " +
                     Repr(shown));
  }
  return v;
}

Value MakeInt(Args& a) {
  const Value& v = a[0];
  if (v.is_null()) return Value::Int(0);
  if (a.has(1)) {
    const int64_t base = ToIndex(a[1]);
    if (base != 0 && (base < 2 || base > 36))
      throw ValueError("int() base must be >= 2 and <= 36, or 0");
    if (auto* s = As<StrObject>(v)) return TextToInt(s->view(), static_cast<int>(base), v);
    if (auto* s = As<BytesObject>(v)) return TextToInt(s->data, static_cast<int>(base), v);
    throw TypeError("int() can't convert non-string with explicit base");
  }
  if (IsInt(v)) return IntIndex(v);
  if (v.is_float()) return FloatToInt(v);
  if (auto* s = As<StrObject>(v)) return TextToInt(s->view(), 10, v);
  if (auto* s = As<BytesObject>(v)) return TextToInt(s->data, 10, v);
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::to_int)) return slot(v);
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::index)) return slot(v);
  throw TypeError("int() argument must be a string, a bytes-like object or a real number, not '" +
                  TypeName(v) + "'");
}

// Copies a number in lower case without its underscores. Returns false if one of them is not between
// two digits.
bool WithoutUnderscores(std::string_view text, std::string* out) {
  auto digit = [&](size_t k) { return k < text.size() && text[k] >= '0' && text[k] <= '9'; };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_')
      *out += AsciiLower(text[i]);
    else if (i == 0 || !digit(i - 1) || !digit(i + 1))
      return false;
  }
  return true;
}

// Reads a number in lower case, without a sign.
bool UnsignedToDouble(std::string_view s, double* out) {
  if (s == "inf" || s == "infinity" || s == "nan") {
    *out = s == "nan" ? NAN : INFINITY;
    return true;
  }
  if (s.empty() || (s[0] != '.' && (s[0] < '0' || s[0] > '9'))) return false;
  const auto r = std::from_chars(s.data(), s.data() + s.size(), *out);
  if (r.ptr != s.data() + s.size() || r.ec == std::errc::invalid_argument) return false;
  if (r.ec == std::errc::result_out_of_range) *out = std::strtod(std::string(s).c_str(), nullptr);
  return true;
}

// Implements float(text). Unlike strtod, it accepts underscores between digits, no hexadecimal
// numbers, and does not depend on the locale.
bool TextToDouble(std::string_view text, double* out) {
  auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)); };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  std::string clean;
  if (!WithoutUnderscores(text, &clean)) return false;
  const bool sign = clean.starts_with('+') || clean.starts_with('-');
  if (!UnsignedToDouble(std::string_view(clean).substr(sign ? 1 : 0), out)) return false;
  if (clean[0] == '-') *out = -*out;
  return true;
}

Value MakeFloat(Args& a) {
  const Value v = PlainNumber(a[0]);
  if (v.is_null()) return Value::Float(0);
  if (IsReal(v)) return Value::Float(RealOf(v));
  const auto* s = As<StrObject>(v);
  const auto* b = As<BytesObject>(v);
  if (s || b) {
    double d;
    if (TextToDouble(s ? s->view() : std::string_view(b->data), &d)) return Value::Float(d);
    throw ValueError("could not convert string to float: " + Repr(v));
  }
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::to_float)) return slot(v);
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::index)) return Value::Float(RealOf(slot(v)));
  throw TypeError("float() argument must be a string or a real number, not '" + TypeName(v) + "'");
}

Value MakeBool(Args& a) { return Value::Bool(a.has(0) && Truth(a[0])); }

// ---- methods ----

Value BitLengthMethod(Args& a) { return Value::Int(BitLength(a.self())); }
Value BitCount(Args& a) {
  std::string bits = IntToText(a.self(), 2);
  return Value::Int(static_cast<int64_t>(std::count(bits.begin(), bits.end(), '1')));
}
Value Conjugate(Args& a) { return a.self().is_bool() ? IntIndex(a.self()) : a.self(); }
Value IntAsRatio(Args& a) { return MakeTuple({IntIndex(a.self()), Value::Int(1)}); }
bool LittleEndian(const Value& v) {
  std::string order = v.is_null() ? "big" : ToText(v, "byteorder");
  if (order != "little" && order != "big")
    throw ValueError("byteorder must be either 'little' or 'big'");
  return order == "little";
}
Value ToBytes(Args& a) {
  const int64_t length = ToIndex(a[0]);
  if (length < 0) throw ValueError("length argument must be non-negative");
  if (length > (1 << 20)) throw OverflowError("int too big to convert");
  Value number = a.self();
  const bool negative = IntCompare(number, Value::Int(0)) < 0;
  if (negative && !Truth(a[2])) throw OverflowError("can't convert negative int to unsigned");
  if (Truth(a[2])) {
    // Two's complement needs one more bit for the sign.
    const int64_t bits = BitLength(negative ? IntInvert(number) : number) + 1;
    if (bits > length * 8 && !(length == 0 && bits == 1 && !negative)) {
      throw OverflowError("int too big to convert");
    }
    if (negative) {
      number = IntBinary(BinaryOp::kAdd, number,
                         IntBinary(BinaryOp::kLShift, Value::Int(1), Value::Int(length * 8)));
    }
  }
  return MakeBytes(IntToBytes(number, static_cast<size_t>(length), LittleEndian(a[1])));
}
Value FromBytes(Args& a) {
  if (IsStr(a[0]) || IsIndex(a[0]))
    throw TypeError("cannot convert '" + TypeName(a[0]) + "' object to bytes");
  const Value bytes = Call(TypeValue(BytesObject::kType), {a[0]});
  return IntFromBytes(As<BytesObject>(bytes)->data, LittleEndian(a[1]), Truth(a[2]));
}
Value IntRound(Args& a) {
  if (a[0].is_none()) return IntIndex(a.self());
  const int64_t digits = ToIndex(a[0]);
  if (digits >= 0) return IntIndex(a.self());
  // Rounds half to even at a power of ten.
  Value ten =
      IntBinary(BinaryOp::kPow, Value::Int(10), Value::Int(std::min<int64_t>(-digits, 5000)));
  Value rest = IntBinary(BinaryOp::kMod, a.self(), ten);
  Value down = IntBinary(BinaryOp::kSub, a.self(), rest);
  int side = IntCompare(IntBinary(BinaryOp::kMul, rest, Value::Int(2)), ten);
  Value odd = IntBinary(BinaryOp::kMod, IntBinary(BinaryOp::kFloorDiv, down, ten), Value::Int(2));
  bool up = side > 0 || (side == 0 && odd.as_int() == 1);
  return up ? IntBinary(BinaryOp::kAdd, down, ten) : down;
}
Value IntTrunc(Args& a) { return IntIndex(a.self()); }
Value IntReal(const Value& v) { return IntIndex(v); }
Value IntImag(const Value&) { return Value::Int(0); }
Value One(const Value&) { return Value::Int(1); }

Value IsInteger(Args& a) {
  double d = ToDouble(a.self());
  return Value::Bool(std::isfinite(d) && d == std::floor(d));
}
Value FloatAsRatio(Args& a) {
  double d = ToDouble(a.self());
  if (std::isnan(d)) throw ValueError("cannot convert NaN to integer ratio");
  if (std::isinf(d)) throw OverflowError("cannot convert Infinity to integer ratio");
  int exponent;
  double m = std::frexp(d, &exponent);
  for (int i = 0; i < 300 && m != std::floor(m); ++i) m *= 2, --exponent;
  Value n = IntFromDouble(m), den = Value::Int(1);
  Value power = IntBinary(BinaryOp::kLShift, Value::Int(1), Value::Int(std::abs(exponent)));
  if (exponent > 0)
    n = IntBinary(BinaryOp::kMul, n, power);
  else
    den = power;
  return MakeTuple({n, den});
}
Value FloatHex(Args& a) {
  double d = ToDouble(a.self());
  if (!std::isfinite(d)) return MakeStr(FloatRepr(d));
  char buffer[64];
  if (d == 0) return MakeStr(std::signbit(d) ? "-0x0.0p+0" : "0x0.0p+0");
  std::snprintf(buffer, sizeof buffer, "%.13a", d);
  return MakeStr(buffer);
}
// Parses [sign] [0x] digits [. digits] [p exponent], inf or nan, like C's strtod.
Value FromHex(Args& a) {
  const std::string given = ToText(a[0], "fromhex() argument");
  std::string text(Trim(given));
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.erase(0, 1);
  std::string lower = AsciiLower(text);
  double d = 0;
  const bool word = lower == "inf" || lower == "infinity" || lower == "nan";
  if (!word && lower.substr(0, 2) != "0x") lower = "0x" + lower;
  char* end = nullptr;
  d = std::strtod(lower.c_str(), &end);
  const bool digits = word || (lower.size() > 2 &&
                               lower.find_first_not_of("0123456789abcdef.p+-", 2) == lower.npos);
  if (!digits || *end) throw ValueError("invalid hexadecimal floating-point string");
  if (!word && std::isinf(d))
    throw OverflowError("hexadecimal value too large to represent as a float");
  return Call(a.self(), {Value::Float(negative ? -d : d)});
}
Value FloatRound(Args& a) {
  const double d = ToDouble(a.self());
  if (a[0].is_none()) return FloatToInt(Value::Float(std::nearbyint(d)));
  const int64_t digits = ToIndex(a[0]);
  if (!std::isfinite(d) || digits > 323) return a.self();
  if (digits < -308) return Value::Float(std::copysign(0.0, d));
  if (digits >= 0) {
    std::string text = FloatDigits(d, 'f', static_cast<int>(digits), false);
    return Value::Float(std::strtod(text.c_str(), nullptr));
  }
  // Rounds the exact decimal form correctly to the requested number of digits.
  const double magnitude = std::fabs(d);
  const std::string form = FloatDigits(magnitude, 'e', 17, false);
  const int64_t kept = std::atoi(form.c_str() + form.find('e') + 1) + digits;
  double r = 0;
  if (kept >= 0) {
    r = std::strtod(FloatDigits(magnitude, 'e', static_cast<int>(kept), false).c_str(), nullptr);
  } else if (kept == -1) {
    const double half = std::strtod(("5e" + std::to_string(-digits - 1)).c_str(), nullptr);
    if (magnitude > half) r = half * 2;
  }
  r = std::copysign(r, d);
  if (std::isinf(r)) throw OverflowError("rounded value too large to represent");
  return Value::Float(r);
}
Value FloatTrunc(Args& a) { return FloatToInt(Value::Float(ToDouble(a.self()))); }
Value FloatReal(const Value& v) { return PlainNumber(v); }
Value FloatImag(const Value&) { return Value::Float(0); }

Value FloatItself(Args& a) { return Value::Float(ToDouble(a.self())); }
Value IntAsFloat(Args& a) { return Value::Float(IntToDouble(a.self())); }

const FunctionRow kMakeInt = {"int", "x=..., /, base=...", MakeInt};
const FunctionRow kMakeBool = {"bool", "x=..., /", MakeBool};
const FunctionRow kMakeFloat = {"float", "x=..., /", MakeFloat};
const FunctionRow kIntMethods[] = {
    {"bit_length", "/", BitLengthMethod},
    {"bit_count", "/", BitCount},
    {"conjugate", "/", Conjugate},
    {"as_integer_ratio", "/", IntAsRatio},
    {"to_bytes", "length=1, byteorder='big', *, signed=False", ToBytes},
    {"__round__", "ndigits=None, /", IntRound},
    {"__trunc__", "/", IntTrunc},
    {"__floor__", "/", IntTrunc},
    {"__ceil__", "/", IntTrunc},
    {"__int__", "/", IntTrunc},
    {"__index__", "/", IntTrunc},
    {"__float__", "/", IntAsFloat},
};
const FunctionRow kIntStatics[] = {
    {"from_bytes", "bytes, byteorder='big', *, signed=False", FromBytes}};
const PropertyRow kIntProperties[] = {
    {"real", IntReal}, {"imag", IntImag}, {"numerator", IntReal}, {"denominator", One}};
const FunctionRow kFloatMethods[] = {
    {"is_integer", "/", IsInteger},  {"as_integer_ratio", "/", FloatAsRatio},
    {"hex", "/", FloatHex},          {"conjugate", "/", Conjugate},
    {"__float__", "/", FloatItself}, {"__round__", "ndigits=None, /", FloatRound},
    {"__trunc__", "/", FloatTrunc},  {"__int__", "/", FloatTrunc},
};
const FunctionRow kFloatStatics[] = {{"fromhex", "string, /", FromHex}};
const PropertyRow kFloatProperties[] = {{"real", FloatReal}, {"imag", FloatImag}};

}  // namespace

const TypeInfo kIntType = {.name = "int",
                           .methods = kIntMethods,
                           .properties = kIntProperties,
                           .statics = kIntStatics,
                           .construct = &kMakeInt,
                           .subclass_new = NewNumber,
                           .repr = IntRepr,
                           .format = FormatInt,
                           .truth = IntTruth,
                           .hash = IntHash,
                           .binary = IntBinarySlot,
                           .unary = IntUnary,
                           .index = IntIndex};
const TypeInfo kBoolType = {.name = "bool",
                            .base = &kIntType,
                            .construct = &kMakeBool,
                            .repr = BoolRepr,
                            .format = BoolFormat};
const TypeInfo kFloatType = {.name = "float",
                             .methods = kFloatMethods,
                             .properties = kFloatProperties,
                             .statics = kFloatStatics,
                             .construct = &kMakeFloat,
                             .subclass_new = NewNumber,
                             .repr = FloatReprSlot,
                             .format = FloatFormat,
                             .binary = FloatBinary,
                             .unary = FloatUnary,
                             .to_int = FloatToInt};

}  // namespace tensh::shell
