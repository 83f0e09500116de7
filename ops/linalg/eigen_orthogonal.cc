// Least squares by a complete orthogonal decomposition.
#include "ops/linalg/eigen_matrix.h"

#include <Eigen/QR>
#include <algorithm>

namespace tensh::ops::dense {

template <class T>
void OrthogonalLeastSquares(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* x) {
  std::fill_n(x, n * k, T{0});
  if (m == 0 || n == 0 || k == 0) return;
  const Eigen::CompleteOrthogonalDecomposition<Matrix<T>> decomposition(Read(a, m, n));
  const Matrix<T> rhs = Read(b, m, k);
  Write<T>(decomposition.solve(rhs), x);
}

template void OrthogonalLeastSquares(int64_t, int64_t, int64_t, const double*, const double*,
                                     double*);
template void OrthogonalLeastSquares(int64_t, int64_t, int64_t, const Complex128*,
                                     const Complex128*, Complex128*);

}  // namespace tensh::ops::dense
