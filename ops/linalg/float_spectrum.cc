// Eigenvalues and singular values of matrices of floats.
//
// A symmetric matrix becomes tridiagonal by reflections. The singular values of a are the roots of the eigenvalues of
// a^T * a, and the vectors of the other side are the orthogonal factor of a * v, whose columns are orthogonal already,
// except where values are near 0. All of this is computed in double up to the vectors: the square of a float fits
// into a double, so the error of a singular value is that of a float, relative to the largest one.
#include <algorithm>
#include <cmath>

#include "ops/linalg/float_blocks.h"
#include "ops/linalg/float_parts.h"
#include "ops/linalg/tridiagonal_spectrum.h"
#include "ops/support/isa.h"
#include "ops/support/stop.h"

namespace tensh::ops::blocked {
namespace {

constexpr int64_t kWide = 8;      // doubles of a tile of a symmetric product
constexpr int64_t kRows = 4;      // rows of it
constexpr int64_t kAtOnce = 256;  // rows of the matrix that are multiplied at once

// A symmetric matrix of doubles, of which the lower triangle is used.
struct Symmetric {
  explicit Symmetric(int64_t n)
      : size(n),
        step((n + kWide - 1) / kWide * kWide),
        elements(static_cast<size_t>(step * step)) {}
  double* Row(int64_t i) { return elements.data() + i * step; }

  int64_t size, step;
  std::vector<double> elements;
};

// Adds the products of `rows` rows with each other to the lower triangle of a matrix. Both have rows of n elements, a
// multiple of kWide.
struct AddGram {
  TENSH_ALWAYS_INLINE static void Run(const double* a, int64_t rows, int64_t n, double* to) {
    for (int64_t i = 0; i < n; i += kRows)
      for (int64_t j = 0; j <= i; j += kWide) {
        double sums[kRows][kWide] = {};
        for (int64_t r = 0; r < rows; ++r) {
          const double *left = a + r * n + i, *right = a + r * n + j;
          for (int64_t p = 0; p < kRows; ++p)
            for (int64_t q = 0; q < kWide; ++q) sums[p][q] += left[p] * right[q];
        }
        for (int64_t p = 0; p < kRows; ++p)
          for (int64_t q = 0; q < kWide; ++q) to[(i + p) * n + j + q] += sums[p][q];
      }
  }
};

// Returns a^T * a for m rows of n elements.
Symmetric Gram(int64_t m, int64_t n, const float* a) {
  Symmetric gram(n);
  std::vector<double> rows(static_cast<size_t>(std::min(m, kAtOnce) * gram.step));
  for (int64_t first = 0; first < m; first += kAtOnce) {
    StopIfCancelled();
    const int64_t count = std::min(kAtOnce, m - first);
    for (int64_t i = 0; i < count; ++i)
      std::copy_n(a + (first + i) * n, n, rows.begin() + i * gram.step);
    Dispatch<AddGram>(rows.data(), count, gram.step, gram.elements.data());
  }
  return gram;
}

// Subtracts v * w^T + w * v^T from the first r rows of the lower triangle, and adds the product of the result and
// `next` to y.
struct UpdateAndMultiply {
  TENSH_ALWAYS_INLINE static void Run(double* a, int64_t step, int64_t r, const double* v,
                                      const double* w, const double* next, double* y) {
    for (int64_t i = 0; i < r; ++i) {
      double *row = a + i * step, sums[kWide] = {};
      const double vi = v[i], wi = w[i], factor = next[i];
      int64_t j = 0;
      for (; j + kWide <= i; j += kWide)
        for (int64_t lane = 0; lane < kWide; ++lane) {
          const double x = row[j + lane] - vi * w[j + lane] - wi * v[j + lane];
          row[j + lane] = x;
          y[j + lane] += factor * x;
          sums[lane] += next[j + lane] * x;
        }
      double sum = 0;
      for (; j < i; ++j) {
        row[j] -= vi * w[j] + wi * v[j];
        y[j] += factor * row[j];
        sum += next[j] * row[j];
      }
      for (double part : sums) sum += part;
      row[i] -= 2 * vi * wi;
      y[i] += sum + row[i] * factor;
    }
  }
};

// A tridiagonal matrix, and the reflections that made it. All of them are in the opposite order of rows and columns.
struct Tridiagonal {
  explicit Tridiagonal(int64_t n) : reflections(n, n), scales(static_cast<size_t>(n)) {}
  std::vector<double> diagonal, beside;
  Owned
      reflections;  // the elements of reflection p are in column p, below row p + 1, which has the element 1
  std::vector<float> scales;
};

// Makes the reflection that leaves only the last one of r elements. Returns this element, and 0 as `scale` if there is
// nothing to reflect.
double Reflect(const double* x, int64_t r, double* v, double& scale) {
  const double last = x[r - 1];
  double squares = 0;
  for (int64_t j = 0; j < r - 1; ++j) squares += x[j] * x[j];
  scale = 0;
  std::fill_n(v, r, 0.0);
  if (squares == 0) return last;
  const double norm = std::sqrt(squares + last * last), to = last > 0 ? -norm : norm;
  for (int64_t j = 0; j < r - 1; ++j) v[j] = x[j] / (last - to);
  v[r - 1] = 1;
  scale = (to - last) / to;
  return to;
}

Tridiagonal Reduce(Symmetric& a) {
  const int64_t n = a.size;
  Tridiagonal out(n);
  std::vector<double> v(static_cast<size_t>(n)), w(v), next(v), y(v);
  for (int64_t r = n - 1; r >= 0; --r) {
    StopIfCancelled();
    double* row = a.Row(r);
    for (int64_t j = 0; j <= r; ++j)
      row[j] -= v[static_cast<size_t>(r)] * w[static_cast<size_t>(j)] +
                w[static_cast<size_t>(r)] * v[static_cast<size_t>(j)];
    out.diagonal.push_back(row[r]);
    if (r == 0) break;
    double scale;
    out.beside.push_back(Reflect(row, r, next.data(), scale));
    std::fill_n(y.begin(), r, 0.0);
    Dispatch<UpdateAndMultiply>(a.Row(0), a.step, r, v.data(), w.data(), next.data(), y.data());
    double product = 0;
    for (size_t j = 0; j < static_cast<size_t>(r); ++j) product += y[j] * next[j];
    for (size_t j = 0; j < static_cast<size_t>(r); ++j)
      w[j] = scale * (y[j] - scale * product / 2 * next[j]);
    v.swap(next);
    const int64_t p = n - 1 - r;
    out.scales[static_cast<size_t>(p)] = static_cast<float>(scale);
    for (int64_t j = 0; j < r; ++j)
      out.reflections.part.Row(n - 1 - j)[p] = static_cast<float>(v[static_cast<size_t>(j)]);
  }
  return out;
}

// Multiplies the vectors of the tridiagonal matrix by the reflections.
void ApplyReflections(const Tridiagonal& t, const Part& vectors) {
  const int64_t n = vectors.rows;
  for (int64_t p = (n - 2) / kSmall * kSmall; p >= 0; p -= kSmall) {
    StopIfCancelled();
    const int64_t count = std::min(kSmall, n - 1 - p);
    const Reflections reflections(t.reflections.part.At(p + 1, p, n - p - 1, count),
                                  t.scales.data() + p);
    reflections.Apply(vectors.Below(p + 1), false);
  }
}

// Returns the eigenvalues of a in ascending order. If `vectors` is not null, it becomes a matrix whose columns are the
// eigenvectors, with its rows in the opposite order.
std::vector<double> Decompose(Symmetric& a, float* vectors) {
  const int64_t n = a.size;
  const Tridiagonal t = Reduce(a);
  Spectrum s = TridiagonalSpectrum(t.diagonal, t.beside, vectors != nullptr);
  if (vectors) {
    const Part out{vectors, n, n, n};
    Transpose({s.vectors.data(), n, n, n}, out);
    if (n > 1) ApplyReflections(t, out);
  }
  return std::move(s.values);
}

bool AreFinite(const float* a, int64_t n) {
  return std::all_of(a, a + n, [](float x) { return std::isfinite(x); });
}

// Multiplies every element by the same power of 2.
void Scale(float* a, int64_t n, int exponent) {
  for (int64_t i = 0; i < n; ++i) a[i] = std::ldexp(a[i], exponent);
}

// Returns the exponent of the largest element.
int LargestExponent(const float* a, int64_t n) {
  float largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(a[i]));
  int exponent = 0;
  std::frexp(largest, &exponent);
  return exponent;
}

// Decomposes a matrix with at least as many rows as columns, and with elements whose squares are floats.
void TallSvd(int64_t m, int64_t n, const float* a, bool full, float* s, float* u, float* v) {
  Symmetric gram = Gram(m, n, a);
  const std::vector<double> squares = Decompose(gram, v);
  for (int64_t i = 0; i < n; ++i)
    s[i] = static_cast<float>(std::sqrt(std::max(0.0, squares[static_cast<size_t>(n - 1 - i)])));
  if (!v) return;
  std::reverse(v, v + n * n);
  Owned product(m, n), r(full ? m : n, n);  // -a * v and its factors
  SubtractProduct(product.part, {const_cast<float*>(a), m, n, n}, {v, n, n, n});
  QrDecompose(m, n, product.part.data, full, u, r.part.data);
  const int64_t p = full ? m : n;
  std::vector<float> signs(static_cast<size_t>(p), 1.0f);
  for (int64_t i = 0; i < n; ++i)
    signs[static_cast<size_t>(i)] = r.part.Row(i)[i] > 0 ? -1.0f : 1.0f;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < p; ++j) u[i * p + j] *= signs[static_cast<size_t>(j)];
}

}  // namespace

bool SelfAdjointEig(int64_t n, const float* a, float* values, float* vectors) {
  Symmetric wide(n);
  for (int64_t i = 0; i < n; ++i) {
    if (!AreFinite(a + i * n, i + 1)) return false;
    std::copy_n(a + i * n, i + 1, wide.Row(i));
  }
  const std::vector<double> found = Decompose(wide, vectors);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(found[static_cast<size_t>(i)]);
  if (vectors)
    for (int64_t i = 0; i < n / 2; ++i)
      std::swap_ranges(vectors + i * n, vectors + (i + 1) * n, vectors + (n - 1 - i) * n);
  return true;
}

bool SvdDecompose(int64_t m, int64_t n, const float* a, bool full, float* s, float* u, float* v) {
  if (!AreFinite(a, m * n)) return false;
  Owned tall(std::max(m, n), std::min(m, n));
  if (m >= n)
    std::copy_n(a, m * n, tall.part.data);
  else
    Transpose({const_cast<float*>(a), m, n, n}, tall.part);  // only read
  const int exponent = LargestExponent(a, m * n);
  const bool extreme = std::abs(exponent) > 40;
  if (extreme) Scale(tall.part.data, m * n, -exponent);
  TallSvd(tall.part.rows, tall.part.columns, tall.part.data, full, s, m >= n ? u : v,
          m >= n ? v : u);
  if (extreme) Scale(s, tall.part.columns, exponent);
  return true;
}

}  // namespace tensh::ops::blocked
