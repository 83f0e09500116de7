// Ufuncs with two operands that compute: arithmetic, powers, bits, maximum and minimum.
#include <limits>

#include "shell/numpy/loop_templates.h"
#include "shell/numpy/ufunc.h"

namespace tensh::shell::np {
namespace {

template <class T, class F>
T Wrap(T a, T b, F f) {
  return static_cast<T>(f(static_cast<Wrapping<T>>(a), static_cast<Wrapping<T>>(b)));
}

struct Add {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static T Do(T a, T b) {
    if constexpr (kIsBool<T>)
      return a || b;
    else if constexpr (kIsInt<T>)
      return Wrap(a, b, [](auto x, auto y) { return x + y; });
    else
      return a + b;
  }
};
struct Subtract {
  template <class T>
  static constexpr bool kFor = !kIsBool<T>;
  template <class T>
  static T Do(T a, T b) {
    if constexpr (kIsInt<T>)
      return Wrap(a, b, [](auto x, auto y) { return x - y; });
    else
      return a - b;
  }
};
struct Multiply {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static T Do(T a, T b) {
    if constexpr (kIsBool<T>)
      return a && b;
    else if constexpr (kIsInt<T>)
      return Wrap(a, b, [](auto x, auto y) { return x * y; });
    else if constexpr (kIsComplex<T>)
      return T(a.real() * b.real() - a.imag() * b.imag(),
               a.real() * b.imag() + a.imag() * b.real());
    else
      return a * b;
  }
};

// Smith's algorithm (1962): scales by the larger part of the divisor.
template <class T>
std::complex<T> ComplexDivide(std::complex<T> a, std::complex<T> b) {
  const T br = std::fabs(b.real()), bi = std::fabs(b.imag());
  if (br >= bi) {
    if (br == 0 && bi == 0) return {a.real() / br, a.imag() / br};
    const T ratio = b.imag() / b.real();
    const T scale = T(1) / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const T ratio = b.real() / b.imag();
  const T scale = T(1) / (b.imag() + b.real() * ratio);
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

struct TrueDivide {
  template <class T>
  static constexpr bool kFor = kIsReal<T> || kIsComplex<T>;
  template <class T>
  static T Do(T a, T b) {
    if constexpr (kIsComplex<T>)
      return ComplexDivide(a, b);
    else
      return a / b;
  }
};

// Python's divmod of floats: the remainder has the sign of the divisor.
template <class T>
T FloatDivMod(T a, T b, T* remainder) {
  T mod = std::fmod(a, b);
  if (b == 0) {
    *remainder = mod;
    return a / b;
  }
  T div = (a - mod) / b;
  if (mod != 0) {
    if ((b < 0) != (mod < 0)) {
      mod += b;
      div -= 1;
    }
  } else {
    mod = std::copysign(T(0), b);
  }
  *remainder = mod;
  if (div == 0) return std::copysign(T(0), a / b);
  T whole = std::floor(div);
  if (div - whole > T(0.5)) whole += 1;
  return whole;
}

struct FloorDivide {
  template <class T>
  static constexpr bool kFor = kIsInt<T> || kIsReal<T>;
  template <class T>
  static T Do(T a, T b) {
    if constexpr (kIsReal<T>) {
      T mod;
      return FloatDivMod(a, b, &mod);
    } else {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return static_cast<T>(-static_cast<Wrapping<T>>(a));
        return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0)));
      } else {
        return static_cast<T>(a / b);
      }
    }
  }
};
struct Remainder {
  template <class T>
  static constexpr bool kFor = kIsInt<T> || kIsReal<T>;
  template <class T>
  static T Do(T a, T b) {
    if constexpr (kIsReal<T>) {
      T mod;
      FloatDivMod(a, b, &mod);
      return mod;
    } else {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return 0;
        const T r = static_cast<T>(a % b);
        return static_cast<T>(r != 0 && (r < 0) != (b < 0) ? r + b : r);
      } else {
        return static_cast<T>(a % b);
      }
    }
  }
};
struct Fmod {
  template <class T>
  static constexpr bool kFor = kIsInt<T> || kIsReal<T>;
  template <class T>
  static T Do(T a, T b) {
    if constexpr (kIsReal<T>)
      return std::fmod(a, b);
    else if constexpr (std::is_signed_v<T>)
      return b == 0 || b == -1 ? T(0) : static_cast<T>(a % b);
    else
      return b == 0 ? T(0) : static_cast<T>(a % b);
  }
};
struct PowerOp {
  template <class T>
  static constexpr bool kFor = !kIsBool<T>;
  template <class T>
  static T Do(T a, T b) {
    if constexpr (kIsComplex<T>) {
      if (b == T(0)) return T(1);
      if (b == T(1)) return a;
      if (b == T(2)) return Multiply::Do(a, a);
      return std::pow(a, b);
    } else if constexpr (kIsReal<T>) {
      return std::pow(a, b);
    } else {
      T result = 1;
      // Negative exponents were rejected before the loop.
      for (auto e = static_cast<Wrapping<T>>(b); e; e >>= 1) {
        if (e & 1) result = Multiply::Do(result, a);
        a = Multiply::Do(a, a);
      }
      return result;
    }
  }
};
// float_power and ** of integers by floats arrive here as floats.
struct Maximum {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static T Do(T a, T b) {
    return Larger(a, b);
  }
};
struct Minimum {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static T Do(T a, T b) {
    return Smaller(a, b);
  }
};

template <class T>
inline constexpr bool kIsIntegral = std::is_integral_v<T>;
struct BitAnd {
  template <class T>
  static constexpr bool kFor = kIsIntegral<T>;
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  static constexpr bool kFor = kIsIntegral<T>;
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  static constexpr bool kFor = kIsIntegral<T>;
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct ShiftLeft {
  template <class T>
  static constexpr bool kFor = kIsInt<T>;
  template <class T>
  static T Do(T a, T b) {
    const auto n = static_cast<Wrapping<T>>(b);
    return n < 8 * sizeof(T) ? static_cast<T>(static_cast<Wrapping<T>>(a) << n) : T(0);
  }
};
struct ShiftRight {
  template <class T>
  static constexpr bool kFor = kIsInt<T>;
  template <class T>
  static T Do(T a, T b) {
    const auto n = static_cast<Wrapping<T>>(b);
    if (n < 8 * sizeof(T)) return static_cast<T>(a >> n);
    return a < T(0) ? static_cast<T>(-1) : T(0);
  }
};
template <double (*F)(double, double)>
struct Float2 {
  template <class T>
  static constexpr bool kFor = kIsReal<T>;
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(F(static_cast<double>(a), static_cast<double>(b)));
  }
};
double LogAddExp(double a, double b) {
  if (a == b) return a + std::log(2.0);
  return std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}

constexpr auto kNoCompare = CompareOp::kEq;
constexpr Ufunc kArithmetic[] = {
    {"add", 2, Resolve::kSame, Find2<Add>, BinaryOp::kAdd, kNoCompare, false, "a + b"},
    {"subtract", 2, Resolve::kSame, Find2<Subtract>, BinaryOp::kSub, kNoCompare, false, "a - b"},
    {"multiply", 2, Resolve::kSame, Find2<Multiply>, BinaryOp::kMul, kNoCompare, false, "a * b"},
    {"divide", 2, Resolve::kDivide, Find2<TrueDivide>, BinaryOp::kTrueDiv, kNoCompare, false,
     "a / b"},
    {"true_divide", 2, Resolve::kDivide, Find2<TrueDivide>, BinaryOp::kTrueDiv, kNoCompare, false,
     "a / b"},
    {"floor_divide", 2, Resolve::kSame, Find2<FloorDivide>, BinaryOp::kFloorDiv, kNoCompare, false,
     "a // b"},
    {"remainder", 2, Resolve::kSame, Find2<Remainder>, BinaryOp::kMod, kNoCompare, false, "a % b"},
    {"mod", 2, Resolve::kSame, Find2<Remainder>, BinaryOp::kMod, kNoCompare, false, "a % b"},
    {"fmod", 2, Resolve::kSame, Find2<Fmod>, BinaryOp::kMod, kNoCompare, false,
     "Return the remainder of a / b with the sign of a."},
    {"power", 2, Resolve::kSame, Find2<PowerOp>, BinaryOp::kPow, kNoCompare, false, "a ** b"},
    {"maximum", 2, Resolve::kSame, Find2<Maximum>, BinaryOp::kAdd, kNoCompare, false,
     "Return the larger of each pair of elements."},
    {"minimum", 2, Resolve::kSame, Find2<Minimum>, BinaryOp::kAdd, kNoCompare, false,
     "Return the smaller of each pair of elements."},
    {"bitwise_and", 2, Resolve::kBits, Find2<BitAnd>, BinaryOp::kAnd, kNoCompare, false, "a & b"},
    {"bitwise_or", 2, Resolve::kBits, Find2<BitOr>, BinaryOp::kOr, kNoCompare, false, "a | b"},
    {"bitwise_xor", 2, Resolve::kBits, Find2<BitXor>, BinaryOp::kXor, kNoCompare, false, "a ^ b"},
    {"left_shift", 2, Resolve::kBits, Find2<ShiftLeft>, BinaryOp::kLShift, kNoCompare, false,
     "a << b"},
    {"right_shift", 2, Resolve::kBits, Find2<ShiftRight>, BinaryOp::kRShift, kNoCompare, false,
     "a >> b"},
    {"arctan2", 2, Resolve::kFloat, Find2<Float2<std::atan2>>, BinaryOp::kAdd, kNoCompare, false,
     "Return the angle of the point (b, a)."},
    {"hypot", 2, Resolve::kFloat, Find2<Float2<std::hypot>>, BinaryOp::kAdd, kNoCompare, false,
     "sqrt(a² + b²)"},
    {"copysign", 2, Resolve::kFloat, Find2<Float2<std::copysign>>, BinaryOp::kAdd, kNoCompare,
     false, "Return a with the sign of b."},
    {"logaddexp", 2, Resolve::kFloat, Find2<Float2<LogAddExp>>, BinaryOp::kAdd, kNoCompare, false,
     "log(exp(a) + exp(b))"},
};

}  // namespace

std::span<const Ufunc> ArithmeticUfuncs() { return kArithmetic; }

}  // namespace tensh::shell::np
