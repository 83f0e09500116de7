// Eigenvalues and eigenvectors of self-adjoint matrices.
#include "ops/linalg/eigen_matrix.h"

#include <Eigen/Eigenvalues>

namespace tensh::ops::dense {

template <class T>
bool SelfAdjointEig(int64_t n, const T* a, T* values, T* vectors) {
  if (n == 0) return true;
  const Eigen::SelfAdjointEigenSolver<Matrix<T>> eig(
      Read(a, n, n), vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (eig.info() != Eigen::Success) return false;
  for (int64_t i = 0; i < n; ++i) values[i] = T(eig.eigenvalues()(i));
  if (vectors) Write(eig.eigenvectors(), vectors);
  return true;
}

template bool SelfAdjointEig(int64_t, const double*, double*, double*);
template bool SelfAdjointEig(int64_t, const Complex128*, Complex128*, Complex128*);

}  // namespace tensh::ops::dense
