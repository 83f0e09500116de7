#pragma once
// The decompositions behind matrix_algebra.h, computed by Eigen in double precision. The arguments
// are the same as there. Instances: double and Complex128. Matrices of float and complex64 are
// converted (matrix_algebra.cc), because every further Eigen instance costs seconds of build time.
#include <cstdint>

#include "ops/support/complex_types.h"

namespace tensh::ops::dense {

// eigen_lu.h
template <class T>
bool Inverse(int64_t n, const T* a, bool adjoint, T* out);
template <class T>
T Determinant(int64_t n, const T* a);
template <class T>
void LogDeterminant(int64_t n, const T* a, T* sign, T* log);
template <class T>
bool Solve(int64_t n, int64_t k, const T* a, bool adjoint, const T* b, T* x);
template <class T>
bool LuDecompose(int64_t n, const T* a, T* lu, int64_t* order);

// eigen_cholesky.h
template <class T>
bool Cholesky(int64_t n, const T* a, T* out);
// Least squares by the normal equations.
template <class T>
bool NormalEquations(int64_t m, int64_t n, int64_t k, const T* a, const T* b, double l2, T* x);

// eigen_qr.h
template <class T>
void QrDecompose(int64_t m, int64_t n, const T* a, bool full, T* q, T* r);

// eigen_orthogonal.h: least squares by a complete orthogonal decomposition.
template <class T>
void OrthogonalLeastSquares(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* x);

// eigen_svd.h
template <class T>
bool SvdDecompose(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v);

// eigen_symmetric.h
template <class T>
bool SelfAdjointEig(int64_t n, const T* a, T* values, T* vectors);

// Computed from a Schur form (eigen_complex.cc). Return false if none was found.
bool SquareRoot(int64_t n, const Complex128* a, Complex128* out);
bool Logarithm(int64_t n, const Complex128* a, Complex128* out);

}  // namespace tensh::ops::dense
