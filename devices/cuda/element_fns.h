#pragma once
// The functions of elementwise GPU kernels. Single kernels and chains use the same functions, so
// that a chain gives the same results.
#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {

#define TENSH_UNARY(name, expression)      \
  struct name {                            \
    template <class T>                     \
    TENSH_DEVICE T operator()(T x) const { \
      return expression;                   \
    }                                      \
  };
#define TENSH_BINARY(name, expression)          \
  struct name {                                 \
    template <class T>                          \
    TENSH_DEVICE T operator()(T x, T y) const { \
      return expression;                        \
    }                                           \
  };

#define TENSH_GRADIENT(name, expression)         \
  struct name {                                  \
    template <class T>                           \
    TENSH_DEVICE T operator()(T dy, T x) const { \
      return expression;                         \
    }                                            \
  };

// Returns integers as unsigned, so that arithmetic on them wraps around.
template <class T>
TENSH_DEVICE auto Bits(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::make_unsigned_t<T>>(x);
  else
    return x;
}

TENSH_UNARY(Abs, x < T(0) ? T(-Bits(x)) : x + T(0))
TENSH_UNARY(Neg, T(T(0) - Bits(x)))
TENSH_UNARY(NegFloat, -x)
TENSH_UNARY(Square, T(Bits(x) * Bits(x)))
TENSH_UNARY(SignOf, x > T(0) ? T(1) : x < T(0) ? T(-1) : x != x ? x : T(0))
TENSH_UNARY(Sqrt, std::sqrt(x))
TENSH_UNARY(Rsqrt, T(1) / std::sqrt(x))
TENSH_UNARY(Reciprocal, T(1) / x)
TENSH_UNARY(Exp, std::exp(x))
TENSH_UNARY(Expm1, std::expm1(x))
TENSH_UNARY(Log, std::log(x))
TENSH_UNARY(Log1p, std::log1p(x))
TENSH_UNARY(Sin, std::sin(x))
TENSH_UNARY(Cos, std::cos(x))
TENSH_UNARY(Tan, std::tan(x))
TENSH_UNARY(Asin, std::asin(x))
TENSH_UNARY(Acos, std::acos(x))
TENSH_UNARY(Atan, std::atan(x))
TENSH_UNARY(Sinh, std::sinh(x))
TENSH_UNARY(Cosh, std::cosh(x))
TENSH_UNARY(Tanh, std::tanh(x))
TENSH_UNARY(Asinh, std::asinh(x))
TENSH_UNARY(Acosh, std::acosh(x))
TENSH_UNARY(Atanh, std::atanh(x))
TENSH_UNARY(Erf, std::erf(x))
TENSH_UNARY(Erfc, std::erfc(x))
TENSH_UNARY(Lgamma, std::lgamma(x))
TENSH_UNARY(Sigmoid, T(1) / (T(1) + std::exp(-x)))
TENSH_UNARY(Floor, std::floor(x))
TENSH_UNARY(Ceil, std::ceil(x))
TENSH_UNARY(Rint, std::rint(x))

TENSH_BINARY(Add, T(Bits(x) + Bits(y)))
TENSH_BINARY(Sub, T(Bits(x) - Bits(y)))
TENSH_BINARY(Mul, T(Bits(x) * Bits(y)))
TENSH_BINARY(Div, x / y)
TENSH_BINARY(DivNoNan, y == T(0) ? T(0) : x / y)
TENSH_BINARY(MulNoNan, y == T(0) ? T(0) : x * y)
TENSH_BINARY(FloorDiv, std::floor(x / y))
TENSH_BINARY(Maximum, x > y || x != x ? x : y)
TENSH_BINARY(Minimum, x < y || x != x ? x : y)
TENSH_BINARY(Pow, std::pow(x, y))
TENSH_BINARY(Atan2, std::atan2(x, y))
TENSH_BINARY(NextAfter, std::nextafter(x, y))
TENSH_BINARY(Xdivy, x == T(0) ? T(0) : x / y)
TENSH_BINARY(Xlogy, x == T(0) ? T(0) : x * std::log(y))
TENSH_BINARY(Xlog1py, x == T(0) ? T(0) : x * std::log1p(y))
TENSH_BINARY(SquaredDifference, (x - y) * (x - y))
TENSH_BINARY(TanhGrad, y*(T(1) - x * x))
TENSH_BINARY(SigmoidGrad, y*(x*(T(1) - x)))
// A zero gradient gives zero instead of NaN, as on the CPU.
TENSH_BINARY(SqrtGrad, y == T(0) ? T(0) : y * (T(0.5) / x))
TENSH_BINARY(RsqrtGrad, y == T(0) || x * y == T(0) ? T(0) : T(-0.5) * (x * x) * (y * x))
TENSH_BINARY(ReciprocalGrad, y == T(0) ? T(0) : -(x * x) * y)

struct FloorMod {
  template <class T>
  TENSH_DEVICE T operator()(T x, T y) const {
    const T rest = std::fmod(x, y);
    return rest != T(0) && (rest < T(0)) != (y < T(0)) ? rest + y : rest;
  }
};

// ---- activations ----

// The constants of Klambauer et al., "Self-Normalizing Neural Networks".
constexpr double kScale = 1.0507009873554804934193349852946;
constexpr double kScaleAlpha = kScale * 1.6732632423543772848170429916717;

TENSH_UNARY(Relu, x > T(0) || x != x ? x : T(0))
TENSH_UNARY(Relu6, x > T(6) ? T(6) : x > T(0) || x != x ? x : T(0))
TENSH_UNARY(Elu, x < T(0) ? std::exp(x) - T(1) : x)
TENSH_UNARY(Selu, x < T(0) ? T(kScaleAlpha) * (std::exp(x) - T(1)) : T(kScale) * x)
TENSH_UNARY(Softsign, x / (std::abs(x) + T(1)))
TENSH_UNARY(Softplus, x > T(0) ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)))
TENSH_GRADIENT(ReluGrad, dy* T(x > T(0)))
TENSH_GRADIENT(Relu6Grad, dy* T(x > T(0) && x < T(6)))
TENSH_GRADIENT(EluGrad, x < T(0) ? dy * (x + T(1)) : dy)
TENSH_GRADIENT(SeluGrad, x < T(0) ? dy * (x + T(kScaleAlpha)) : dy * T(kScale))
TENSH_GRADIENT(SoftsignGrad, dy / ((T(1) + std::abs(x)) * (T(1) + std::abs(x))))
TENSH_GRADIENT(SoftplusGrad, dy / (std::exp(-x) + T(1)))

#undef TENSH_UNARY
#undef TENSH_BINARY
#undef TENSH_GRADIENT

}  // namespace tensh::cuda
