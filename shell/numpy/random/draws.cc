#include "shell/numpy/random/draws.h"

#include <algorithm>
#include <cmath>

namespace tensh::shell::np {
namespace {

uint64_t MaskOf(uint64_t max) {
  for (int shift = 1; shift < 64; shift *= 2) max |= max >> shift;
  return max;
}

// Computes ln Γ(x) by Stirling's series with numpy's coefficients.
double LogGamma(double x) {
  static constexpr double kTerms[] = {
      8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04, -5.952380952380952e-04,
      8.417508417508418e-04, -1.917526917526918e-03, 6.410256410256410e-03, -2.955065359477124e-02,
      1.796443723688307e-01, -1.39243221690590e+00};
  if (x == 1 || x == 2) return 0;
  const int64_t n = x < 7 ? static_cast<int64_t>(7 - x) : 0;
  double x0 = x + static_cast<double>(n);
  const double x2 = (1 / x0) * (1 / x0);
  double sum = kTerms[9];
  for (int k = 8; k >= 0; --k) {
    sum *= x2;
    sum += kTerms[k];
  }
  double result = sum / x0 + 0.5 * 1.8378770664093453 + (x0 - 0.5) * std::log(x0) - x0;
  if (x < 7) {
    for (int64_t k = 1; k <= n; ++k) {
      result -= std::log(x0 - 1);
      x0 -= 1;
    }
  }
  return result;
}

}  // namespace

// Rejection sampling in numpy's order of draws: from a power of a uniform number for shape < 1, and
// by the method of Marsaglia and Tsang (2000) above.
double Draws::NextGamma(double shape) {
  if (shape == 1.0) return NextExponential();
  if (shape == 0.0) return 0.0;
  if (shape < 1.0) {
    for (;;) {
      const double u = NextDouble(), v = NextExponential();
      if (u <= 1.0 - shape) {
        const double x = std::pow(u, 1.0 / shape);
        if (x <= v) return x;
      } else {
        const double y = -std::log((1 - u) / shape);
        const double x = std::pow(1.0 - shape + shape * y, 1.0 / shape);
        if (x <= v + y) return x;
      }
    }
  }
  const double b = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9 * b);
  for (;;) {
    double x, v;
    do {
      x = NextGauss();
      v = 1.0 + c * x;
    } while (v <= 0.0);
    v = v * v * v;
    const double u = NextDouble();
    if (u < 1.0 - 0.0331 * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5 * x * x + b * (1.0 - v + std::log(v))) return b * v;
  }
}

double Draws::NextBeta(double a, double b) {
  if (a <= 1.0 && b <= 1.0) {
    for (;;) {
      const double u = NextDouble(), v = NextDouble();
      const double x = std::pow(u, 1.0 / a), y = std::pow(v, 1.0 / b);
      if (x + y > 1.0) continue;
      if (x + y > 0) return x / (x + y);
      double log_x = std::log(u) / a, log_y = std::log(v) / b;
      const double top = std::max(log_x, log_y);
      log_x -= top;
      log_y -= top;
      return std::exp(log_x - std::log(std::exp(log_x) + std::exp(log_y)));
    }
  }
  const double ga = NextGamma(a), gb = NextGamma(b);
  return ga / (ga + gb);
}

int64_t Draws::NextPoisson(double lambda) {
  if (lambda >= 10) return PoissonByRejection(lambda);
  if (lambda == 0) return 0;
  const double limit = std::exp(-lambda);
  int64_t x = 0;
  for (double product = NextDouble(); product > limit; product *= NextDouble()) ++x;
  return x;
}

int64_t Draws::PoissonByRejection(double lambda) {
  const double root = std::sqrt(lambda), log_lambda = std::log(lambda);
  const double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = NextDouble() - 0.5, v = NextDouble(), us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= vr) return static_cast<int64_t>(k);
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
        -lambda + k * log_lambda - LogGamma(k + 1)) {
      return static_cast<int64_t>(k);
    }
  }
}

int64_t Draws::NextBinomial(int64_t n, double p) {
  if (n == 0 || p == 0) return 0;
  const bool small = p <= 0.5;
  const double q = small ? p : 1.0 - p;
  const int64_t x =
      q * static_cast<double>(n) <= 30.0 ? BinomialByInversion(n, q) : BinomialByRejection(n, q);
  return small ? x : n - x;
}

int64_t Draws::BinomialByInversion(int64_t n, double p) {
  const double q = 1.0 - p, count = static_cast<double>(n);
  const double qn = std::exp(count * std::log(q)), np = count * p;
  const double bound = std::min(count, np + 10.0 * std::sqrt(np * q + 1));
  int64_t x = 0;
  double px = qn, u = NextDouble();
  while (u > px) {
    ++x;
    if (static_cast<double>(x) > bound) {
      x = 0;
      px = qn;
      u = NextDouble();
    } else {
      u -= px;
      px = (static_cast<double>(n - x + 1) * p * px) / (static_cast<double>(x) * q);
    }
  }
  return x;
}

namespace {

// The BTPE algorithm of Kachitvichyanukul and Schmeiser (1988), for p <= 0.5. It proposes numbers
// from a triangle, two parallelograms and two exponential tails that together cover the binomial
// distribution, and rejects some of them. The names are those of the paper.
class Btpe {
 public:
  enum class Verdict : uint8_t { kAccept, kReject, kTest };

  Btpe(int64_t n, double p)
      : n_(n), count_(static_cast<double>(n)), r_(p), q_(1.0 - r_), nrq_(count_ * r_ * q_) {
    const double fm = count_ * r_ + r_;
    m_ = static_cast<int64_t>(std::floor(fm));
    p1_ = std::floor(2.195 * std::sqrt(nrq_) - 4.6 * q_) + 0.5;
    xm_ = static_cast<double>(m_) + 0.5, xl_ = xm_ - p1_, xr_ = xm_ + p1_;
    c_ = 0.134 + 20.5 / (15.3 + static_cast<double>(m_));
    const double left = (fm - xl_) / (fm - xl_ * r_), right = (xr_ - fm) / (xr_ * q_);
    lambda_l_ = left * (1.0 + left / 2.0);
    lambda_r_ = right * (1.0 + right / 2.0);
    p2_ = p1_ * (1.0 + 2.0 * c_), p3_ = p2_ + c_ / lambda_l_, p4_ = p3_ + c_ / lambda_r_;
  }

  double area() const { return p4_; }

  // Turns a point into a proposal *y. `u` is less than area(). Scales *v for Accepts.
  Verdict Propose(double u, double* v, int64_t* y) const {
    if (u <= p1_) {
      *y = static_cast<int64_t>(std::floor(xm_ - p1_ * *v + u));
      return Verdict::kAccept;
    }
    if (u <= p2_) {
      const double x = xl_ + (u - p1_) / c_;
      *v = *v * c_ + 1.0 - std::fabs(static_cast<double>(m_) - x + 0.5) / p1_;
      *y = static_cast<int64_t>(std::floor(x));
      return *v > 1.0 ? Verdict::kReject : Verdict::kTest;
    }
    const bool left = u <= p3_;
    const double x = left ? xl_ + std::log(*v) / lambda_l_ : xr_ - std::log(*v) / lambda_r_;
    *y = static_cast<int64_t>(std::floor(x));
    if ((left ? *y < 0 : *y > n_) || *v == 0.0) return Verdict::kReject;
    *v = left ? *v * (u - p2_) * lambda_l_ : *v * (u - p3_) * lambda_r_;
    return Verdict::kTest;
  }

  // Compares v with the probability of y relative to that of the mode.
  bool Accepts(double v, int64_t y) const {
    const int64_t distance = std::abs(y - m_);
    const double k = static_cast<double>(distance);
    if (distance <= 20 || k >= nrq_ / 2.0 - 1) return v <= RelativeProbability(y);
    const double rho = (k / nrq_) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / nrq_ + 0.5);
    const double t = -k * k / (2 * nrq_), log_v = std::log(v);
    if (log_v < t - rho) return true;
    if (log_v > t + rho) return false;
    return log_v <= LogBound(y);
  }

 private:
  double RelativeProbability(int64_t y) const {
    const double s = r_ / q_, a = s * (count_ + 1);
    double f = 1.0;
    for (int64_t i = std::min(m_, y) + 1; i <= std::max(m_, y); ++i) {
      const double step = a / static_cast<double>(i) - s;
      f = m_ < y ? f * step : f / step;
    }
    return f;
  }

  // The logarithm of the relative probability by Stirling's formula.
  double LogBound(int64_t y) const {
    const double x1 = static_cast<double>(y + 1), f1 = static_cast<double>(m_ + 1);
    const double z = static_cast<double>(n_ + 1 - m_), w = static_cast<double>(n_ - y + 1);
    const auto series = [](double x) {
      const double x2 = x * x;
      return (13680. - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166320.;
    };
    return xm_ * std::log(f1 / x1) + (static_cast<double>(n_ - m_) + 0.5) * std::log(z / w) +
           static_cast<double>(y - m_) * std::log(w * r_ / (x1 * q_)) + series(f1) + series(z) +
           series(x1) + series(w);
  }

  int64_t n_, m_;
  double count_, r_, q_, nrq_;
  double p1_, p2_, p3_, p4_;
  double xm_, xl_, xr_, c_, lambda_l_, lambda_r_;
};

}  // namespace

int64_t Draws::BinomialByRejection(int64_t n, double p) {
  const Btpe btpe(n, std::min(p, 1.0 - p));
  for (;;) {
    const double u = NextDouble() * btpe.area();
    double v = NextDouble();
    int64_t y;
    const Btpe::Verdict verdict = btpe.Propose(u, &v, &y);
    if (verdict == Btpe::Verdict::kReject) continue;
    if (verdict == Btpe::Verdict::kTest && !btpe.Accepts(v, y)) continue;
    return p > 0.5 ? n - y : y;
  }
}

uint64_t Draws::NextInterval(uint64_t max) {
  if (max == 0) return 0;
  const uint64_t mask = MaskOf(max);
  uint64_t v;
  do {
    v = (max <= 0xffffffffu ? Next32() : Next64()) & mask;
  } while (v > max);
  return v;
}

}  // namespace tensh::shell::np
