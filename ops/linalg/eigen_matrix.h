#pragma once
// Eigen matrices that are read from and written to rows in memory. Every instance of an Eigen
// decomposition costs seconds of build time, so only eigen_*.h and eigen_*.cc include this header.
// Callers check all extents. Eigen's own checks are off; in their place Eigen checks the cancel
// flag of the step (eigen_stop.h).
#define EIGEN_NO_DEBUG
#include "ops/linalg/eigen_stop.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "ops/linalg/eigen_algebra.h"

namespace tensh::ops::dense {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

template <class T>
Matrix<T> Read(const T* a, int64_t m, int64_t n) {
  Matrix<T> out(m, n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) out(i, j) = a[i * n + j];
  return out;
}

// Reads a square matrix or its adjoint.
template <class T>
Matrix<T> ReadSquare(const T* a, int64_t n, bool adjoint) {
  Matrix<T> out(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) out(i, j) = adjoint ? Conjugate(a[j * n + i]) : a[i * n + j];
  return out;
}

template <class T>
void Write(const Matrix<T>& a, T* out) {
  for (int64_t i = 0; i < a.rows(); ++i)
    for (int64_t j = 0; j < a.cols(); ++j) *out++ = a(i, j);
}

template <class T>
Matrix<T> Identity(int64_t m, int64_t n) {
  return Matrix<T>::Identity(m, n);
}

}  // namespace tensh::ops::dense
