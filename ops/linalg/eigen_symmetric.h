#pragma once
// Eigenvalues and eigenvectors of self-adjoint matrices.
#include "ops/linalg/eigen_matrix.h"

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

}  // namespace tensh::ops::dense
