// A matrix is divided in two of half the size and a correction of rank 1. The eigenvalues of the whole are the
// roots of a rational function whose poles are the eigenvalues of the halves, and its eigenvectors are those of the
// halves, combined by a product. Equal eigenvalues and small corrections need no product, which is called deflation.
//
// The method is described in M. Gu and S. C. Eisenstat, "A divide-and-conquer algorithm for the symmetric
// tridiagonal eigenproblem", 1995: the correction is computed again from the roots, so that the vectors are
// orthogonal although the roots are rounded.
#include "ops/linalg/tridiagonal_spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ops/linalg/float_parts.h"
#include "ops/support/isa.h"
#include "ops/support/stop.h"

namespace tensh::ops::blocked {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kLanes = 8;

// The sum of squares[j] / (distances[j] - x), and its derivative.
struct PoleSum {
  double value = 0, slope = 0;
};

TENSH_ALWAYS_INLINE PoleSum SumPoles(const double* squares, const double* distances, int64_t begin,
                                     int64_t end, double x) {
  double values[kLanes] = {}, slopes[kLanes] = {};
  int64_t j = begin;
  for (; j + kLanes <= end; j += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) {
      const double inverse = 1 / (distances[j + lane] - x);
      const double term = squares[j + lane] * inverse;
      values[lane] += term;
      slopes[lane] += term * inverse;
    }
  PoleSum sum;
  for (int lane = 0; lane < kLanes; ++lane) {
    sum.value += values[lane];
    sum.slope += slopes[lane];
  }
  for (; j < end; ++j) {
    const double inverse = 1 / (distances[j] - x), term = squares[j] * inverse;
    sum.value += term;
    sum.slope += term * inverse;
  }
  return sum;
}

// Returns an approximation of the zero of 1 + below + above near x. Each sum is replaced by a constant and the pole
// nearest to x, with the same value and slope. `left` and `right` are the distances from the poles to x; 0 for `right`
// means that there is no pole on that side.
TENSH_ALWAYS_INLINE double NextGuess(double x, const PoleSum& below, const PoleSum& above,
                                     double left, double right) {
  const double q = below.slope * left * left;
  double c = 1 + below.value - below.slope * left;
  if (right == 0) return x + left + q / c;
  const double s = above.slope * right * right;
  c += above.value - above.slope * right;
  // c + q / (left - t) + s / (right - t) = 0 for the step t, which lies between the poles.
  const double b = c * (left + right) + q + s, product = c * left * right + q * right + s * left;
  const double root = std::sqrt(std::max(0.0, b * b - 4 * c * product));
  const double t = b > 0 ? 2 * product / (b + root) : c == 0 ? 0 : (b - root) / (2 * c);
  return x + t;
}

// Finds root i of 1 + sum squares[j] / (poles[j] - x), which lies between the poles i and i + 1, or after the last one, at
// most `reach` away from it. Stores the differences between the poles and the root in `distances`, and returns the root.
struct FindRoot {
  TENSH_ALWAYS_INLINE static void Run(const double* poles, const double* squares, int64_t n,
                                      int64_t i, double reach, double* distances, double* result) {
    const bool has_right = i + 1 < n;
    double lo = 0, hi = has_right ? poles[i + 1] - poles[i] : reach * (1 + 8 * kEpsilon);
    int64_t origin = i;
    for (int64_t j = 0; j < n; ++j) distances[j] = poles[j] - poles[i];
    if (has_right) {
      const double middle = hi / 2;
      if (1 + SumPoles(squares, distances, 0, n, middle).value >= 0) {
        hi = middle;
      } else {
        origin = i + 1;
        lo = middle - hi;
        hi = 0;
        for (int64_t j = 0; j < n; ++j) distances[j] = poles[j] - poles[origin];
      }
    }
    double x = lo + (hi - lo) / 2;
    for (int step = 0; step < 100; ++step) {
      const PoleSum below = SumPoles(squares, distances, 0, i + 1, x),
                    above = SumPoles(squares, distances, i + 1, n, x);
      const double value = 1 + below.value + above.value;
      (value > 0 ? hi : lo) = x;
      if (std::abs(value) <= 4 * kEpsilon * (1 - below.value + above.value) ||
          hi - lo <= kEpsilon * std::abs(x))
        break;
      double next =
          NextGuess(x, below, above, distances[i] - x, has_right ? distances[i + 1] - x : 0);
      if (!(next > lo && next < hi)) next = lo + (hi - lo) / 2;
      if (next == x || next == lo || next == hi) break;
      x = next;
    }
    for (int64_t j = 0; j < n; ++j) distances[j] -= x;
    *result = poles[origin] + x;
  }
};

// products[j] *= row[j] / (poles[j] - poles[i]) for j other than i, and *= -row[i] for i.
struct MultiplyRatios {
  TENSH_ALWAYS_INLINE static void Run(const double* row, const double* poles, int64_t n, int64_t i,
                                      double* products) {
    const double pole = poles[i];
    for (int64_t j = 0; j < i; ++j) products[j] *= row[j] / (poles[j] - pole);
    products[i] *= -row[i];
    for (int64_t j = i + 1; j < n; ++j) products[j] *= row[j] / (poles[j] - pole);
  }
};

// row[j] = z[j] / row[j], divided by the norm of all.
struct MakeVector {
  TENSH_ALWAYS_INLINE static void Run(double* row, const double* z, int64_t n) {
    double sums[kLanes] = {};
    for (int64_t j = 0; j < n; ++j) row[j] = z[j] / row[j];
    int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
      for (int lane = 0; lane < kLanes; ++lane) sums[lane] += row[j + lane] * row[j + lane];
    for (; j < n; ++j) sums[0] += row[j] * row[j];
    double sum = 0;
    for (double part : sums) sum += part;
    const double factor = 1 / std::sqrt(sum);
    for (j = 0; j < n; ++j) row[j] *= factor;
  }
};

// Joins the spectra of two halves, whose first and last rows are coupled by `beside`.
class Join {
 public:
  Join(const Spectrum& left, const Spectrum& right, double beside)
      : h_(static_cast<int64_t>(left.values.size())),
        n_(h_ + static_cast<int64_t>(right.values.size())),
        vectors_(!left.vectors.empty()) {
    Merge(left, right, beside);
    Deflate(2 * std::abs(beside));
    if (!kept_.empty()) Solve(2 * std::abs(beside));
    if (vectors_) Combine();
  }

  Spectrum Result() const {
    std::vector<int64_t> order(static_cast<size_t>(n_));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int64_t i, int64_t j) { return whole_.values[at(i)] < whole_.values[at(j)]; });
    Spectrum out;
    for (auto* list : {&out.values, &out.first, &out.last}) list->resize(at(n_));
    out.vectors.resize(whole_.vectors.size());
    for (size_t to = 0; to < order.size(); ++to) {
      const size_t from = at(order[to]);
      out.values[to] = whole_.values[from];
      out.first[to] = whole_.first[from];
      out.last[to] = whole_.last[from];
      if (vectors_) std::copy_n(&whole_.vectors[from * at(n_)], n_, &out.vectors[to * at(n_)]);
    }
    return out;
  }

 private:
  enum Half : uint8_t { kLeft = 1, kRight = 2 };  // the halves in which a vector has elements

  static size_t at(int64_t i) { return static_cast<size_t>(i); }

  // Sets the values of both halves in ascending order, their vectors, and the correction z.
  void Merge(const Spectrum& left, const Spectrum& right, double beside) {
    const double scale = std::sqrt(0.5);
    if (vectors_) whole_.vectors.resize(at(n_ * n_));
    for (auto* list : {&whole_.values, &whole_.first, &whole_.last, &z_}) list->resize(at(n_));
    halves_.resize(at(n_));
    for (int64_t i = 0, a = 0, b = 0; i < n_; ++i) {
      const bool from_left = b == n_ - h_ || (a < h_ && left.values[at(a)] <= right.values[at(b)]);
      const Spectrum& from = from_left ? left : right;
      const int64_t row = from_left ? a++ : b++, length = from_left ? h_ : n_ - h_;
      whole_.values[at(i)] = from.values[at(row)];
      whole_.first[at(i)] = from_left ? from.first[at(row)] : 0;
      whole_.last[at(i)] = from_left ? 0 : from.last[at(row)];
      const double z =
          from_left ? from.last[at(row)] : std::copysign(1, beside) * from.first[at(row)];
      z_[at(i)] = z * scale;
      halves_[at(i)] = from_left ? kLeft : kRight;
      if (vectors_)
        std::copy_n(from.vectors.begin() + row * length, length,
                    whole_.vectors.begin() + i * n_ + (from_left ? 0 : h_));
    }
  }

  // Finds the values that the correction does not change, and rotates equal ones so that it changes only one of them.
  void Deflate(double rho) {
    double largest = 0;
    for (int64_t i = 0; i < n_; ++i)
      largest = std::max({largest, std::abs(whole_.values[at(i)]), rho * std::abs(z_[at(i)])});
    const double tolerance = 8 * kEpsilon * largest;
    for (int64_t i = 0; i < n_; ++i) {
      if (rho * std::abs(z_[at(i)]) <= tolerance) continue;
      if (!kept_.empty()) {
        const int64_t before = kept_.back();
        const double norm = std::hypot(z_[at(i)], z_[at(before)]);
        const double c = z_[at(i)] / norm, s = z_[at(before)] / norm;
        const double gap = whole_.values[at(i)] - whole_.values[at(before)];
        if (std::abs(gap * c * s) <= tolerance) {
          Rotate(before, i, c, s);
          z_[at(i)] = norm;
          whole_.values[at(before)] += gap * s * s;
          whole_.values[at(i)] -= gap * s * s;
          kept_.pop_back();
        }
      }
      kept_.push_back(i);
    }
  }

  // Replaces the vectors a and b by c * a - s * b and s * a + c * b, so that only b has a part of the correction.
  void Rotate(int64_t a, int64_t b, double c, double s) {
    const auto rotate = [](auto& x, auto& y, auto c, auto s) {
      const auto old = x;
      x = c * old - s * y;
      y = s * old + c * y;
    };
    rotate(whole_.first[at(a)], whole_.first[at(b)], c, s);
    rotate(whole_.last[at(a)], whole_.last[at(b)], c, s);
    halves_[at(a)] = halves_[at(b)] = static_cast<uint8_t>(halves_[at(a)] | halves_[at(b)]);
    if (!vectors_) return;
    for (int64_t j = 0; j < n_; ++j)
      rotate(whole_.vectors[at(a * n_ + j)], whole_.vectors[at(b * n_ + j)], static_cast<float>(c),
             static_cast<float>(s));
  }

  // Computes the values of the kept vectors and, in factors_, their vectors in terms of those of the halves.
  void Solve(double rho) {
    const int64_t k = static_cast<int64_t>(kept_.size());
    std::vector<double> poles, squares, products(at(k), 1.0), z(at(k)), roots(at(k));
    double reach = 0;
    for (int64_t i : kept_) {
      poles.push_back(whole_.values[at(i)]);
      squares.push_back(rho * z_[at(i)] * z_[at(i)]);
      reach += squares.back();
    }
    factors_.resize(at(k * k));
    for (int64_t i = 0; i < k; ++i) {
      StopIfCancelled();
      double* row = factors_.data() + i * k;
      Dispatch<FindRoot>(poles.data(), squares.data(), k, i, reach, row, &roots[at(i)]);
      Dispatch<MultiplyRatios>(row, poles.data(), k, i, products.data());
    }
    for (int64_t j = 0; j < k; ++j)
      z[at(j)] = std::copysign(std::sqrt(std::abs(products[at(j)])), z_[at(kept_[at(j)])]);
    std::vector<double> first(at(k)), last(at(k));
    for (int64_t i = 0; i < k; ++i) {
      double* row = factors_.data() + i * k;
      Dispatch<MakeVector>(row, z.data(), k);
      for (int64_t j = 0; j < k; ++j) {
        first[at(i)] += row[j] * whole_.first[at(kept_[at(j)])];
        last[at(i)] += row[j] * whole_.last[at(kept_[at(j)])];
      }
    }
    for (int64_t i = 0; i < k; ++i) {
      const size_t to = at(kept_[at(i)]);
      whole_.values[to] = roots[at(i)];
      whole_.first[to] = first[at(i)];
      whole_.last[to] = last[at(i)];
    }
  }

  // Replaces the kept vectors by their combinations.
  void Combine() {
    const int64_t k = static_cast<int64_t>(kept_.size());
    Owned result(k, n_);
    CombineHalf(kLeft, result.part.At(0, 0, k, h_), 0);
    CombineHalf(kRight, result.part.At(0, h_, k, n_ - h_), h_);
    for (int64_t i = 0; i < k; ++i)
      std::copy_n(result.part.Row(i), n_, whole_.vectors.begin() + kept_[at(i)] * n_);
  }

  void CombineHalf(Half half, const Part& to, int64_t column) {
    const int64_t k = to.rows;
    std::vector<int64_t> used;
    for (int64_t j = 0; j < k; ++j)
      if (halves_[at(kept_[at(j)])] & half) used.push_back(j);
    const int64_t depth = static_cast<int64_t>(used.size());
    Owned factors(k, depth), rows(depth, to.columns);
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = 0; j < depth; ++j)
        factors.part.Row(i)[j] = static_cast<float>(-factors_[at(i * k + used[at(j)])]);
    for (int64_t j = 0; j < depth; ++j)
      std::copy_n(whole_.vectors.begin() + kept_[at(used[at(j)])] * n_ + column, to.columns,
                  rows.part.Row(j));
    SubtractProduct(to, factors.part, rows.part);
  }

  const int64_t h_, n_;  // the sizes of the first half and of the whole
  const bool vectors_;
  Spectrum whole_;
  std::vector<double> z_;        // the direction of the correction, of norm 1
  std::vector<uint8_t> halves_;  // of each vector
  std::vector<int64_t> kept_;    // the vectors that take part in the correction
  std::vector<double> factors_;  // each row has the factors of the kept vectors
};

Spectrum Decompose(double* diagonal, const double* beside, int64_t n, bool vectors) {
  if (n == 1) return {{diagonal[0]}, {1}, {1}, std::vector<float>(vectors ? 1 : 0, 1.0f)};
  const int64_t h = n / 2;
  const double coupling = beside[h - 1];
  diagonal[h - 1] -= std::abs(coupling);
  diagonal[h] -= std::abs(coupling);
  const Spectrum left = Decompose(diagonal, beside, h, vectors);
  return Join(left, Decompose(diagonal + h, beside + h, n - h, vectors), coupling).Result();
}

}  // namespace

Spectrum TridiagonalSpectrum(std::vector<double> diagonal, const std::vector<double>& beside,
                             bool vectors) {
  if (diagonal.empty()) return {};
  return Decompose(diagonal.data(), beside.data(), static_cast<int64_t>(diagonal.size()), vectors);
}

}  // namespace tensh::ops::blocked
