// Ufuncs with one operand.
#include <limits>

#include "shell/numpy/loop_templates.h"
#include "shell/numpy/ufunc.h"

namespace tensh::shell::np {
namespace {

struct Negative {
  template <class T>
  static constexpr bool kFor = !kIsBool<T>;
  template <class T>
  static T Do(T a) {
    if constexpr (kIsInt<T>)
      return static_cast<T>(-static_cast<Wrapping<T>>(a));
    else
      return -a;
  }
};
struct Positive {
  template <class T>
  static constexpr bool kFor = !kIsBool<T>;
  template <class T>
  static T Do(T a) {
    return a;
  }
};
struct Absolute {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static auto Do(T a) {
    if constexpr (kIsComplex<T>)
      return std::hypot(a.real(), a.imag());
    else if constexpr (kIsReal<T>)
      return std::fabs(a);
    else if constexpr (std::is_signed_v<T>)
      return a < 0 ? Negative::Do(a) : a;
    else
      return a;
  }
};
struct Sign {
  template <class T>
  static constexpr bool kFor = !kIsBool<T>;
  template <class T>
  static T Do(T a) {
    if constexpr (kIsComplex<T>) {
      const auto part = a.real() != 0 ? a.real() : a.imag();
      return T(part > 0 ? 1 : part < 0 ? -1 : part, 0);
    } else {
      return a > T(0) ? T(1) : a < T(0) ? static_cast<T>(-1) : a == T(0) ? T(0) : a;
    }
  }
};
struct Square {
  template <class T>
  static constexpr bool kFor = !kIsBool<T>;
  template <class T>
  static T Do(T a) {
    if constexpr (kIsInt<T>)
      return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(a));
    else if constexpr (kIsComplex<T>)
      return T(a.real() * a.real() - a.imag() * a.imag(),
               a.real() * a.imag() + a.imag() * a.real());
    else
      return a * a;
  }
};
struct Reciprocal {
  // Smith's division of 1 by a + bi. The sign of zero agrees with numpy's.
  template <class T>
  static std::complex<T> Inverse(T a, T b) {
    if (std::fabs(b) <= std::fabs(a)) {
      const T ratio = b / a, scale = a + b * ratio;
      return {T(1) / scale, -ratio / scale};
    }
    const T ratio = a / b, scale = a * ratio + b;
    return {ratio / scale, T(-1) / scale};
  }
  template <class T>
  static constexpr bool kFor = !kIsBool<T>;
  template <class T>
  static T Do(T a) {
    if constexpr (kIsInt<T>)
      return a == T(0) ? (sizeof(T) < 4 ? T(0) : std::numeric_limits<T>::min())
                       : static_cast<T>(T(1) / a);
    else if constexpr (kIsComplex<T>)
      return Inverse(a.real(), a.imag());
    else
      return T(1) / a;
  }
};
struct Invert {
  template <class T>
  static constexpr bool kFor = std::is_integral_v<T>;
  template <class T>
  static T Do(T a) {
    if constexpr (kIsBool<T>)
      return !a;
    else
      return static_cast<T>(~a);
  }
};
struct Conjugate {
  template <class T>
  static constexpr bool kFor = !kIsBool<T>;
  template <class T>
  static T Do(T a) {
    if constexpr (kIsComplex<T>)
      return std::conj(a);
    else
      return a;
  }
};
struct IsNan {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a) {
    return a != a;
  }
};
struct IsInf {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a) {
    if constexpr (kIsReal<T>)
      return std::isinf(a);
    else if constexpr (kIsComplex<T>)
      return std::isinf(a.real()) || std::isinf(a.imag());
    else
      return false;
  }
};
struct IsFinite {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a) {
    return !IsNan::Do(a) && !IsInf::Do(a);
  }
};
struct SignBit {
  template <class T>
  static constexpr bool kFor = !kIsComplex<T>;
  template <class T>
  static bool Do(T a) {
    if constexpr (kIsReal<T>)
      return std::signbit(a);
    else
      return a < T(0);
  }
};
struct Not {
  template <class T>
  static constexpr bool kFor = true;
  template <class T>
  static bool Do(T a) {
    return a == T{};
  }
};

// Defines a function for both widths of floats, and for complex numbers if the standard library has
// it.
#define TENSH_NP_FLOAT(Name, expression)     \
  struct Name {                              \
    template <class T>                       \
    static constexpr bool kFor = kIsReal<T>; \
    template <class T>                       \
    static T Do(T x) {                       \
      return static_cast<T>(expression);     \
    }                                        \
  };
#define TENSH_NP_COMPLEX(Name, expression)                    \
  struct Name {                                               \
    template <class T>                                        \
    static constexpr bool kFor = kIsReal<T> || kIsComplex<T>; \
    template <class T>                                        \
    static T Do(T x) {                                        \
      return expression;                                      \
    }                                                         \
  };
TENSH_NP_COMPLEX(Sqrt, std::sqrt(x))
TENSH_NP_COMPLEX(Exp, std::exp(x))
TENSH_NP_COMPLEX(Log, std::log(x))
TENSH_NP_COMPLEX(Log10, std::log10(x))
TENSH_NP_COMPLEX(Sin, std::sin(x))
TENSH_NP_COMPLEX(Cos, std::cos(x))
TENSH_NP_COMPLEX(Tan, std::tan(x))
TENSH_NP_COMPLEX(Arcsin, std::asin(x))
TENSH_NP_COMPLEX(Arccos, std::acos(x))
TENSH_NP_COMPLEX(Arctan, std::atan(x))
TENSH_NP_COMPLEX(Sinh, std::sinh(x))
TENSH_NP_COMPLEX(Cosh, std::cosh(x))
TENSH_NP_COMPLEX(Tanh, std::tanh(x))
TENSH_NP_COMPLEX(Arcsinh, std::asinh(x))
TENSH_NP_COMPLEX(Arccosh, std::acosh(x))
TENSH_NP_COMPLEX(Arctanh, std::atanh(x))
TENSH_NP_FLOAT(Exp2, std::exp2(x))
TENSH_NP_FLOAT(Expm1, std::expm1(x))
TENSH_NP_FLOAT(Log2, std::log2(x))
TENSH_NP_FLOAT(Log1p, std::log1p(x))
TENSH_NP_FLOAT(Cbrt, std::cbrt(x))
TENSH_NP_FLOAT(Floor, std::floor(x))
TENSH_NP_FLOAT(Ceil, std::ceil(x))
TENSH_NP_FLOAT(Trunc, std::trunc(x))
TENSH_NP_FLOAT(Degrees, x* static_cast<T>(180.0 / M_PI))
TENSH_NP_FLOAT(Radians, x* static_cast<T>(M_PI / 180.0))
struct Rint {
  template <class T>
  static constexpr bool kFor = kIsReal<T> || kIsComplex<T>;
  template <class T>
  static T Do(T x) {
    if constexpr (kIsComplex<T>)
      return T(std::nearbyint(x.real()), std::nearbyint(x.imag()));
    else
      return static_cast<T>(std::nearbyint(x));
  }
};
#undef TENSH_NP_FLOAT
#undef TENSH_NP_COMPLEX

template <class Op>
constexpr Ufunc Row(const char* name, Resolve resolve, const char* doc) {
  return {name, 1, resolve, Find1<Op>, BinaryOp::kAdd, CompareOp::kEq, false, doc};
}

constexpr Ufunc kUnary[] = {
    Row<Negative>("negative", Resolve::kSame, "-x"),
    Row<Positive>("positive", Resolve::kSame, "+x"),
    Row<Absolute>("absolute", Resolve::kSame, "|x|"),
    Row<Absolute>("abs", Resolve::kSame, "|x|"),
    Row<Absolute>("fabs", Resolve::kFloat, "Return |x| as a float."),
    Row<Sign>("sign", Resolve::kSame, "-1, 0 or 1."),
    Row<Square>("square", Resolve::kSame, "x * x"),
    Row<Reciprocal>("reciprocal", Resolve::kSame, "1 / x"),
    Row<Invert>("invert", Resolve::kBits, "~x"),
    Row<Invert>("bitwise_not", Resolve::kBits, "~x"),
    Row<Conjugate>("conjugate", Resolve::kSame, "Return the complex conjugate."),
    Row<Conjugate>("conj", Resolve::kSame, "Return the complex conjugate."),
    Row<IsNan>("isnan", Resolve::kTest, "Test for NaN."),
    Row<IsInf>("isinf", Resolve::kTest, "Test for infinity."),
    Row<IsFinite>("isfinite", Resolve::kTest, "Test for numbers other than infinity and NaN."),
    Row<SignBit>("signbit", Resolve::kTest, "Test whether the sign bit is set."),
    Row<Not>("logical_not", Resolve::kTest, "Return the logical negation."),
    Row<Sqrt>("sqrt", Resolve::kFloat, "Return the square root."),
    Row<Exp>("exp", Resolve::kFloat, "e ** x"),
    Row<Exp2>("exp2", Resolve::kFloat, "2 ** x"),
    Row<Expm1>("expm1", Resolve::kFloat, "exp(x) - 1"),
    Row<Log>("log", Resolve::kFloat, "Return the natural logarithm."),
    Row<Log2>("log2", Resolve::kFloat, "Return the logarithm to base 2."),
    Row<Log10>("log10", Resolve::kFloat, "Return the logarithm to base 10."),
    Row<Log1p>("log1p", Resolve::kFloat, "log(1 + x)"),
    Row<Cbrt>("cbrt", Resolve::kFloat, "Return the cube root."),
    Row<Sin>("sin", Resolve::kFloat, "Return the sine of x in radians."),
    Row<Cos>("cos", Resolve::kFloat, "Return the cosine of x in radians."),
    Row<Tan>("tan", Resolve::kFloat, "Return the tangent of x in radians."),
    Row<Arcsin>("arcsin", Resolve::kFloat, "Return the inverse sine."),
    Row<Arccos>("arccos", Resolve::kFloat, "Return the inverse cosine."),
    Row<Arctan>("arctan", Resolve::kFloat, "Return the inverse tangent."),
    Row<Sinh>("sinh", Resolve::kFloat, "Return the hyperbolic sine."),
    Row<Cosh>("cosh", Resolve::kFloat, "Return the hyperbolic cosine."),
    Row<Tanh>("tanh", Resolve::kFloat, "Return the hyperbolic tangent."),
    Row<Arcsinh>("arcsinh", Resolve::kFloat, "Return the inverse hyperbolic sine."),
    Row<Arccosh>("arccosh", Resolve::kFloat, "Return the inverse hyperbolic cosine."),
    Row<Arctanh>("arctanh", Resolve::kFloat, "Return the inverse hyperbolic tangent."),
    Row<Floor>("floor", Resolve::kFloat, "Return the largest integer not above x."),
    Row<Ceil>("ceil", Resolve::kFloat, "Return the smallest integer not below x."),
    Row<Trunc>("trunc", Resolve::kFloat, "Return x without its fraction."),
    Row<Rint>("rint", Resolve::kFloat, "Round to the nearest integer, halves to even."),
    Row<Degrees>("degrees", Resolve::kFloat, "Convert radians to degrees."),
    Row<Degrees>("rad2deg", Resolve::kFloat, "Convert radians to degrees."),
    Row<Radians>("radians", Resolve::kFloat, "Convert degrees to radians."),
    Row<Radians>("deg2rad", Resolve::kFloat, "Convert degrees to radians."),
};

}  // namespace

std::span<const Ufunc> UnaryUfuncs() { return kUnary; }

}  // namespace tensh::shell::np
