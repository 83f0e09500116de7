#pragma once
// Least squares by a complete orthogonal decomposition.
#include <algorithm>

#include "ops/linalg/eigen_matrix.h"

namespace tensh::ops::dense {

template <class T>
void OrthogonalLeastSquares(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* x) {
  std::fill_n(x, n * k, T{0});
  if (m == 0 || n == 0 || k == 0) return;
  const Eigen::CompleteOrthogonalDecomposition<Matrix<T>> decomposition(Read(a, m, n));
  const Matrix<T> rhs = Read(b, m, k);
  Write<T>(decomposition.solve(rhs), x);
}

}  // namespace tensh::ops::dense
