#pragma once
// LU decompositions with row exchange, and the results derived from them: inverses, determinants
// and the solutions of systems.
#include <algorithm>
#include <cmath>

#include "ops/linalg/eigen_matrix.h"

namespace tensh::ops::dense {

template <class T>
using Lu = Eigen::PartialPivLU<Matrix<T>>;

template <class T>
bool Invertible(const Lu<T>& lu) {
  for (int64_t i = 0; i < lu.matrixLU().rows(); ++i)
    if (!(std::abs(lu.matrixLU()(i, i)) > 0)) return false;
  return true;
}

// Solves a large system in bands of columns, because Eigen does not check for cancellation while it
// solves.
template <class T>
Matrix<T> SolveBands(const Lu<T>& lu, const Matrix<T>& b) {
  constexpr int64_t kLarge = 1000, kBand = 64;
  if (b.rows() < kLarge) return lu.solve(b);
  Matrix<T> x(b.rows(), b.cols());
  for (int64_t j = 0; j < b.cols(); j += kBand) {
    StopIfCancelled();
    const int64_t columns = std::min(kBand, b.cols() - j);
    const Matrix<T> band = b.middleCols(j, columns);
    x.middleCols(j, columns) = lu.solve(band);
  }
  return x;
}

template <class T>
bool Inverse(int64_t n, const T* a, bool adjoint, T* out) {
  if (n == 0) return true;
  const Lu<T> lu(ReadSquare(a, n, adjoint));
  if (!Invertible(lu)) return false;
  Write(SolveBands(lu, Identity<T>(n, n)), out);
  return true;
}

template <class T>
T Determinant(int64_t n, const T* a) {
  if (n == 0) return T{1};
  const Lu<T> lu(Read(a, n, n));
  T product(static_cast<double>(lu.permutationP().determinant()));
  for (int64_t i = 0; i < n; ++i) product *= lu.matrixLU()(i, i);
  return product;
}

template <class T>
void LogDeterminant(int64_t n, const T* a, T* sign, T* log) {
  *sign = T{1};
  *log = T{0};
  if (n == 0) return;
  const Lu<T> lu(Read(a, n, n));
  *sign = T(static_cast<double>(lu.permutationP().determinant()));
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T d = lu.matrixLU()(i, i);
    const double size = std::abs(d);
    *sign *= size > 0 ? d / size : d;
    sum += std::log(size);
  }
  *log = T(sum);
}

template <class T>
bool Solve(int64_t n, int64_t k, const T* a, bool adjoint, const T* b, T* x) {
  if (n == 0 || k == 0) return true;
  const Lu<T> lu(ReadSquare(a, n, adjoint));
  if (!Invertible(lu)) return false;
  Write(SolveBands(lu, Read(b, n, k)), x);
  return true;
}

template <class T>
bool LuDecompose(int64_t n, const T* a, T* lu, int64_t* order) {
  if (n == 0) return true;
  const Lu<T> factors(Read(a, n, n));
  Write<T>(factors.matrixLU(), lu);
  for (int64_t i = 0; i < n; ++i) order[factors.permutationP().indices()(i)] = i;
  return Invertible(factors);
}

}  // namespace tensh::ops::dense
