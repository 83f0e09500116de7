#include "ops/support/linalg.h"

// Extents are checked by the callers; the assertions would double the build time.
#define EIGEN_NO_DEBUG

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <vector>

namespace tensh::ops {
namespace {

// One kind of matrix everywhere, columns first: each kind more doubles the build time of this file.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

template <class T>
Matrix<T> Read(const T* a, int64_t m, int64_t n) {
  Matrix<T> out(m, n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) out(i, j) = a[i * n + j];
  return out;
}
template <class T>
void Write(const Matrix<T>& a, T* out) {
  for (int64_t i = 0; i < a.rows(); ++i)
    for (int64_t j = 0; j < a.cols(); ++j) *out++ = a(i, j);
}

// The matrix, or its transpose: reading it the other way round is the same.
template <class T>
Matrix<T> ReadSquare(const T* a, int64_t n, bool transpose) {
  Matrix<T> out(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) out(i, j) = transpose ? a[j * n + i] : a[i * n + j];
  return out;
}

template <class T>
bool Invertible(const Eigen::PartialPivLU<Matrix<T>>& lu) {
  T least = std::abs(lu.matrixLU()(0, 0));
  for (int64_t i = 1; i < lu.matrixLU().rows(); ++i)
    least = std::min(least, std::abs(lu.matrixLU()(i, i)));
  return least > T{0};
}

template <class T>
Matrix<T> Identity(int64_t m, int64_t n) {
  Matrix<T> out(m, n);
  out.setIdentity();
  return out;
}

}  // namespace

template <class T>
bool Inverse(int64_t n, const T* a, bool adjoint, T* out) {
  if (n == 0) return true;
  const Eigen::PartialPivLU<Matrix<T>> lu(ReadSquare(a, n, adjoint));
  if (!Invertible<T>(lu)) return false;
  Write<T>(lu.solve(Identity<T>(n, n)), out);
  return true;
}

template <class T>
void LogDeterminant(int64_t n, const T* a, T* sign, T* log) {
  *sign = T{1};
  *log = T{0};
  if (n == 0) return;
  const Eigen::PartialPivLU<Matrix<T>> lu(Read(a, n, n));
  *sign = static_cast<T>(lu.permutationP().determinant());
  for (int64_t i = 0; i < n; ++i) {
    const T d = lu.matrixLU()(i, i);
    *sign *= d > T{0} ? T{1} : d < T{0} ? T{-1} : d;
    *log += std::log(std::abs(d));
  }
}

template <class T>
T Determinant(int64_t n, const T* a) {
  if (n == 0) return T{1};
  const Eigen::PartialPivLU<Matrix<T>> lu(Read(a, n, n));
  T product = static_cast<T>(lu.permutationP().determinant());
  for (int64_t i = 0; i < n; ++i) product *= lu.matrixLU()(i, i);
  return product;
}

template <class T>
bool Solve(int64_t n, int64_t k, const T* a, bool adjoint, const T* b, T* x) {
  if (n == 0 || k == 0) return true;
  const Eigen::PartialPivLU<Matrix<T>> lu(ReadSquare(a, n, adjoint));
  if (!Invertible<T>(lu)) return false;
  Write<T>(lu.solve(Read(b, n, k)), x);
  return true;
}

template <class T>
bool Cholesky(int64_t n, const T* a, T* out) {
  if (n == 0) return true;
  const Eigen::LLT<Matrix<T>> llt(Read(a, n, n));
  if (llt.info() != Eigen::Success) return false;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = j <= i ? llt.matrixLLT()(i, j) : T{0};
  return true;
}

template <class T>
void CholeskyBackward(int64_t n, const T* l, const T* grad, T* out) {
  if (n == 0) return;
  // inv(L)^T * sym(phi(L^T * dL)) * inv(L), phi: the lower triangle with half the diagonal.
  std::vector<T> half(static_cast<size_t>(n * n)), turned(half.size());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      T sum = 0;
      for (int64_t p = i; p < n; ++p) sum += l[p * n + i] * grad[p * n + j];
      half[static_cast<size_t>(i * n + j)] = half[static_cast<size_t>(j * n + i)] = sum / T{2};
    }
  TriangularSolve<T>(n, n, l, true, true, half.data(), turned.data());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j)
      std::swap(turned[static_cast<size_t>(i * n + j)], turned[static_cast<size_t>(j * n + i)]);
  TriangularSolve<T>(n, n, l, true, true, turned.data(), out);
}

template <class T>
bool TriangularSolve(int64_t n, int64_t k, const T* a, bool lower, bool adjoint, const T* b, T* x) {
  for (int64_t i = 0; i < n; ++i)
    if (!(std::abs(a[i * n + i]) > T{0})) return false;
  const bool forward = lower != adjoint;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = forward ? step : n - 1 - step;
    T* row = x + i * k;
    std::copy_n(b + i * k, k, row);
    for (int64_t p = forward ? 0 : i + 1; p < (forward ? i : n); ++p) {
      const T factor = adjoint ? a[p * n + i] : a[i * n + p];
      for (int64_t j = 0; j < k; ++j) row[j] -= factor * x[p * k + j];
    }
    for (int64_t j = 0; j < k; ++j) row[j] /= a[i * n + i];
  }
  return true;
}

template <class T>
void QrDecompose(int64_t m, int64_t n, const T* a, bool full, T* q, T* r) {
  const int64_t p = full ? m : std::min(m, n);
  if (m == 0 || p == 0) return;
  if (n == 0) return Write<T>(Identity<T>(m, p), q);
  const Eigen::HouseholderQR<Matrix<T>> qr(Read(a, m, n));
  Matrix<T> product = Identity<T>(m, p);
  product.applyOnTheLeft(qr.householderQ());
  Write<T>(product, q);
  for (int64_t i = 0; i < p; ++i)
    for (int64_t j = 0; j < n; ++j) r[i * n + j] = j >= i ? qr.matrixQR()(i, j) : T{0};
}

template <class T>
bool SvdDecompose(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v) {
  const int64_t p = std::min(m, n);
  const int64_t pu = full ? m : p, pv = full ? n : p;
  if (p == 0) {
    if (u) Write<T>(Identity<T>(m, pu), u);
    if (v) Write<T>(Identity<T>(n, pv), v);
    return true;
  }
  for (int64_t i = 0; i < m * n; ++i)
    if (!std::isfinite(a[i])) return false;
  const unsigned options = !u     ? 0u
                           : full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                  : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::BDCSVD<Matrix<T>> svd(Read(a, m, n), options);
  for (int64_t i = 0; i < p; ++i) s[i] = svd.singularValues()(i);
  if (u) Write<T>(svd.matrixU(), u);
  if (v) Write<T>(svd.matrixV(), v);
  return true;
}

template <class T>
bool SelfAdjointEig(int64_t n, const T* a, T* values, T* vectors) {
  if (n == 0) return true;
  const Eigen::SelfAdjointEigenSolver<Matrix<T>> eig(
      Read(a, n, n), vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (eig.info() != Eigen::Success) return false;
  for (int64_t i = 0; i < n; ++i) values[i] = eig.eigenvalues()(i);
  if (vectors) Write<T>(eig.eigenvectors(), vectors);
  return true;
}

template <class T>
bool LeastSquares(int64_t m, int64_t n, int64_t k, const T* a, const T* b, double l2, bool fast,
                  T* x) {
  if (n == 0 || k == 0) return true;
  if (m == 0) {
    std::fill_n(x, n * k, T{0});
    return true;
  }
  const Matrix<T> in = Read(a, m, n), rhs = Read(b, m, k), turned = in.transpose();
  if (!fast) {
    const Eigen::BDCSVD<Matrix<T>> svd(in, Eigen::ComputeThinU | Eigen::ComputeThinV);
    Write<T>(svd.solve(rhs), x);
    return true;
  }
  const bool tall = m >= n;
  Matrix<T> gram = tall ? turned * in : in * turned;
  for (int64_t i = 0; i < gram.rows(); ++i) gram(i, i) += static_cast<T>(l2);
  const Eigen::LLT<Matrix<T>> llt(gram);
  if (llt.info() != Eigen::Success) return false;
  Matrix<T> out;
  if (tall)
    out = llt.solve(Matrix<T>(turned * rhs));
  else
    out = turned * llt.solve(rhs);
  Write<T>(out, x);
  return true;
}

#define TENSH_LINALG(T)                                                                \
  template bool Inverse(int64_t, const T*, bool, T*);                                  \
  template T Determinant(int64_t, const T*);                                           \
  template void LogDeterminant(int64_t, const T*, T*, T*);                             \
  template bool Cholesky(int64_t, const T*, T*);                                       \
  template void CholeskyBackward(int64_t, const T*, const T*, T*);                     \
  template void QrDecompose(int64_t, int64_t, const T*, bool, T*, T*);                 \
  template bool SvdDecompose(int64_t, int64_t, const T*, bool, T*, T*, T*);            \
  template bool SelfAdjointEig(int64_t, const T*, T*, T*);                             \
  template bool Solve(int64_t, int64_t, const T*, bool, const T*, T*);                 \
  template bool TriangularSolve(int64_t, int64_t, const T*, bool, bool, const T*, T*); \
  template bool LeastSquares(int64_t, int64_t, int64_t, const T*, const T*, double, bool, T*)
TENSH_LINALG(float);
TENSH_LINALG(double);
#undef TENSH_LINALG

}  // namespace tensh::ops
