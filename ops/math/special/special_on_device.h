#pragma once
// The functions of special_functions.h that have kernels on every device. nvcc compiles constexpr
// functions as device code too. F is double.
#include <cmath>
#include <initializer_list>
#include <limits>

namespace tensh::ops::special {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kTiny = 1e-300;

// Returns log |Gamma(x)|. On the host, std::lgamma is avoided because it writes the global
// `signgam`, which is a data race.
template <class F>
constexpr F LogGamma(F x) {
#ifdef __CUDA_ARCH__
  return ::lgamma(x);
#else
  int sign = 0;
  return ::lgamma_r(x, &sign);
#endif
}

// Returns P(a, x), the lower regularized incomplete gamma function, by its power series.
// For x < a + 1.
template <class F>
constexpr F LowerSeries(F a, F x) {
  F sum = 1 / a, term = sum;
  for (int i = 1; i < 20000 && term > sum * 1e-17; ++i) sum += term *= x / (a + i);
  return sum * std::exp(a * std::log(x) - x - LogGamma(a));
}

// Returns Q(a, x) = 1 - P(a, x) by its continued fraction (Lentz's method). For x >= a + 1.
template <class F>
constexpr F UpperFraction(F a, F x) {
  F b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 20000; ++i) {
    const F an = -i * (i - a);
    b += 2;
    d = 1 / (std::abs(an * d + b) < kTiny ? kTiny : an * d + b);
    c = std::abs(b + an / c) < kTiny ? kTiny : b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-16) break;
  }
  return h * std::exp(a * std::log(x) - x - LogGamma(a));
}

// Returns the continued fraction of the incomplete beta function, by Lentz's method.
template <class F>
constexpr F BetaFraction(F a, F b, F x) {
  F c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  F h = d;
  for (int m = 1; m < 20000; ++m) {
    const F even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const F odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    F step = 1;
    for (F term : {even, odd}) {
      d = 1 + term * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + term / c;
      c = std::abs(c) < kTiny ? kTiny : c;
      step = d * c;
      h *= step;
    }
    if (std::abs(step - 1) < 1e-16) break;
  }
  return h;
}

// Returns exp(-x) * I_n(x) for x >= 0. Uses the power series where it converges fast, and the
// asymptotic series otherwise.
template <class F>
constexpr F BesselScaled(int n, F x) {
  if (x < 30) {
    const F quarter = x * x / 4;
    F term = n ? x / 2 : 1, sum = term;
    for (int k = 1; k < 500 && term > sum * 1e-17; ++k) sum += term *= quarter / (k * (k + n));
    return sum * std::exp(-x);
  }
  F term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    const F odd = 2 * k - 1, next = term * -(4.0 * n * n - odd * odd) / (8 * x * k);
    if (std::abs(next) > std::abs(term)) break;
    sum += term = next;
  }
  return sum / std::sqrt(2 * kPi * x);
}

template <class F>
constexpr F Digamma(F x) {
  if (x == 0 || x == -kInf) return kNan;
  if (x < 0) {
    if (x == std::floor(x)) return kNan;
    return Digamma(1 - x) - kPi / std::tan(kPi * (x - std::nearbyint(x)));
  }
  if (x == kInf) return kInf;
  F shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  const F y = 1 / (x * x);
  const F series =
      y * (1.0 / 12 - y * (1.0 / 120 -
                           y * (1.0 / 252 -
                                y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760 - y / 12))))));
  return shift + std::log(x) - 0.5 / x - series;
}

template <class F>
constexpr F Zeta(F s, F q) {
  if (s == 1) return kInf;
  if (s < 1 || std::isnan(s) || std::isnan(q)) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return kInf;
    if (s != std::floor(s)) return kNan;
    if (q < -1e4) return kNan;  // the sum below would take too long
  }
  // The Euler-Maclaurin formula.
  constexpr int kTerms = 12;
  constexpr F kBernoulli[] = {1.0 / 6,       -1.0 / 30,       1.0 / 42,      -1.0 / 30,
                              5.0 / 66,      -691.0 / 2730,   7.0 / 6,       -3617.0 / 510,
                              43867.0 / 798, -174611.0 / 330, 854513.0 / 138};
  F sum = 0, a = q;
  for (int i = 0; i < kTerms || a <= 9; ++i, ++a) sum += std::pow(a, -s);
  sum += std::pow(a, 1 - s) / (s - 1) + 0.5 * std::pow(a, -s);
  F factor = s, power = std::pow(a, -s - 1), factorial = 2;
  for (int k = 0; k < 11; ++k) {
    const F term = kBernoulli[k] * factor * power / factorial;
    sum += term;
    if (std::abs(term) < std::abs(sum) * 1e-17) break;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= a * a;
    factorial *= (2 * k + 3) * (2 * k + 4);
  }
  return sum;
}

template <class F>
constexpr F Polygamma(F n, F x) {
  if (n < 0 || n != std::floor(n)) return kNan;
  if (n == 0) return Digamma(x);
  const F sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::exp(LogGamma(n + 1)) * Zeta(n + 1, x);
}

template <class F>
constexpr F Ndtri(F p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -kInf : p == 1 ? kInf : kNan;
  // Acklam's rational approximation, refined by Newton-Halley steps.
  constexpr F kA[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                      1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr F kB[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                      6.680131188771972e+01, -1.328068155288572e+01};
  constexpr F kC[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                      -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr F kD[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                      3.754408661907416e+00};
  F x;
  const bool low = p<0.02425, high = p> 1 - 0.02425;
  if (low || high) {
    const F q = std::sqrt(-2 * (low ? std::log(p) : std::log1p(-p)));
    x = (((((kC[0] * q + kC[1]) * q + kC[2]) * q + kC[3]) * q + kC[4]) * q + kC[5]) /
        ((((kD[0] * q + kD[1]) * q + kD[2]) * q + kD[3]) * q + 1);
    if (high) x = -x;
  } else {
    const F q = p - 0.5, r = q * q;
    x = (((((kA[0] * r + kA[1]) * r + kA[2]) * r + kA[3]) * r + kA[4]) * r + kA[5]) * q /
        (((((kB[0] * r + kB[1]) * r + kB[2]) * r + kB[3]) * r + kB[4]) * r + 1);
  }
  for (int i = 0; i < 6; ++i) {
    const F density = std::exp(-x * x / 2) / std::sqrt(2 * kPi);
    if (density == 0) break;
    const F e = x > 0 ? (1 - p) - 0.5 * std::erfc(x / std::sqrt(2.0))
                      : 0.5 * std::erfc(-x / std::sqrt(2.0)) - p;
    const F u = e / density;
    x -= u / (1 + x * u / 2);
  }
  return x;
}

template <class F>
constexpr F Erfinv(F x) {
  if (!(std::abs(x) < 1)) return x == 1 ? kInf : x == -1 ? -kInf : kNan;
  if (std::abs(x) < 1e-3) {  // the series, which loses no digits near 0
    const F x2 = kPi * x * x;
    return std::sqrt(kPi) / 2 * x * (1 + x2 * (1.0 / 12 + x2 * 7.0 / 480));
  }
  F y = Ndtri((x + 1) / 2) / std::sqrt(2.0);
  for (int i = 0; i < 2; ++i) {
    const F e = x > 0 ? (1 - x) - std::erfc(y) : std::erfc(-y) - (1 + x);
    y -= e / (2 / std::sqrt(kPi) * std::exp(-y * y));
  }
  return y;
}

template <class F>
constexpr F IgammaLower(F a, F x) {
  if (!(x >= 0) || !(a > 0)) return x == 0 && a > 0 ? 0 : kNan;
  if (x == 0) return 0;
  if (std::isinf(a)) return std::isinf(x) ? kNan : 0;
  if (std::isinf(x)) return 1;
  return x < a + 1 ? LowerSeries(a, x) : 1 - UpperFraction(a, x);
}

// Returns dP(a, x)/da. Differentiates each term of the power series of P.
template <class F>
constexpr F IgammaSlope(F a, F x) {
  if (!(x >= 0) || !(a > 0) || std::isinf(a)) return kNan;
  if (x == 0 || x > a + 200 + 10 * std::sqrt(a)) return 0;
  F term = 1 / a, slope = -term / a, sum = term, slopes = slope;
  for (int i = 1; i < 20000 && (term > sum * 1e-18 || std::abs(slope) > std::abs(slopes) * 1e-18);
       ++i) {
    const F n = a + i;
    slope = (slope - term / n) * x / n;
    term *= x / n;
    sum += term;
    slopes += slope;
  }
  const F front = std::exp(a * std::log(x) - x - LogGamma(a));
  return front * (slopes + sum * (std::log(x) - Digamma(a)));
}

// Returns d sample / d a by the implicit function theorem: P(a, sample) is constant.
template <class F>
constexpr F GammaSlope(F a, F x) {
  if (!(x > 0) || !(a > 0)) return x == 0 && a > 0 ? 0 : kNan;
  const F density = std::exp((a - 1) * std::log(x) - x - LogGamma(a));
  return density > 0 ? -IgammaSlope(a, x) / density : 0;
}

template <class F>
constexpr F IgammaUpper(F a, F x) {
  if (!(x >= 0) || !(a > 0)) return kNan;
  if (x == 0) return 1;
  if (std::isinf(a)) return std::isinf(x) ? kNan : 1;
  if (std::isinf(x)) return 0;
  return x < a + 1 ? 1 - LowerSeries(a, x) : UpperFraction(a, x);
}

template <class F>
constexpr F Betainc(F a, F b, F x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1)) return kNan;
  if (x == 0 || x == 1) return x;
  const F front =
      std::exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

template <class F>
constexpr F BesselI0e(F x) {
  return BesselScaled(0, std::abs(x));
}
template <class F>
constexpr F BesselI1e(F x) {
  return std::copysign(BesselScaled(1, std::abs(x)), x);
}

}  // namespace tensh::ops::special
