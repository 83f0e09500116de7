#pragma once
// Gamma and Poisson random numbers, by rejection sampling, for kernels on every device. nvcc compiles constexpr functions as device
// code too.
//
// A Stream returns pairs of doubles, UniformPair and NormalPair, from a position in a random stream. It is TensorFlow's order in
// which they are drawn, so that the numbers are the same.
#include <cmath>
#include <limits>

#include "ops/math/special/special_on_device.h"

namespace tensh::ops {

// The numbers of a stream in TensorFlow's order: each pair is used last number first.
template <class Stream>
class Numbers {
 public:
  constexpr explicit Numbers(Stream stream) : stream_(stream) {}
  constexpr double Uniform() {
    if (uniform_.has) return uniform_.Take();
    double pair[2];
    stream_.UniformPair(pair);
    return uniform_.Keep(pair);
  }
  constexpr double Normal() {
    if (normal_.has) return normal_.Take();
    double pair[2];
    stream_.NormalPair(pair);
    return normal_.Keep(pair);
  }

 private:
  // The first number of a pair, which is used after the second.
  struct First {
    double number = 0;
    bool has = false;
    constexpr double Take() {
      has = false;
      return number;
    }
    constexpr double Keep(const double* pair) {
      number = pair[0];
      has = true;
      return pair[1];
    }
  };
  Stream stream_;
  First uniform_, normal_;
};

// Marsaglia and Tsang's method.
template <class Stream>
constexpr double GammaNumber(double alpha, Numbers<Stream> numbers) {
  if (alpha == 1.0) return -std::log1p(-numbers.Uniform());
  if (!(alpha > 0) || std::isinf(alpha))  // the loop below would never accept a number
    return alpha == 0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  const bool below_one = alpha < 1;
  const double d = alpha + (below_one ? 2.0 / 3 : -1.0 / 3);
  const double scale = 1.0 / 3 / std::sqrt(d);
  for (;;) {
    const double x = numbers.Normal();
    double v = 1 + scale * x;
    if (v <= 0) continue;
    v = v * v * v;
    const double u = numbers.Uniform();
    if (!(u < 1 - 0.0331 * (x * x) * (x * x)) &&
        !(std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))))
      continue;
    return below_one ? d * v * std::pow(numbers.Uniform(), 1 / alpha) : d * v;
  }
}

// Knuth's method, for rates below 10: counts events until the sum of their waiting times exceeds 1.
template <class Stream>
constexpr double SmallPoisson(double rate, double most, Numbers<Stream>& numbers) {
  const double enough = std::exp(-rate);
  double product = 1, count = 0;
  for (;; count += 1) {
    product *= numbers.Uniform();
    if (product <= enough && count <= most) return count;
  }
}

// Hörmann's transformed rejection.
template <class Stream>
constexpr double LargePoisson(double rate, double most, Numbers<Stream>& numbers) {
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (int tries = 0; tries < 100000; ++tries) {
    const double u = numbers.Uniform() - 0.5, v = numbers.Uniform();
    const double shifted = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > most) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    const double s = std::log(v * inverse_alpha / (a / (shifted * shifted) + b));
    if (s <= -rate + k * log_rate - special::LogGamma(k + 1)) return k;
  }
  return most;  // the count exceeded the type's range in every attempt
}

template <class Stream>
constexpr double PoissonNumber(double rate, double most, Numbers<Stream> numbers) {
  if (!std::isfinite(rate) || rate < 0)
    return rate > 0 ? rate : std::numeric_limits<double>::quiet_NaN();
  return rate < 10 ? SmallPoisson(rate, most, numbers) : LargePoisson(rate, most, numbers);
}

// The largest number of a half.
inline constexpr double kMostHalf = 65504;
// Returns the largest number of R, which is not a half.
template <class R>
constexpr double MostCounts() {
  return static_cast<double>(std::numeric_limits<R>::max());
}

// Converts a count to the output's type. NaN becomes 0 in an integer type.
template <class R>
constexpr R ToCount(double x) {
  if constexpr (std::numeric_limits<R>::is_integer) {
    if (!(x == x)) return 0;
    constexpr double kLimit = MostCounts<R>();
    return x >= kLimit ? std::numeric_limits<R>::max() : static_cast<R>(x);
  } else if constexpr (sizeof(R) == 8) {
    return x;
  } else {
    return R(static_cast<float>(x));
  }
}

}  // namespace tensh::ops
