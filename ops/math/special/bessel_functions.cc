// Special functions in double precision: exponential integral, Fresnel integrals, modified Bessel
// functions of the second kind and Dawson's integral. Each uses a series for small arguments and a
// continued fraction, quadrature or asymptotic form for large ones.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "ops/math/special/special_functions.h"

namespace tensh::ops {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kEuler = 0.57721566490153286061;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kSmall = 1e-17;

// Returns the sum of x^k / (k k!) for k >= 1.
double ExponentialSeries(double x) {
  double term = 1, sum = 0;
  for (int k = 1; k < 500; ++k) {
    term *= x / k;
    sum += term / k;
    if (std::abs(term) < kSmall * std::abs(sum)) break;
  }
  return sum;
}

// Returns C(x) + i S(x), the Fresnel integrals, by their power series. For small x.
std::complex<double> FresnelSeries(double x) {
  // One series yields both: its terms are x (i pi x^2 / 2)^n / (n! (2 n + 1)).
  const double t = kPi / 2 * x * x;
  double power = x, c = 0, s = 0;
  for (int n = 0; n < 100; ++n) {
    const double term = power / (2 * n + 1);
    double& sum = n % 2 ? s : c;
    sum += n % 4 < 2 ? term : -term;
    if (std::abs(term) < kSmall * std::abs(x)) break;
    power *= t / (n + 1);
  }
  return {c, s};
}

// Returns C(x) + i S(x) by the continued fraction of the complex error function. For x >= 1.5.
std::complex<double> FresnelFraction(double x) {
  using C = std::complex<double>;
  const double t = kPi * x * x;
  C b(1, -t), c(1e300, 0), d = 1.0 / b, h = d;
  double n = -1;
  for (int k = 0; k < 300; ++k) {
    n += 2;
    const double a = -n * (n + 1);
    b += 4.0;
    d = 1.0 / (a * d + b);
    c = b + a / c;
    const C step = c * d;
    h *= step;
    if (std::abs(step.real() - 1) + std::abs(step.imag()) < kSmall * 10) break;
  }
  h *= C(x, -x);
  return C(0.5, 0.5) * (1.0 - C(std::cos(t / 2), std::sin(t / 2)) * h);
}

std::complex<double> Fresnel(double x) {
  if (std::isnan(x)) return {kNan, kNan};
  const double a = std::abs(x);
  if (a < 1.5) return FresnelSeries(x);
  // Beyond 1e15 the oscillation is smaller than the last digit of 0.5.
  const std::complex<double> y = a > 1e15 ? std::complex<double>(0.5, 0.5) : FresnelFraction(a);
  return x < 0 ? -y : y;
}

}  // namespace

double BesselY(int order, double x) {
  if (std::isnan(x)) return x;
  if (x <= 0) return -kInf;
  return order == 0 ? ::y0(x) : ::y1(x);
}

// Returns exp(x) K_n(x), the integral of exp(-x (cosh t - 1)) cosh(n t) over t > 0. The integrand
// decays so fast that the trapezoidal rule is accurate to the last digits.
double BesselKe(int order, double x) {
  if (std::isnan(x)) return x;
  if (x <= 0) return kInf;
  if (std::isinf(x)) return 0;
  if (x < 1e-8) return order == 0 ? (1 + x) * (-std::log(x / 2) - kEuler) : 1 / x + 1;
  const double step = std::min(0.125, 0.7 / std::sqrt(x));
  double sum = 0.5;
  for (int i = 1; i < 100000; ++i) {
    const double c = std::cosh(i * step);
    const double term = std::exp(-x * (c - 1)) * (order == 0 ? 1 : c);
    sum += term;
    if (term < kSmall * sum && c > 1) break;
  }
  return sum * step;
}

// Dawson's integral by Rybicki's method: a sum of Gaussians whose error is exp(-(pi / 2 h)^2).
double Dawson(double x) {
  if (std::isnan(x)) return x;
  const double a = std::abs(x);
  if (a < 1) {
    double term = x, sum = x;
    for (int k = 1; k < 60 && std::abs(term) > kSmall * std::abs(sum); ++k)
      sum += term *= -2 * x * x / (2 * k + 1);
    return sum;
  }
  if (a > 50) {
    const double y = 1 / (x * x);
    return (1 + y * (0.5 + y * (0.75 + y * (1.875 + y * 6.5625)))) / (2 * x);
  }
  constexpr double kStep = 0.2;
  const double even = 2 * std::nearbyint(a / (2 * kStep)), rest = a - even * kStep;
  double sum = 0;
  for (int k = -39; k <= 39; k += 2) {
    const double off = rest - k * kStep;
    sum += std::exp(-off * off) / (even + k);
  }
  return std::copysign(sum / std::sqrt(kPi), x);
}

double ExponentialIntegral(double x) {
  if (!(x >= 0)) return kNan;  // as TensorFlow does
  if (x == 0) return -kInf;
  if (std::isinf(x)) return kInf;
  if (x < 40) return kEuler + std::log(x) + ExponentialSeries(x);
  double term = 1, sum = 1;
  for (int k = 1; k < 500; ++k) {
    const double next = term * k / x;
    if (next >= term || next < kSmall) break;
    sum += term = next;
  }
  return std::exp(x) / x * sum;
}

double FresnelC(double x) { return Fresnel(x).real(); }
double FresnelS(double x) { return Fresnel(x).imag(); }

double Dilogarithm(double x) {
  if (!(x >= 0)) return kNan;
  if (std::isinf(x)) return -kInf;
  if (x == 0) return kPi * kPi / 6;
  if (x == 1) return 0;
  if (x > 1.5) {
    const double l = std::log(x);
    return -l * l / 2 - Dilogarithm(1 / x);
  }
  if (x < 0.5) return kPi * kPi / 6 - std::log(x) * std::log1p(-x) - Dilogarithm(1 - x);
  const double z = 1 - x;
  double power = z, sum = z;
  for (int k = 2; k < 200 && std::abs(power) > kSmall * std::abs(sum); ++k) {
    power *= z;
    sum += power / (static_cast<double>(k) * k);
  }
  return sum;
}

}  // namespace tensh::ops
