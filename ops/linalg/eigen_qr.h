#pragma once
// QR decompositions by Householder reflections.
#include <algorithm>

#include "ops/linalg/eigen_matrix.h"

namespace tensh::ops::dense {

template <class T>
void QrDecompose(int64_t m, int64_t n, const T* a, bool full, T* q, T* r) {
  const int64_t p = full ? m : std::min(m, n);
  if (m == 0 || p == 0) return;
  if (n == 0) return Write(Identity<T>(m, p), q);
  const Eigen::HouseholderQR<Matrix<T>> qr(Read(a, m, n));
  Matrix<T> product = Identity<T>(m, p);
  product.applyOnTheLeft(qr.householderQ());
  Write(product, q);
  for (int64_t i = 0; i < p; ++i)
    for (int64_t j = 0; j < n; ++j) r[i * n + j] = j >= i ? qr.matrixQR()(i, j) : T{0};
}

}  // namespace tensh::ops::dense
