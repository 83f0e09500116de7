#include "ops/math/fft/fft_plan.h"

#include <algorithm>
#include <cmath>

#include "ops/support/stop.h"

namespace tensh::ops {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int64_t kLargestFactor = 31;
constexpr int64_t kStretch = 1 << 14;  // elements between two checks for cancellation

using Element = FftPlan::Element;

Element Product(Element a, Element b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Returns e^(sign 2 pi i k / n). Angles are measured from the nearest axis, so that axes and
// diagonals are exact and terms that should cancel do.
Element Turn(int64_t k, int64_t n, double sign) {
  k %= n;
  const int64_t quarter = (4 * k + n / 2) / n;  // -
  const double angle =
      kPi * static_cast<double>(4 * k - quarter * n) / (2 * static_cast<double>(n));
  const double c = std::cos(angle), s = std::sin(angle);
  const Element turns[] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
  const Element turn = turns[quarter % 4];
  return {turn.real(), sign * turn.imag()};
}

std::vector<Element> Turns(int64_t n, double sign) {
  std::vector<Element> turns(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) {
    if (k % kStretch == 0) StopIfCancelled();
    turns[static_cast<size_t>(k)] = Turn(k, n, sign);
  }
  return turns;
}

int64_t SmallestFactor(int64_t n) {
  for (int64_t p = 2; p <= kLargestFactor; ++p)
    if (n % p == 0) return p;
  return n;
}

bool IsSmooth(int64_t n) {
  while (n > 1) {
    const int64_t p = SmallestFactor(n);
    if (p > kLargestFactor) return false;
    n /= p;
  }
  return true;
}

// Stores the transform of in[0], in[step], … in out[0 … n). `turns` holds the roots of unity of
// order n * step.
void Smooth(const Element* in, Element* out, int64_t n, int64_t step,
            const std::vector<Element>& turns) {
  if (n == 1) {
    *out = *in;
    return;
  }
  if (n >= kStretch) StopIfCancelled();
  const int64_t p = SmallestFactor(n), m = n / p, total = n * step;
  for (int64_t r = 0; r < p; ++r) Smooth(in + r * step, out + r * m, m, step * p, turns);
  Element parts[kLargestFactor];
  for (int64_t k = 0; k < m; ++k) {
    for (int64_t r = 0; r < p; ++r)
      parts[r] = Product(out[k + r * m], turns[static_cast<size_t>(k * r * step)]);
    for (int64_t q = 0; q < p; ++q) {
      Element sum = parts[0];
      for (int64_t r = 1; r < p; ++r)
        sum += Product(parts[r], turns[static_cast<size_t>(q * r % p * (total / p))]);
      out[k + q * m] = sum;
    }
  }
}

}  // namespace

FftPlan::FftPlan(int64_t n, bool inverse) : n_(n) {
  const double sign = inverse ? 1 : -1;
  if (IsSmooth(n)) {
    turns_ = Turns(n, sign);
    return;
  }
  padded_ = 1;
  while (padded_ < 2 * n - 1) padded_ *= 2;
  turns_ = Turns(padded_, -1);
  back_ = Turns(padded_, 1);
  // k^2 modulo 2 n is computed incrementally: k^2 itself would lose the digits of the angle.
  chirp_.resize(static_cast<size_t>(n));
  for (int64_t k = 0, square = 0; k < n; ++k) {
    chirp_[static_cast<size_t>(k)] = Turn(square, 2 * n, sign);
    square = (square + 2 * k + 1) % (2 * n);
  }
  std::vector<Element> filter(static_cast<size_t>(padded_));
  for (int64_t k = 0; k < n; ++k) {
    const Element c = std::conj(chirp_[static_cast<size_t>(k)]);
    filter[static_cast<size_t>(k)] = c;
    if (k) filter[static_cast<size_t>(padded_ - k)] = c;
  }
  filter_.resize(filter.size());
  Smooth(filter.data(), filter_.data(), padded_, 1, turns_);
}

void FftPlan::Run(Element* x) const {
  if (padded_) return RunBluestein(x);
  const std::vector<Element> in(x, x + n_);
  Smooth(in.data(), x, n_, 1, turns_);
}

void FftPlan::RunBluestein(Element* x) const {
  std::vector<Element> work(static_cast<size_t>(padded_)), turned(work.size());
  for (int64_t k = 0; k < n_; ++k)
    work[static_cast<size_t>(k)] = Product(x[k], chirp_[static_cast<size_t>(k)]);
  Smooth(work.data(), turned.data(), padded_, 1, turns_);
  for (size_t k = 0; k < work.size(); ++k) turned[k] = Product(turned[k], filter_[k]);
  Smooth(turned.data(), work.data(), padded_, 1, back_);
  for (int64_t k = 0; k < n_; ++k)
    x[k] = Product(work[static_cast<size_t>(k)], chirp_[static_cast<size_t>(k)]) /
           static_cast<double>(padded_);
}

}  // namespace tensh::ops
