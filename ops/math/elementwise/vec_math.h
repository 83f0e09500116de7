#pragma once
// Transcendental functions, one struct each. Libm computes one element with the C library. Vector,
// if the function has it, is a branch-free form that the compiler vectorizes.
//
// TensorFlow computes full vectors of 32 bytes with Eigen's polynomials, and the remaining elements
// with the C library. This code does the same, with the same polynomials, in the same order of
// evaluation and without fused multiply-adds, so that the results agree to the last digit.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ops/support/elementwise.h"

namespace tensh::ops {

namespace vec {

// A branch-free selection. std::max would not do, because NaN must select b. -fno-thread-jumps
// keeps the compiler from turning it into a branch.
template <class T>
TENSH_ALWAYS_INLINE T Pick(bool cond, T a, T b) {
  return cond ? a : b;
}

// Returns floor(v) for |v| < 2^30, using only baseline x86-64 instructions.
TENSH_ALWAYS_INLINE float FloorSmall(float v) {
  const float t = static_cast<float>(static_cast<int32_t>(v));
  return t - static_cast<float>(t > v);
}
TENSH_ALWAYS_INLINE double FloorSmall(double v) {
  const double t = static_cast<double>(static_cast<int32_t>(v));
  return t - static_cast<double>(t > v);
}

// Returns y * 2^m in two steps. The first is exact, so that only a denormal result is rounded.
TENSH_ALWAYS_INLINE double Scale(double y, double m) {
  const int64_t e = static_cast<int32_t>(m), half = e >> 1;
  return y * std::bit_cast<double>((half + 1023) << 52) *
         std::bit_cast<double>((e - half + 1023) << 52);
}

// exp(r) for |r| <= ln(2) / 2, by a polynomial.
TENSH_ALWAYS_INLINE float ExpOfRest(float r) {
  const float r2 = r * r;
  const float even =
      r2 * (r2 * 1.37449637986719608306884765625e-3f + 4.166965186595916748046875e-2f) +
      0.49999988079071044921875f;
  const float odd = r2 * 8.36894474923610687255859375e-3f + 0.16666518151760101318359375f;
  return r2 * (r * odd + even) + (r + 1.0f);
}

// exp(x) after Cephes: x = m ln(2) + r with |r| <= ln(2) / 2, where ln(2) is subtracted in two
// parts; m is then added to the exponent bits of exp(r). Denormal results become
// 0, because steps run with denormals flushed to zero.
TENSH_ALWAYS_INLINE float Exp(float given) {
  constexpr float kLow = -87.336544f, kHigh = 88.722839f;
  const float low = Pick(given > kLow, given, kLow);
  const float x = Pick(low < kHigh, low, kHigh);
  const float m = FloorSmall(x * 1.44269504088896341f + 0.5f);
  float r = m * -0.693359375f + x;
  r = m * 2.12194440e-4f + r;
  const float y = ExpOfRest(r);
  const float e = std::bit_cast<float>(std::bit_cast<int32_t>(y) + (static_cast<int32_t>(m) << 23));
  const float ends = Pick(given < kLow, 0.0f, given + std::numeric_limits<float>::infinity());
  return Pick(given >= kLow && given <= kHigh, e, ends);
}

// exp(x) after Cephes: a rational function on the same range of r.
TENSH_ALWAYS_INLINE double Exp(double given) {
  const double low = Pick(given > -746.0, given, -746.0);
  const double x = Pick(low < 709.784, low, 709.784);
  const double m = FloorSmall(1.4426950408889634073599 * x + 0.5);
  const double r = x - m * 0.693145751953125 - m * 1.42860682030941723212e-6;
  const double r2 = r * r;
  const double p = r * (r2 * (r2 * 1.26177193074810590878e-4 + 3.02994407707441961300e-2) +
                        9.99999999999999999910e-1);
  const double q = r2 * (r2 * (r2 * 3.00198505138664455042e-6 + 2.52448340349684104192e-3) +
                         2.27265548208155028766e-1) +
                   2.00000000000000000009;
  const double y = 2.0 * (p / (q - p)) + 1.0;
  const double e = Scale(y, m);
  return Pick(e > given, e, given);
}

// log(x): log(1 + m) as a rational function on [sqrt(1/2) - 1, sqrt(2) - 1], plus the exponent
// times ln(2).
TENSH_ALWAYS_INLINE float Log(float x) {
  const bool tiny = x < std::numeric_limits<float>::min();
  const float normal = tiny ? x * 16777216.0f : x;
  const int32_t bits = std::bit_cast<int32_t>(normal);
  const float fraction = std::bit_cast<float>((bits & 0x007fffff) | 0x3f000000);
  const bool low = fraction < 0.707106781186547524f;
  const float e = static_cast<float>((bits >> 23) - (tiny ? 150 : 126)) - (low ? 1.0f : 0.0f);
  const float m = low ? fraction + fraction - 1.0f : fraction - 1.0f;
  const float p = m * (m * (m * 0.18256296349849254f + 1.0000000190281063f) + 1.0000000190281136f);
  const float q =
      m * (m * (m * 0.049616247954120038f + 0.59923249590823520f) + 1.4999999999999927f) + 1.0f;
  const float y = e * 0.6931471805599453f + p / q;
  const float inf = std::numeric_limits<float>::infinity();
  const float positive = x == inf ? inf : y;
  const float defined = x == 0.0f ? -inf : positive;
  return x >= 0.0f ? defined : std::numeric_limits<float>::quiet_NaN();
}

// tanh(x) = x * P(x^2) / Q(x^2). The result is exactly 1 from the clamp on.
TENSH_ALWAYS_INLINE float Tanh(float given) {
  constexpr float kClamp = 7.90738964080810547f;
  const float below = given < kClamp ? given : kClamp;
  const float x = below > -kClamp ? below : -kClamp;
  const float x2 = x * x, x3 = x2 * x;
  const float p =
      ((1.394553628e-8f * x2 + 2.102733560e-5f) * x2 + 3.520756727e-3f) * x2 + 1.340216100e-1f;
  const float q =
      (((8.015776984e-7f * x2 + 3.326951409e-4f) * x2 + 2.597254514e-2f) * x2 + 4.673548340e-1f) *
          x2 +
      1.0f;
  const float y = (x3 * p + x) / q;
  return given == given ? y : given;
}

// tanh(x) after Cephes: a rational function near zero, and 1 - 2 / (exp(2 x) + 1) elsewhere.
TENSH_ALWAYS_INLINE double Tanh(double given) {
  const double size = given < 0 ? -given : given;
  const double z = given * given;
  const double p =
      (-9.64399179425052238628e-1 * z - 9.92877231001918586564e1) * z - 1.61468768441708447952e3;
  const double q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z +
                   4.84406305325125486048e3;
  const double small = given + given * z * (p / q);
  const double large = 1.0 - 2.0 / (Exp(2.0 * Pick(size < 20.0, size, 20.0)) + 1.0);
  const double y = Pick(size < 0.625, small, Pick(given < 0, -large, large));
  return Pick(size > 0, y, given);  // also of NaN and -0
}

TENSH_ALWAYS_INLINE float Log1p(float x) {
  const float sum = 1.0f + x;
  const float y = x * (Log(sum) / (sum - 1.0f));
  const float rest = sum == std::numeric_limits<float>::infinity() ? sum : y;
  const float defined = sum == 1.0f ? x : rest;
  return x >= -1.0f ? defined : std::numeric_limits<float>::quiet_NaN();
}

TENSH_ALWAYS_INLINE float Expm1(float x) {
  const float u = Exp(x), less = u - 1.0f;
  const float y = less * (x / Log(u));
  const float rest = u == std::numeric_limits<float>::infinity() ? u : y;
  const float above = less == -1.0f ? -1.0f : rest;
  return u == 1.0f ? x : above;
}

// exp(x) for the sigmoid in float: exp(x / 2) squared, with a shorter polynomial. No intermediate
// value is denormal.
TENSH_ALWAYS_INLINE float ExpSquared(float given) {
  const float low = Pick(given > -105.0f, given, -105.0f);
  const float x = low * 0.5f;
  const float m = FloorSmall(x * 1.44269504088896341f + 0.5f);
  float r = m * -0.693359375f + x;
  r = m * 2.12194440e-4f + r;
  const float r2 = r * r;
  const float even = r2 * 4.1898667812347412109375e-2f + 0.49999141693115234375f;
  const float odd = r2 * 8.33471305668354034423828125e-3f + 0.16666877269744873046875f;
  const float p = r2 * (r * odd + even) + (r + 1.0f);
  const float e = p * std::bit_cast<float>((static_cast<int32_t>(m) + 127) << 23);
  return Pick(given < -103.972084f, 0.0f, e * e);
}

// Returns e / (1 + e), where e = exp(x). The result is exactly 1 from the clamp on.
template <class T>
TENSH_ALWAYS_INLINE T SigmoidOf(T x, T e) {
  const T y = e / (T{1} + e);
  return x == x ? y : x;
}
inline constexpr double kSigmoidClamp = 40.0;
inline constexpr float kSigmoidClampF = 16.6355324f;

}  // namespace vec

// The functions. kVector<T> tells whether a function has a vector form for type T.
struct VecExp {
  template <class T>
  static constexpr bool kVector = true;
  template <class T>
  TENSH_ALWAYS_INLINE static T Vector(T x) {
    return vec::Exp(x);
  }
  template <class T>
  static T Libm(T x) {
    return std::exp(x);
  }
};

#define TENSH_FLOAT_VECTOR(NAME, VECTOR, LIBM)                          \
  struct NAME {                                                         \
    template <class T>                                                  \
    static constexpr bool kVector = std::is_same_v<T, float>;           \
    TENSH_ALWAYS_INLINE static float Vector(float x) { return VECTOR; } \
    template <class T>                                                  \
    static T Libm(T x) {                                                \
      return LIBM;                                                      \
    }                                                                   \
  }
TENSH_FLOAT_VECTOR(VecLog, vec::Log(x), std::log(x));
TENSH_FLOAT_VECTOR(VecLog1p, vec::Log1p(x), std::log1p(x));
TENSH_FLOAT_VECTOR(VecExpm1, vec::Expm1(x), std::expm1(x));
TENSH_FLOAT_VECTOR(VecElu, vec::Pick(x < 0.0f, vec::Exp(x) - 1.0f, x),
                   (x < T{0} ? std::expm1(x) : x));
#undef TENSH_FLOAT_VECTOR

struct VecTanh {
  template <class T>
  static constexpr bool kVector = true;
  template <class T>
  TENSH_ALWAYS_INLINE static T Vector(T x) {
    return vec::Tanh(x);
  }
  template <class T>
  static T Libm(T x) {
    return std::tanh(x);
  }
};

struct VecSigmoid {
  template <class T>
  static constexpr bool kVector = true;
  TENSH_ALWAYS_INLINE static float Vector(float x) {
    return vec::SigmoidOf(
        x, vec::ExpSquared(vec::Pick(x > vec::kSigmoidClampF, vec::kSigmoidClampF, x)));
  }
  TENSH_ALWAYS_INLINE static double Vector(double x) {
    return vec::SigmoidOf(x, vec::Exp(vec::Pick(x > vec::kSigmoidClamp, vec::kSigmoidClamp, x)));
  }
  template <class T>
  static T Libm(T x) {
    constexpr T kClamp = sizeof(T) == 4 ? vec::kSigmoidClampF : static_cast<T>(vec::kSigmoidClamp);
    return vec::SigmoidOf(x, std::exp(x > kClamp ? kClamp : x));
  }
};

template <class T, class F>
struct VectorRow {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* in, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = F::Vector(in[i]);
  }
};

// Computes out[i] = F(in[i]) for i in [begin, end) of an array of n elements; `out` may equal `in`.
// The range must be known within the array, because the last elements are computed by Libm.
template <class T, class F>
void ApplyVectorRange(T* out, const T* in, int64_t begin, int64_t end, int64_t n) {
  if constexpr (F::template kVector<T>) {
    const int64_t vectors = n & -int64_t{32 / sizeof(T)};
    if (begin < vectors) {
      const int64_t stop = end < vectors ? end : vectors;
      Dispatch<VectorRow<T, F>>(out + begin, in + begin, stop - begin);
      begin = stop;
    }
  }
  for (int64_t i = begin; i < end; ++i) out[i] = F::Libm(in[i]);
}

template <class T, class F>
void ApplyVector(T* out, const T* in, int64_t n) {
  ApplyVectorRange<T, F>(out, in, 0, n, n);
}

// A complete kernel: output 0 = F(input 0), elementwise.
template <class T, class F>
Status MapVector(KernelCtx& c) {
  const Tensor& x = c.in(0);
  const T* in = x.data<T>();
  const int64_t n = x.num_elements();
  TENSH_OUTPUT(y, c.Forward(0, 0, x.shape()));
  T* out = y->data<T>();
  c.ParallelFor(n, F::template kVector<T> ? 0.8 : 6.0, [=](int64_t begin, int64_t end) {
    ApplyVectorRange<T, F>(out, in, begin, end, n);
  });
  return {};
}

}  // namespace tensh::ops
