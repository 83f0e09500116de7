#include "ops/linalg/matrix_algebra.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "ops/linalg/eigen_algebra.h"
#include "ops/linalg/float_blocks.h"
#include "ops/support/stop.h"

namespace tensh::ops {
namespace {

// The type in which matrices of T are decomposed: double precision.
template <class T>
using Wide = std::conditional_t<kIsComplex<T>, Complex128, double>;

template <class T>
class WideIn {
 public:
  WideIn(const T* from, int64_t n) {
    if constexpr (std::is_same_v<T, Wide<T>>) {
      data_ = from;
    } else {
      copy_.resize(static_cast<size_t>(n));
      std::copy_n(from, n, copy_.begin());
      data_ = copy_.data();
    }
  }
  operator const Wide<T>*() const { return data_; }  // NOLINT: an argument

 private:
  std::vector<Wide<T>> copy_;
  const Wide<T>* data_;
};

// An output array in double precision. Its destructor converts the results to `to`. A null `to`
// stays null.
template <class T>
class WideOut {
 public:
  WideOut(T* to, int64_t n) : to_(to) {
    if constexpr (std::is_same_v<T, Wide<T>>) {
      data_ = to;
    } else if (to) {
      copy_.resize(static_cast<size_t>(n));
      data_ = copy_.data();
    }
  }
  ~WideOut() {
    if constexpr (!std::is_same_v<T, Wide<T>>)
      for (size_t i = 0; i < copy_.size(); ++i) to_[i] = static_cast<T>(copy_[i]);
  }
  WideOut(const WideOut&) = delete;
  operator Wide<T>*() const { return data_; }  // NOLINT: an argument

 private:
  T* to_;
  std::vector<Wide<T>> copy_;
  Wide<T>* data_ = nullptr;
};

constexpr int64_t kFewColumns = 4;  // right sides with fewer columns are solved row by row

}  // namespace

template <class T>
bool Inverse(int64_t n, const T* a, bool adjoint, T* out) {
  if constexpr (std::is_same_v<T, float>)
    if (n >= blocked::kBlockedFrom) return blocked::Inverse(n, a, adjoint, out);
  return dense::Inverse<Wide<T>>(n, WideIn<T>(a, n * n), adjoint, WideOut<T>(out, n * n));
}

template <class T>
T Determinant(int64_t n, const T* a) {
  return static_cast<T>(dense::Determinant<Wide<T>>(n, WideIn<T>(a, n * n)));
}

template <class T>
void LogDeterminant(int64_t n, const T* a, T* sign, T* log) {
  dense::LogDeterminant<Wide<T>>(n, WideIn<T>(a, n * n), WideOut<T>(sign, 1), WideOut<T>(log, 1));
}

template <class T>
bool Solve(int64_t n, int64_t k, const T* a, bool adjoint, const T* b, T* x) {
  if constexpr (std::is_same_v<T, float>)
    if (n >= blocked::kBlockedFrom) return blocked::Solve(n, k, a, adjoint, b, x);
  return dense::Solve<Wide<T>>(n, k, WideIn<T>(a, n * n), adjoint, WideIn<T>(b, n * k),
                               WideOut<T>(x, n * k));
}

template <class T>
bool LuDecompose(int64_t n, const T* a, T* lu, int64_t* order) {
  if constexpr (std::is_same_v<T, float>)
    if (n >= blocked::kBlockedFrom) return blocked::LuDecompose(n, a, lu, order);
  return dense::LuDecompose<Wide<T>>(n, WideIn<T>(a, n * n), WideOut<T>(lu, n * n), order);
}

namespace {

// Applies fn(n, a, out), a function of complex matrices, to matrices of T. If T is real and the
// result is not, the result is NaN.
template <class T, class Fn>
bool ByComplex(int64_t n, const T* a, T* out, Fn fn) {
  const size_t size = static_cast<size_t>(n * n);
  std::vector<Complex128> from(a, a + size), to(size);
  if (!fn(n, from.data(), to.data())) return false;
  if constexpr (kIsComplex<T>) {
    std::transform(to.begin(), to.end(), out, [](Complex128 z) { return static_cast<T>(z); });
  } else {
    double real = 0, rest = 0;
    for (Complex128 z : to) {
      real = std::max(real, std::abs(z.real()));
      rest = std::max(rest, std::abs(z.imag()));
    }
    const bool is_real = rest <= 1e-8 * real;
    for (size_t i = 0; i < size; ++i)
      out[i] = is_real ? static_cast<T>(to[i].real()) : std::numeric_limits<T>::quiet_NaN();
  }
  return true;
}

}  // namespace

template <class T>
bool SquareRoot(int64_t n, const T* a, T* out) {
  return ByComplex(n, a, out, dense::SquareRoot);
}

template <class T>
bool Logarithm(int64_t n, const T* a, T* out) {
  return ByComplex(n, a, out, dense::Logarithm);
}

template <class T>
bool Cholesky(int64_t n, const T* a, T* out) {
  if constexpr (std::is_same_v<T, float>)
    if (n >= blocked::kBlockedFrom) return blocked::Cholesky(n, a, out);
  return dense::Cholesky<Wide<T>>(n, WideIn<T>(a, n * n), WideOut<T>(out, n * n));
}

template <class T>
void QrDecompose(int64_t m, int64_t n, const T* a, bool full, T* q, T* r) {
  if constexpr (std::is_same_v<T, float>)
    if (std::min(m, n) >= blocked::kBlockedFrom) return blocked::QrDecompose(m, n, a, full, q, r);
  const int64_t p = full ? m : std::min(m, n);
  dense::QrDecompose<Wide<T>>(m, n, WideIn<T>(a, m * n), full, WideOut<T>(q, m * p),
                              WideOut<T>(r, p * n));
}

template <class T>
bool SvdDecompose(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v) {
  const int64_t p = std::min(m, n);
  if constexpr (std::is_same_v<T, float>)
    if (p >= blocked::kSvdFrom) return blocked::SvdDecompose(m, n, a, full, s, u, v);
  return dense::SvdDecompose<Wide<T>>(m, n, WideIn<T>(a, m * n), full, WideOut<T>(s, p),
                                      WideOut<T>(u, m * (full ? m : p)),
                                      WideOut<T>(v, n * (full ? n : p)));
}

template <class T>
bool SelfAdjointEig(int64_t n, const T* a, T* values, T* vectors) {
  if constexpr (std::is_same_v<T, float>)
    if (n >= blocked::kBlockedFrom) return blocked::SelfAdjointEig(n, a, values, vectors);
  return dense::SelfAdjointEig<Wide<T>>(n, WideIn<T>(a, n * n), WideOut<T>(values, n),
                                        WideOut<T>(vectors, n * n));
}

template <class T>
bool LeastSquares(int64_t m, int64_t n, int64_t k, const T* a, const T* b, double l2, bool fast,
                  T* x) {
  if (fast)
    return dense::NormalEquations<Wide<T>>(m, n, k, WideIn<T>(a, m * n), WideIn<T>(b, m * k), l2,
                                           WideOut<T>(x, n * k));
  dense::OrthogonalLeastSquares<Wide<T>>(m, n, k, WideIn<T>(a, m * n), WideIn<T>(b, m * k),
                                         WideOut<T>(x, n * k));
  return true;
}

template <class T>
void CholeskyBackward(int64_t n, const T* l, const T* grad, T* out) {
  if (n == 0) return;
  // The result is inv(L)^T * sym(phi(L^T * dL)) * inv(L), where phi takes the lower triangle with
  // half of the diagonal.
  std::vector<T> half(static_cast<size_t>(n * n)), turned(half.size());
  for (int64_t i = 0; i < n; ++i) {
    StopIfCancelled();
    for (int64_t j = 0; j <= i; ++j) {
      T sum = 0;
      for (int64_t p = i; p < n; ++p) sum += l[p * n + i] * grad[p * n + j];
      half[static_cast<size_t>(i * n + j)] = half[static_cast<size_t>(j * n + i)] = sum / T{2};
    }
  }
  // A factor with a zero on its diagonal has no gradient.
  if (!TriangularSolve<T>(n, n, l, true, true, half.data(), turned.data())) {
    std::fill_n(out, n * n, std::numeric_limits<T>::quiet_NaN());
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j)
      std::swap(turned[static_cast<size_t>(i * n + j)], turned[static_cast<size_t>(j * n + i)]);
  TriangularSolve<T>(n, n, l, true, true, turned.data(), out);
}

template <class T>
bool TriangularSolve(int64_t n, int64_t k, const T* a, bool lower, bool adjoint, const T* b, T* x) {
  for (int64_t i = 0; i < n; ++i)
    if (!(std::abs(a[i * n + i]) > 0)) return false;
  if constexpr (std::is_same_v<T, float>)
    if (n >= blocked::kBlockedFrom && k >= kFewColumns) {
      blocked::TriangularSolve(n, k, a, lower, adjoint, b, x);
      return true;
    }
  const bool forward = lower != adjoint;
  for (int64_t step = 0; step < n; ++step) {
    StopIfCancelled();
    const int64_t i = forward ? step : n - 1 - step;
    const T diagonal = adjoint ? Conjugate(a[i * n + i]) : a[i * n + i];
    T* row = x + i * k;
    std::copy_n(b + i * k, k, row);
    for (int64_t p = forward ? 0 : i + 1; p < (forward ? i : n); ++p) {
      const T factor = adjoint ? Conjugate(a[p * n + i]) : a[i * n + p];
      for (int64_t j = 0; j < k; ++j) row[j] -= factor * x[p * k + j];
    }
    for (int64_t j = 0; j < k; ++j) row[j] /= diagonal;
  }
  return true;
}

#define TENSH_LINALG(T)                                                                \
  template bool Inverse(int64_t, const T*, bool, T*);                                  \
  template T Determinant(int64_t, const T*);                                           \
  template void LogDeterminant(int64_t, const T*, T*, T*);                             \
  template bool LuDecompose(int64_t, const T*, T*, int64_t*);                          \
  template bool SquareRoot(int64_t, const T*, T*);                                     \
  template bool Logarithm(int64_t, const T*, T*);                                      \
  template bool Cholesky(int64_t, const T*, T*);                                       \
  template void QrDecompose(int64_t, int64_t, const T*, bool, T*, T*);                 \
  template bool SvdDecompose(int64_t, int64_t, const T*, bool, T*, T*, T*);            \
  template bool SelfAdjointEig(int64_t, const T*, T*, T*);                             \
  template bool Solve(int64_t, int64_t, const T*, bool, const T*, T*);                 \
  template bool TriangularSolve(int64_t, int64_t, const T*, bool, bool, const T*, T*); \
  template bool LeastSquares(int64_t, int64_t, int64_t, const T*, const T*, double, bool, T*)
TENSH_LINALG(float);
TENSH_LINALG(double);
TENSH_LINALG(Complex64);
TENSH_LINALG(Complex128);
#undef TENSH_LINALG
template void CholeskyBackward(int64_t, const float*, const float*, float*);
template void CholeskyBackward(int64_t, const double*, const double*, double*);

}  // namespace tensh::ops
