#pragma once
// Cholesky decompositions and least squares by the normal equations.
#include <algorithm>

#include "ops/linalg/eigen_matrix.h"

namespace tensh::ops::dense {

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
bool NormalEquations(int64_t m, int64_t n, int64_t k, const T* a, const T* b, double l2, T* x) {
  std::fill_n(x, n * k, T{0});
  if (m == 0 || n == 0 || k == 0) return true;
  const Matrix<T> in = Read(a, m, n), rhs = Read(b, m, k), adjoint = in.adjoint();
  const bool tall = m >= n;
  Matrix<T> gram = tall ? adjoint * in : in * adjoint;
  for (int64_t i = 0; i < gram.rows(); ++i) gram(i, i) += l2;
  const Eigen::LLT<Matrix<T>> llt(gram);
  if (llt.info() != Eigen::Success) return false;
  Matrix<T> out;
  if (tall)
    out = llt.solve(Matrix<T>(adjoint * rhs));
  else
    out = adjoint * llt.solve(rhs);
  Write(out, x);
  return true;
}

}  // namespace tensh::ops::dense
