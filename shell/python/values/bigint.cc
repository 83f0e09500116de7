#include "shell/python/values/bigint.h"

#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

using boost::multiprecision::cpp_int;

// Limits the bits of a result, so that one command cannot use up the memory of the machine.
constexpr size_t kMaxBits = size_t{1} << 23;

class IntObject : public Object {
 public:
  explicit IntObject(cpp_int v) : Object(kIntType), value(std::move(v)) {}
  const cpp_int value;
};

const cpp_int& BigOf(const Value& v) { return static_cast<IntObject*>(v.object())->value; }

cpp_int ToBig(const Value& v) { return v.is_object() ? BigOf(v) : cpp_int(v.as_int()); }

Value Normalize(cpp_int v) {
  if (v >= INT64_MIN && v <= INT64_MAX) return Value::Int(static_cast<int64_t>(v));
  return New<IntObject>(std::move(v));
}

size_t Bits(const cpp_int& v) { return v == 0 ? 0 : msb(boost::multiprecision::abs(v)) + 1; }

void CheckBits(size_t bits) {
  if (bits > kMaxBits) throw OverflowError("integer is too large: more than 8388608 bits");
}

void FloorDivMod(const cpp_int& a, const cpp_int& b, cpp_int* q, cpp_int* r) {
  divide_qr(a, b, *q, *r);
  if (*r != 0 && ((*r < 0) != (b < 0))) {
    *r += b;
    *q -= 1;
  }
}

// Computes the size of the result first, because a short expression such as 9**9**9 must not use up
// the memory. A negative exponent gives a float.
Value Power(const Value& a, const Value& b) {
  if (IntCompare(b, Value::Int(0)) < 0) {
    double base = IntToDouble(a);
    if (base == 0) throw ZeroDivisionError("0.0 cannot be raised to a negative power");
    return Value::Float(std::pow(base, IntToDouble(b)));
  }
  cpp_int base = ToBig(a);
  if (b.is_object()) {
    if (base == 0 || base == 1) return Normalize(base);
    if (base == -1) return Value::Int((BigOf(b) & 1) == 0 ? 1 : -1);
    throw OverflowError("integer is too large: more than 8388608 bits");
  }
  uint64_t e = static_cast<uint64_t>(b.as_int());
  if (base != 0 && base != 1 && base != -1) {
    if (e > kMaxBits) CheckBits(kMaxBits + 1);
    CheckBits((Bits(base) - 1) * e);
  } else if (base == -1) {
    return Value::Int(e % 2 ? -1 : 1);
  } else {
    return Value::Int(e == 0 ? 1 : static_cast<int64_t>(base));
  }
  cpp_int result = 1;
  for (; e; e >>= 1) {
    if (e & 1) result *= base;
    if (e > 1) base *= base;
  }
  return Normalize(std::move(result));
}

Value Shift(BinaryOp op, const Value& a, const Value& b) {
  if (IntCompare(b, Value::Int(0)) < 0) throw ValueError("negative shift count");
  if (op == BinaryOp::kLShift) {
    cpp_int v = ToBig(a);
    if (v == 0) return Value::Int(0);
    if (b.is_object() || b.as_int() > static_cast<int64_t>(kMaxBits)) CheckBits(kMaxBits + 1);
    CheckBits(Bits(v) + static_cast<size_t>(b.as_int()));
    return Normalize(v << static_cast<unsigned>(b.as_int()));
  }
  cpp_int v = ToBig(a);
  if (b.is_object() || b.as_int() > static_cast<int64_t>(kMaxBits))
    return Value::Int(v < 0 ? -1 : 0);
  if (v >= 0) return Normalize(v >> static_cast<unsigned>(b.as_int()));
  return Normalize(-((-v - 1) >> static_cast<unsigned>(b.as_int())) - 1);
}

// cpp_int has no bit operators on negative operands, so these are first converted to two's
// complement with enough bits.
cpp_int BitOp(BinaryOp op, const cpp_int& a, const cpp_int& b) {
  if (a >= 0 && b >= 0) {
    return op == BinaryOp::kAnd  ? cpp_int(a & b)
           : op == BinaryOp::kOr ? cpp_int(a | b)
                                 : cpp_int(a ^ b);
  }
  const size_t bits = std::max(Bits(a), Bits(b)) + 2;
  const cpp_int modulus = cpp_int(1) << static_cast<unsigned>(bits);
  cpp_int x = a < 0 ? cpp_int(a + modulus) : a, y = b < 0 ? cpp_int(b + modulus) : b;
  cpp_int r = op == BinaryOp::kAnd  ? cpp_int(x & y)
              : op == BinaryOp::kOr ? cpp_int(x | y)
                                    : cpp_int(x ^ y);
  if (bit_test(r, static_cast<unsigned>(bits - 1))) r -= modulus;
  return r;
}

Value BigBinary(BinaryOp op, const Value& a, const Value& b) {
  if (op == BinaryOp::kPow) return Power(a, b);
  if (op == BinaryOp::kLShift || op == BinaryOp::kRShift) return Shift(op, a, b);
  if (op == BinaryOp::kTrueDiv) return IntTrueDivide(a, b);
  cpp_int x = ToBig(a), y = ToBig(b);
  switch (op) {
    case BinaryOp::kAdd:
      return Normalize(x + y);
    case BinaryOp::kSub:
      return Normalize(x - y);
    case BinaryOp::kMul:
      CheckBits(Bits(x) + Bits(y));
      return Normalize(x * y);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kMod: {
      if (y == 0) {
        throw ZeroDivisionError(op == BinaryOp::kMod ? "integer modulo by zero"
                                                     : "integer division or modulo by zero");
      }
      cpp_int q, r;
      FloorDivMod(x, y, &q, &r);
      return Normalize(op == BinaryOp::kMod ? std::move(r) : std::move(q));
    }
    default:
      return Normalize(BitOp(op, x, y));
  }
}

Value SmallDivide(BinaryOp op, int64_t a, int64_t b) {
  if (b == 0) {
    throw ZeroDivisionError(op == BinaryOp::kMod ? "integer modulo by zero"
                                                 : "integer division or modulo by zero");
  }
  if (b == -1) return op == BinaryOp::kMod ? Value::Int(0) : IntNegate(Value::Int(a));
  int64_t q = a / b, r = a % b;
  if (r != 0 && ((r < 0) != (b < 0))) --q, r += b;
  return Value::Int(op == BinaryOp::kMod ? r : q);
}

// Returns null if the result does not fit in 64 bits.
Value SmallPower(int64_t base, int64_t exponent) {
  if (exponent < 0 || exponent > 64) return Value();
  int64_t result = 1;
  for (int64_t e = exponent; e; e >>= 1) {
    if ((e & 1) && __builtin_mul_overflow(result, base, &result)) return Value();
    if (e > 1 && __builtin_mul_overflow(base, base, &base)) return Value();
  }
  return Value::Int(result);
}

// Returns null if the result does not fit in 64 bits, or the operation needs big integers.
Value SmallBinary(BinaryOp op, int64_t x, int64_t y) {
  int64_t r;
  switch (op) {
    case BinaryOp::kAdd:
      return __builtin_add_overflow(x, y, &r) ? Value() : Value::Int(r);
    case BinaryOp::kSub:
      return __builtin_sub_overflow(x, y, &r) ? Value() : Value::Int(r);
    case BinaryOp::kMul:
      return __builtin_mul_overflow(x, y, &r) ? Value() : Value::Int(r);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kMod:
      return SmallDivide(op, x, y);
    case BinaryOp::kAnd:
      return Value::Int(x & y);
    case BinaryOp::kOr:
      return Value::Int(x | y);
    case BinaryOp::kXor:
      return Value::Int(x ^ y);
    case BinaryOp::kRShift:
      return y < 0 ? Value() : Value::Int(x >> std::min<int64_t>(y, 63));
    case BinaryOp::kPow:
      return SmallPower(x, y);
    default:
      return Value();
  }
}

// The digits of an integer literal, each as its value, most significant first.
struct IntDigits {
  bool negative = false;
  int base = 10;
  std::string digits;
};

// If the text has the prefix of `base`, or of any base where that is 0, removes it and sets `base`.
bool TakeBasePrefix(std::string_view* text, int* base) {
  if (text->size() < 2 || (*text)[0] != '0') return false;
  const char mark = static_cast<char>((*text)[1] | 0x20);
  const int by_prefix = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  if (!by_prefix || (*base != 0 && *base != by_prefix)) return false;
  *base = by_prefix;
  text->remove_prefix(2);
  return true;
}

// Returns the value of a digit or letter, or 99 for other characters.
int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = static_cast<char>(c | 0x20);
  return letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : 99;
}

// Reads digits with underscores between them. After a prefix, an underscore may also come first.
bool ReadDigits(std::string_view text, int base, bool prefixed, std::string* digits) {
  bool underscore_ok = prefixed;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '_') {
      if (!underscore_ok || at + 1 == text.size()) return false;
      underscore_ok = false;
      continue;
    }
    const int digit = DigitValue(text[at]);
    if (digit >= base) return false;
    *digits += static_cast<char>(digit);
    underscore_ok = true;
  }
  return !digits->empty();
}

// Implements the syntax of int(text, base). Returns false if the text is no integer.
bool ReadInt(std::string_view text, int base, IntDigits* out) {
  auto space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  if (text.starts_with('+') || text.starts_with('-')) {
    out->negative = text[0] == '-';
    text.remove_prefix(1);
  }
  out->base = base;
  const bool prefixed = TakeBasePrefix(&text, &out->base);
  if (out->base == 0) out->base = 10;
  if (!ReadDigits(text, out->base, prefixed, &out->digits)) return false;
  // Base 0 follows the rules for literals, which allow leading zeros only in zero.
  const bool leading_zero = base == 0 && !prefixed && out->digits[0] == 0;
  return !leading_zero || out->digits.find_first_not_of('\0') == std::string::npos;
}

// Computes sum(digits[i] * base ** (n - 1 - i)).
cpp_int FromDigits(const std::string& digits, int base) {
  cpp_int big = 0;
  if ((base & (base - 1)) == 0) {  // A power of two: each digit has its own bits.
    import_bits(big, digits.begin(), digits.end(),
                static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(base))));
    return big;
  }
  for (char digit : digits) big = big * base + digit;
  return big;
}

}  // namespace

bool IsBigInt(const Value& v) { return v.is_object() && &v.object()->type() == &kIntType; }

// Small operands are computed in 64 bits. If a result overflows, the big implementation takes over.
Value IntBinary(BinaryOp op, const Value& a, const Value& b) {
  auto is_int = [](const Value& v) { return v.is_int() || v.is_bool() || IsBigInt(v); };
  if (!is_int(a) || !is_int(b)) return Value::NotImplemented();
  if (op == BinaryOp::kMatMul) return Value::NotImplemented();
  if (a.is_object() || b.is_object()) return BigBinary(op, a, b);
  const Value small = SmallBinary(op, a.as_int(), b.as_int());
  if (small.is_null()) return BigBinary(op, a, b);
  const bool bits = op == BinaryOp::kAnd || op == BinaryOp::kOr || op == BinaryOp::kXor;
  return bits && a.is_bool() && b.is_bool() ? Value::Bool(small.as_int() != 0) : small;
}

Value IntTrueDivide(const Value& a, const Value& b) {
  if (!b.is_object() && b.as_int() == 0) throw ZeroDivisionError("division by zero");
  constexpr int64_t kExact = int64_t{1} << 53;
  auto small = [](const Value& v) {
    return !v.is_object() && v.as_int() <= kExact && v.as_int() >= -kExact;
  };
  if (small(a) && small(b)) {
    return Value::Float(static_cast<double>(a.as_int()) / static_cast<double>(b.as_int()));
  }
  // Correctly rounded division. Scales the operands so that the quotient has about 60 bits, and
  // sets its last bit if there is a remainder.
  cpp_int x = ToBig(a), y = ToBig(b);
  const bool negative = (x < 0) != (y < 0);
  x = boost::multiprecision::abs(x), y = boost::multiprecision::abs(y);
  if (x == 0) return Value::Float(negative ? -0.0 : 0.0);
  int64_t shift = static_cast<int64_t>(Bits(y)) - static_cast<int64_t>(Bits(x)) + 60;
  if (shift > 0) {
    x <<= static_cast<unsigned>(shift);
  } else {
    y <<= static_cast<unsigned>(-shift);
  }
  cpp_int q, r;
  divide_qr(x, y, q, r);
  uint64_t bits = static_cast<uint64_t>(q);
  if (r != 0) bits |= 1;
  // `bits` has 60 or 61 significant bits. A subnormal result drops further bits here, so that it is
  // rounded only once.
  int64_t exponent = -shift;
  int extra = 64 - std::countl_zero(bits) - 53;
  if (exponent + extra < -1074) extra = static_cast<int>(std::min<int64_t>(63, -1074 - exponent));
  uint64_t rest = bits & ((uint64_t{1} << extra) - 1), half = uint64_t{1} << (extra - 1);
  bits >>= extra;
  if (rest > half || (rest == half && (bits & 1))) ++bits;
  double d = std::ldexp(static_cast<double>(bits), static_cast<int>(exponent + extra));
  if (std::isinf(d)) throw OverflowError("integer division result too large for a float");
  return Value::Float(negative ? -d : d);
}

int IntCompare(const Value& a, const Value& b) {
  if (!a.is_object() && !b.is_object())
    return a.as_int() < b.as_int() ? -1 : a.as_int() > b.as_int();
  return ToBig(a).compare(ToBig(b)) < 0 ? -1 : ToBig(a).compare(ToBig(b)) > 0;
}

Value IntNegate(const Value& v) {
  if (!v.is_object() && v.as_int() != INT64_MIN) return Value::Int(-v.as_int());
  return Normalize(-ToBig(v));
}

Value IntInvert(const Value& v) {
  if (!v.is_object()) return Value::Int(~v.as_int());
  return Normalize(-ToBig(v) - 1);
}

bool BigNegative(const Value& v) { return BigOf(v) < 0; }

uint64_t BigHash(const Value& v) {
  const cpp_int modulus = (cpp_int(1) << 61) - 1;
  const cpp_int& big = BigOf(v);
  auto h = static_cast<int64_t>(boost::multiprecision::abs(big) % modulus);
  return static_cast<uint64_t>(big < 0 ? -h : h);
}

double IntToDouble(const Value& v) {
  if (!v.is_object()) return static_cast<double>(v.as_int());
  if (Bits(BigOf(v)) > 1024) throw OverflowError("int too large to convert to float");
  return IntTrueDivide(v, Value::Int(1)).as_float();
}

int CompareIntFloat(const Value& i, double f) {
  cpp_int whole(std::trunc(f));
  int c = ToBig(i).compare(whole);
  if (c != 0) return c < 0 ? -1 : 1;
  double fraction = f - std::trunc(f);
  return fraction > 0 ? -1 : fraction < 0 ? 1 : 0;
}

Value IntFromDouble(double f) {
  f = std::trunc(f);
  if (f >= -9223372036854775808.0 && f < 9223372036854775808.0)
    return Value::Int(static_cast<int64_t>(f));
  return Normalize(cpp_int(f));
}

std::string IntToText(const Value& v, int base) {
  if (!v.is_object() && base == 10) return std::to_string(v.as_int());
  cpp_int x = ToBig(v);
  const bool negative = x < 0;
  if (negative) x = -x;
  std::string digits;
  if (base == 10) {
    // log10(2) * bits, rounded down, is a lower bound of the number of digits less one.
    if (static_cast<double>(Bits(x) - 1) * 0.30102999566398 >= kMaxIntDigits) {
      throw OverflowError("Exceeds the limit (4300 digits) for integer string conversion");
    }
    digits = x.str();
    if (digits.size() > kMaxIntDigits) {
      throw OverflowError("Exceeds the limit (4300 digits) for integer string conversion");
    }
  } else {
    if (x == 0) digits = "0";
    const int shift = base == 2 ? 1 : base == 8 ? 3 : 4;
    const size_t bits = Bits(x);
    for (size_t at = 0; at < bits; at += static_cast<size_t>(shift)) {
      int digit = 0;
      for (int k = 0; k < shift; ++k) {
        if (bit_test(x, static_cast<unsigned>(at) + static_cast<unsigned>(k))) digit |= 1 << k;
      }
      digits += "0123456789abcdef"[digit];
    }
    digits = std::string(digits.rbegin(), digits.rend());
  }
  return negative ? "-" + digits : digits;
}

Value IntFromText(std::string_view text, int base) {
  IntDigits read;
  if (!ReadInt(text, base, &read)) return Value();
  base = read.base;
  const std::string& digits = read.digits;
  if ((base & (base - 1)) != 0 && digits.size() > kMaxIntDigits) {
    throw OverflowError(
        "Exceeds the limit (4300 digits) for integer string conversion: value has " +
        std::to_string(digits.size()) + " digits");
  }
  CheckBits(digits.size() * 5 / 4);
  int64_t small = 0;
  bool fits = true;
  for (size_t i = 0; fits && i < digits.size(); ++i) {
    fits = !__builtin_mul_overflow(small, base, &small) &&
           !__builtin_add_overflow(small, digits[i], &small);
  }
  if (fits) return Value::Int(read.negative ? -small : small);
  const cpp_int big = FromDigits(digits, base);
  return Normalize(read.negative ? cpp_int(-big) : big);
}

int64_t BitLength(const Value& v) { return static_cast<int64_t>(Bits(ToBig(v))); }

Value IntPowMod(const Value& base, const Value& exponent, const Value& modulus) {
  cpp_int m = ToBig(modulus), b = ToBig(base), e = ToBig(exponent);
  if (m == 0) throw ValueError("pow() 3rd argument cannot be 0");
  const cpp_int size = boost::multiprecision::abs(m);
  cpp_int q, r;
  FloorDivMod(b, size, &q, &r);
  b = r;
  if (e < 0) {
    cpp_int t = 0, next_t = 1, s = size, next_s = b;
    while (next_s != 0) {
      cpp_int k = s / next_s;
      cpp_int swap = t - k * next_t;
      t = next_t, next_t = swap;
      swap = s - k * next_s;
      s = next_s, next_s = swap;
    }
    if (s != 1) throw ValueError("base is not invertible for the given modulus");
    b = t < 0 ? cpp_int(t + size) : t;
    e = -e;
  }
  cpp_int result = powm(b, e, size);
  FloorDivMod(result, m, &q, &r);
  return Normalize(r);
}

Value IntFromU64(uint64_t v) { return Normalize(cpp_int(v)); }

bool IntToU64(const Value& v, uint64_t* out) {
  cpp_int x = ToBig(v);
  if (x < 0 || Bits(x) > 64) return false;
  *out = static_cast<uint64_t>(x);
  return true;
}

Value IntFromBytes(std::string_view bytes, bool little, bool is_signed) {
  CheckBits(bytes.size() * 8);
  cpp_int x = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    x = (x << 8) | static_cast<unsigned char>(little ? bytes[bytes.size() - 1 - i] : bytes[i]);
  }
  if (is_signed && !bytes.empty() &&
      x >= (cpp_int(1) << static_cast<unsigned>(bytes.size() * 8 - 1))) {
    x -= cpp_int(1) << static_cast<unsigned>(bytes.size() * 8);
  }
  return Normalize(std::move(x));
}

std::string IntToBytes(const Value& v, size_t length, bool little) {
  cpp_int x = ToBig(v);
  std::string out(length, '\0');
  for (size_t i = 0; i < length; ++i, x >>= 8) {
    out[little ? i : length - 1 - i] = static_cast<char>(static_cast<unsigned>(x & 255));
  }
  if (x != 0) throw OverflowError("int too big to convert");
  return out;
}

Value IntSqrt(const Value& v) { return Normalize(boost::multiprecision::sqrt(ToBig(v))); }

Value IntGcd(const Value& a, const Value& b) {
  // Millions of digits take seconds, so that Euclid's steps look for Ctrl-C until the rest is short.
  constexpr unsigned kShort = 1 << 15;
  cpp_int x = abs(ToBig(a)), y = abs(ToBig(b));
  while (y != 0 && msb(y) > kShort) {
    PollInterrupt();
    x %= y;
    x.swap(y);
  }
  return Normalize(gcd(x, y));
}

}  // namespace tensh::shell
