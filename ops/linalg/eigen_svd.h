#pragma once
// Singular value decompositions.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "ops/linalg/eigen_matrix.h"

namespace tensh::ops::dense {

// Divide and conquer for real matrices; below 16 columns it is Jacobi's method. Complex matrices
// are rare, and Jacobi's method is a fraction of the code.
template <class T>
using Svd =
    std::conditional_t<kIsComplex<T>, Eigen::JacobiSVD<Matrix<T>>, Eigen::BDCSVD<Matrix<T>>>;

template <class T>
bool SvdDecompose(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v) {
  const int64_t p = std::min(m, n);
  if (p == 0) {
    if (u) Write(Identity<T>(m, full ? m : p), u);
    if (v) Write(Identity<T>(n, full ? n : p), v);
    return true;
  }
  for (int64_t i = 0; i < m * n; ++i)
    if (!std::isfinite(std::abs(a[i]))) return false;
  const unsigned options = !u     ? 0u
                           : full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                  : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Svd<T> svd(Read(a, m, n), options);
  for (int64_t i = 0; i < p; ++i) s[i] = T(svd.singularValues()(i));
  if (u) Write(svd.matrixU(), u);
  if (v) Write(svd.matrixV(), v);
  return true;
}

}  // namespace tensh::ops::dense
