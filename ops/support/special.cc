#include "ops/support/special.h"

#include <cmath>
#include <initializer_list>
#include <limits>

namespace tensh::ops {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-300;

double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// P(a, x) by its power series; for x < a + 1.
double LowerSeries(double a, double x) {
  double sum = 1 / a, term = sum;
  for (int i = 1; i < 20000 && term > sum * 1e-17; ++i) sum += term *= x / (a + i);
  return sum * std::exp(a * std::log(x) - x - LogGamma(a));
}

// Q(a, x) by Lentz's continued fraction; for x >= a + 1.
double UpperFraction(double a, double x) {
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 20000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (std::abs(an * d + b) < kTiny ? kTiny : an * d + b);
    c = std::abs(b + an / c) < kTiny ? kTiny : b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-16) break;
  }
  return h * std::exp(a * std::log(x) - x - LogGamma(a));
}

// The continued fraction of the incomplete beta function (Numerical analysis folklore: Lentz).
double BetaFraction(double a, double b, double x) {
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double h = d;
  for (int m = 1; m < 20000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double step = 1;
    for (double term : {even, odd}) {
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

// exp(-x) * I_n(x) for x >= 0: the power series where it converges fast, else the asymptotic one.
double BesselScaled(int n, double x) {
  if (x < 30) {
    const double quarter = x * x / 4;
    double term = n ? x / 2 : 1, sum = term;
    for (int k = 1; k < 500 && term > sum * 1e-17; ++k) sum += term *= quarter / (k * (k + n));
    return sum * std::exp(-x);
  }
  double term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    const double odd = 2 * k - 1, next = term * -(4.0 * n * n - odd * odd) / (8 * x * k);
    if (std::abs(next) > std::abs(term)) break;
    sum += term = next;
  }
  return sum / std::sqrt(2 * kPi * x);
}

}  // namespace

double Digamma(double x) {
  if (x == 0 || x == -kInf) return kNan;
  if (x < 0) {
    if (x == std::floor(x)) return kNan;
    return Digamma(1 - x) - kPi / std::tan(kPi * (x - std::nearbyint(x)));
  }
  if (x == kInf) return kInf;
  double shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  const double y = 1 / (x * x);
  const double series =
      y * (1.0 / 12 - y * (1.0 / 120 -
                           y * (1.0 / 252 -
                                y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760 - y / 12))))));
  return shift + std::log(x) - 0.5 / x - series;
}

double Zeta(double s, double q) {
  if (s == 1) return kInf;
  if (s < 1 || std::isnan(s) || std::isnan(q)) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return kInf;
    if (s != std::floor(s)) return kNan;
    if (q < -1e4) return kNan;  // the sum below would take for ever
  }
  // Euler and Maclaurin.
  constexpr int kTerms = 12;
  static constexpr double kBernoulli[] = {
      1.0 / 6, -1.0 / 30,     1.0 / 42,      -1.0 / 30,       5.0 / 66,      -691.0 / 2730,
      7.0 / 6, -3617.0 / 510, 43867.0 / 798, -174611.0 / 330, 854513.0 / 138};
  double sum = 0, a = q;
  for (int i = 0; i < kTerms || a <= 9; ++i, ++a) sum += std::pow(a, -s);
  sum += std::pow(a, 1 - s) / (s - 1) + 0.5 * std::pow(a, -s);
  double factor = s, power = std::pow(a, -s - 1), factorial = 2;
  for (int k = 0; k < 11; ++k) {
    const double term = kBernoulli[k] * factor * power / factorial;
    sum += term;
    if (std::abs(term) < std::abs(sum) * 1e-17) break;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= a * a;
    factorial *= (2 * k + 3) * (2 * k + 4);
  }
  return sum;
}

double Polygamma(double n, double x) {
  if (n < 0 || n != std::floor(n)) return kNan;
  if (n == 0) return Digamma(x);
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::exp(LogGamma(n + 1)) * Zeta(n + 1, x);
}

double Ndtri(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -kInf : p == 1 ? kInf : kNan;
  // Acklam's rational approximation, then Newton-Halley steps.
  static constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                                 -2.759285104469687e+02, 1.383577518672690e+02,
                                 -3.066479806614716e+01, 2.506628277459239e+00};
  static constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                                 -1.556989798598866e+02, 6.680131188771972e+01,
                                 -1.328068155288572e+01};
  static constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                                 -2.400758277161838e+00, -2.549732539343734e+00,
                                 4.374664141464968e+00,  2.938163982698783e+00};
  static constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01,
                                 2.445134137142996e+00, 3.754408661907416e+00};
  double x;
  const bool low = p<0.02425, high = p> 1 - 0.02425;
  if (low || high) {
    const double q = std::sqrt(-2 * (low ? std::log(p) : std::log1p(-p)));
    x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
        ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    if (high) x = -x;
  } else {
    const double q = p - 0.5, r = q * q;
    x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
        (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  for (int i = 0; i < 6; ++i) {
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * kPi);
    if (density == 0) break;
    const double e = x > 0 ? (1 - p) - 0.5 * std::erfc(x / std::sqrt(2.0))
                           : 0.5 * std::erfc(-x / std::sqrt(2.0)) - p;
    const double u = e / density;
    x -= u / (1 + x * u / 2);
  }
  return x;
}

double Erfinv(double x) {
  if (!(std::abs(x) < 1)) return x == 1 ? kInf : x == -1 ? -kInf : kNan;
  if (std::abs(x) < 1e-3) {  // the series: no digits are lost near 0
    const double x2 = kPi * x * x;
    return std::sqrt(kPi) / 2 * x * (1 + x2 * (1.0 / 12 + x2 * 7.0 / 480));
  }
  double y = Ndtri((x + 1) / 2) / std::sqrt(2.0);
  for (int i = 0; i < 2; ++i) {
    const double e = x > 0 ? (1 - x) - std::erfc(y) : std::erfc(-y) - (1 + x);
    y -= e / (2 / std::sqrt(kPi) * std::exp(-y * y));
  }
  return y;
}

double IgammaLower(double a, double x) {
  if (!(x >= 0) || !(a > 0)) return x == 0 && a > 0 ? 0 : kNan;
  if (x == 0) return 0;
  if (std::isinf(a)) return std::isinf(x) ? kNan : 0;
  if (std::isinf(x)) return 1;
  return x < a + 1 ? LowerSeries(a, x) : 1 - UpperFraction(a, x);
}

// The power series again, with the derivative of each term.
double IgammaSlope(double a, double x) {
  if (!(x >= 0) || !(a > 0) || std::isinf(a)) return kNan;
  if (x == 0 || x > a + 200 + 10 * std::sqrt(a)) return 0;
  double term = 1 / a, slope = -term / a, sum = term, slopes = slope;
  for (int i = 1; i < 20000 && (term > sum * 1e-18 || std::abs(slope) > std::abs(slopes) * 1e-18);
       ++i) {
    const double n = a + i;
    slope = (slope - term / n) * x / n;
    term *= x / n;
    sum += term;
    slopes += slope;
  }
  const double front = std::exp(a * std::log(x) - x - LogGamma(a));
  return front * (slopes + sum * (std::log(x) - Digamma(a)));
}

// By the implicit function theorem: P(a, sample) stays what it is.
double GammaSlope(double a, double x) {
  if (!(x > 0) || !(a > 0)) return x == 0 && a > 0 ? 0 : kNan;
  const double density = std::exp((a - 1) * std::log(x) - x - LogGamma(a));
  return density > 0 ? -IgammaSlope(a, x) / density : 0;
}

double IgammaUpper(double a, double x) {
  if (!(x >= 0) || !(a > 0)) return kNan;
  if (x == 0) return 1;
  if (std::isinf(a)) return std::isinf(x) ? kNan : 1;
  if (std::isinf(x)) return 0;
  return x < a + 1 ? 1 - LowerSeries(a, x) : UpperFraction(a, x);
}

double Betainc(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1)) return kNan;
  if (x == 0 || x == 1) return x;
  const double front =
      std::exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

double BesselI0e(double x) { return BesselScaled(0, std::abs(x)); }
double BesselI1e(double x) { return std::copysign(BesselScaled(1, std::abs(x)), x); }

}  // namespace tensh::ops
