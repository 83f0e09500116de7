#include "ops/math/fft/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/support/isa.h"
#include "ops/support/stop.h"

namespace tensh::ops {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int64_t kLargestFactor = 31;
constexpr int64_t kStretch = 1 << 14;  // elements between two checks for cancellation

struct Turn {
  double re, im;
};

// Returns e^(sign 2 pi i k / n). Angles are measured from the nearest axis, so that axes and
// diagonals are exact and terms that should cancel do.
Turn TurnOf(int64_t k, int64_t n, double sign) {
  k %= n;
  const int64_t quarter = (4 * k + n / 2) / n;  // -
  const double angle =
      kPi * static_cast<double>(4 * k - quarter * n) / (2 * static_cast<double>(n));
  const double c = std::cos(angle), s = std::sin(angle);
  const Turn turns[] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
  const Turn turn = turns[quarter % 4];
  return {turn.re, sign * turn.im};
}

int64_t SmallestFactor(int64_t n) {
  if (n % 4 == 0) return 4;
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

// The arrays of a pass. It reads parts * factor groups of `run` adjacent elements: group p + parts * k is element k of
// the p-th short transform. It writes element j of this transform to group factor * p + j, multiplied by its turn.
template <class T>
struct PassArrays {
  const T *in_re, *in_im, *turns;
  T *re, *im;
  int64_t factor, parts, run;
};

template <class T>
struct PassOf2 {
  TENSH_ALWAYS_INLINE static void Run(const PassArrays<T>& a, T /*sign*/) {
    for (int64_t p = 0; p < a.parts; ++p) {
      const T c = a.turns[2 * p], s = a.turns[2 * p + 1];
      const int64_t from = p * a.run, step = a.parts * a.run, to = 2 * p * a.run;
      const T *x0 = a.in_re + from, *y0 = a.in_im + from, *x1 = x0 + step, *y1 = y0 + step;
      T *u0 = a.re + to, *v0 = a.im + to, *u1 = u0 + a.run, *v1 = v0 + a.run;
      TENSH_VECTORIZE
      for (int64_t q = 0; q < a.run; ++q) {
        const T dx = x0[q] - x1[q], dy = y0[q] - y1[q];
        u0[q] = x0[q] + x1[q];
        v0[q] = y0[q] + y1[q];
        u1[q] = dx * c - dy * s;
        v1[q] = dx * s + dy * c;
      }
    }
  }
};

template <class T>
struct PassOf4 {
  TENSH_ALWAYS_INLINE static void Run(const PassArrays<T>& a, T sign) {
    for (int64_t p = 0; p < a.parts; ++p) {
      const T* w = a.turns + 6 * p;
      const T c1 = w[0], s1 = w[1], c2 = w[2], s2 = w[3], c3 = w[4], s3 = w[5];
      const int64_t from = p * a.run, step = a.parts * a.run, to = 4 * p * a.run, n = a.run;
      const T *x = a.in_re + from, *y = a.in_im + from;
      T *u = a.re + to, *v = a.im + to;
      TENSH_VECTORIZE
      for (int64_t q = 0; q < n; ++q) {
        const T ax = x[q] + x[q + 2 * step], ay = y[q] + y[q + 2 * step];
        const T bx = x[q] - x[q + 2 * step], by = y[q] - y[q + 2 * step];
        const T cx = x[q + step] + x[q + 3 * step], cy = y[q + step] + y[q + 3 * step];
        const T dx = sign * (y[q + 3 * step] - y[q + step]),
                dy = sign * (x[q + step] - x[q + 3 * step]);
        u[q] = ax + cx;
        v[q] = ay + cy;
        const T ex = bx + dx, ey = by + dy, fx = ax - cx, fy = ay - cy, gx = bx - dx, gy = by - dy;
        u[q + n] = ex * c1 - ey * s1;
        v[q + n] = ex * s1 + ey * c1;
        u[q + 2 * n] = fx * c2 - fy * s2;
        v[q + 2 * n] = fx * s2 + fy * c2;
        u[q + 3 * n] = gx * c3 - gy * s3;
        v[q + 3 * n] = gx * s3 + gy * c3;
      }
    }
  }
};

// An odd factor. Elements k and factor - k are added and subtracted, because their turns are conjugates. `roots` are
// e^(sign 2 pi i k / factor).
template <class T>
struct PassOfOdd {
  static constexpr int64_t kBlock = 16, kHalf = kLargestFactor / 2;

  TENSH_ALWAYS_INLINE static void Run(const PassArrays<T>& a, const T* roots) {
    for (int64_t p = 0; p < a.parts; ++p)
      for (int64_t q = 0; q < a.run; q += kBlock)
        Block(a, roots, p, q, std::min(kBlock, a.run - q));
  }

  TENSH_ALWAYS_INLINE static void Block(const PassArrays<T>& a, const T* roots, int64_t p,
                                        int64_t q, int64_t n) {
    const int64_t from = p * a.run + q, step = a.parts * a.run, half = a.factor / 2;
    T sum_x[kHalf][kBlock], sum_y[kHalf][kBlock], diff_x[kHalf][kBlock], diff_y[kHalf][kBlock];
    const T *x = a.in_re + from, *y = a.in_im + from;
    T *u = a.re + a.factor * p * a.run + q, *v = a.im + a.factor * p * a.run + q;
    for (int64_t i = 0; i < n; ++i) u[i] = x[i], v[i] = y[i];
    for (int64_t k = 1; k <= half; ++k) {
      const int64_t low = k * step, high = (a.factor - k) * step;
      for (int64_t i = 0; i < n; ++i) {
        u[i] += sum_x[k - 1][i] = x[low + i] + x[high + i];
        v[i] += sum_y[k - 1][i] = y[low + i] + y[high + i];
        diff_x[k - 1][i] = x[low + i] - x[high + i];
        diff_y[k - 1][i] = y[low + i] - y[high + i];
      }
    }
    for (int64_t j = 1; j <= half; ++j) {
      T even_x[kBlock], even_y[kBlock], odd_x[kBlock] = {}, odd_y[kBlock] = {};
      for (int64_t i = 0; i < n; ++i) even_x[i] = x[i], even_y[i] = y[i];
      for (int64_t k = 1; k <= half; ++k) {
        const T c = roots[2 * (j * k % a.factor)], s = roots[2 * (j * k % a.factor) + 1];
        for (int64_t i = 0; i < n; ++i) {
          even_x[i] += c * sum_x[k - 1][i];
          even_y[i] += c * sum_y[k - 1][i];
          odd_x[i] -= s * diff_y[k - 1][i];
          odd_y[i] += s * diff_x[k - 1][i];
        }
      }
      const T* w = a.turns + 2 * (a.factor - 1) * p;
      Turned(u + j * a.run, v + j * a.run, even_x, even_y, odd_x, odd_y, T{1}, w + 2 * (j - 1), n);
      const int64_t mirror = a.factor - j;
      Turned(u + mirror * a.run, v + mirror * a.run, even_x, even_y, odd_x, odd_y, T{-1},
             w + 2 * (mirror - 1), n);
    }
  }

  // u + iv = (even + sign * odd) * turn
  TENSH_ALWAYS_INLINE static void Turned(T* u, T* v, const T* even_x, const T* even_y,
                                         const T* odd_x, const T* odd_y, T sign, const T* turn,
                                         int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const T x = even_x[i] + sign * odd_x[i], y = even_y[i] + sign * odd_y[i];
      u[i] = x * turn[0] - y * turn[1];
      v[i] = x * turn[1] + y * turn[0];
    }
  }
};

// Multiplies element k of all sequences by factor k, for k < n.
template <class T>
void MultiplyEach(const ComplexParts<T>& x, int64_t sequences, const T* re, const T* im,
                  int64_t n) {
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = k * sequences; i < (k + 1) * sequences; ++i) {
      const T real = x.re[i] * re[k] - x.im[i] * im[k];
      x.im[i] = x.re[i] * im[k] + x.im[i] * re[k];
      x.re[i] = real;
    }
}

}  // namespace

template <class T>
FftPlan<T>::FftPlan(int64_t n, bool inverse) : n_(n), sign_(inverse ? 1 : -1) {
  if (IsSmooth(n)) {
    AddPasses(n, sign_);
    return;
  }
  padded_ = 1;
  while (padded_ < 2 * n - 1) padded_ *= 2;
  AddPasses(padded_, -1);
  // k^2 modulo 2 n is computed incrementally: k^2 itself would lose the digits of the angle.
  chirp_.resize(static_cast<size_t>(2 * n));
  std::vector<T> filter(static_cast<size_t>(2 * padded_));
  T* chirp = chirp_.data();
  const ComplexParts<T> conjugate{filter.data(), filter.data() + padded_};
  for (int64_t k = 0, square = 0; k < n; ++k) {
    if (k % kStretch == 0) StopIfCancelled();
    const Turn turn = TurnOf(square, 2 * n, sign_);
    const int64_t mirror = k ? padded_ - k : 0;
    chirp[k] = conjugate.re[k] = conjugate.re[mirror] = static_cast<T>(turn.re);
    chirp[n + k] = static_cast<T>(turn.im);
    conjugate.im[k] = conjugate.im[mirror] = static_cast<T>(-turn.im);
    square = (square + 2 * k + 1) % (2 * n);
  }
  std::vector<T> work(filter.size());
  const T* result = RunPasses(conjugate, 1, {work.data(), work.data() + padded_}).re;
  filter_ = result == work.data() ? std::move(work) : std::move(filter);
}

template <class T>
void FftPlan<T>::AddPasses(int64_t n, double sign) {
  while (n > 1) {
    const int64_t factor = SmallestFactor(n), parts = n / factor;
    Pass pass{factor, parts, {}};
    pass.turns.reserve(static_cast<size_t>(2 * (factor - 1) * parts));
    for (int64_t p = 0; p < parts; ++p) {
      if (p % kStretch == 0) StopIfCancelled();
      for (int64_t j = 1; j < factor; ++j) {
        const Turn turn = TurnOf(p * j, n, sign);
        pass.turns.push_back(static_cast<T>(turn.re));
        pass.turns.push_back(static_cast<T>(turn.im));
      }
    }
    passes_.push_back(std::move(pass));
    n = parts;
  }
}

template <class T>
ComplexParts<T> FftPlan<T>::RunPasses(ComplexParts<T> x, int64_t sequences,
                                      ComplexParts<T> work) const {
  const double sign = padded_ ? -1 : sign_;
  int64_t run = sequences;
  for (const Pass& pass : passes_) {
    if (pass.factor * pass.parts * run >= kStretch) StopIfCancelled();
    const PassArrays<T> arrays{x.re,    x.im,        pass.turns.data(), work.re,
                               work.im, pass.factor, pass.parts,        run};
    if (pass.factor == 2) {
      Dispatch<PassOf2<T>>(arrays, static_cast<T>(sign));
    } else if (pass.factor == 4) {
      Dispatch<PassOf4<T>>(arrays, static_cast<T>(sign));
    } else {
      T roots[2 * kLargestFactor];
      for (int64_t k = 0; k < pass.factor; ++k) {
        const Turn turn = TurnOf(k, pass.factor, sign);
        roots[2 * k] = static_cast<T>(turn.re);
        roots[2 * k + 1] = static_cast<T>(turn.im);
      }
      Dispatch<PassOfOdd<T>>(arrays, static_cast<const T*>(roots));
    }
    std::swap(x, work);
    run *= pass.factor;
  }
  return x;
}

template <class T>
ComplexParts<T> FftPlan<T>::Run(ComplexParts<T> x, int64_t sequences, ComplexParts<T> work) const {
  return padded_ ? RunBluestein(x, sequences, work) : RunPasses(x, sequences, work);
}

// The sequence times the chirp is convolved with the conjugate chirp. The inverse transform of the convolution is a
// forward one of the conjugate.
template <class T>
ComplexParts<T> FftPlan<T>::RunBluestein(ComplexParts<T> x, int64_t sequences,
                                         ComplexParts<T> work) const {
  const T *chirp = chirp_.data(), *filter = filter_.data();
  MultiplyEach(x, sequences, chirp, chirp + n_, n_);
  std::fill(x.re + n_ * sequences, x.re + padded_ * sequences, T{0});
  std::fill(x.im + n_ * sequences, x.im + padded_ * sequences, T{0});
  ComplexParts<T> spectrum = RunPasses(x, sequences, work);
  MultiplyEach(spectrum, sequences, filter, filter + padded_, padded_);
  for (int64_t i = 0; i < padded_ * sequences; ++i) spectrum.im[i] = -spectrum.im[i];
  const ComplexParts<T> y = RunPasses(spectrum, sequences, spectrum.re == x.re ? work : x);
  const T scale = T{1} / static_cast<T>(padded_);
  for (int64_t k = 0; k < n_; ++k) {
    const T c = scale * chirp[k], s = scale * chirp[n_ + k];
    for (int64_t i = k * sequences; i < (k + 1) * sequences; ++i) {
      const T real = y.re[i] * c + y.im[i] * s;
      y.im[i] = y.re[i] * s - y.im[i] * c;
      y.re[i] = real;
    }
  }
  return y;
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace tensh::ops
