#pragma once
// Dense linear algebra on one row-major matrix at a time: plain functions in front of Eigen, whose
// headers are worth their build time in one file only. Instances: float and double. Outputs do not
// overlap inputs. False: the matrix has no such decomposition.
#include <cstdint>

namespace tensh::ops {

template <class T>
bool Inverse(int64_t n, const T* a, bool adjoint, T* out);  // false: singular
template <class T>
T Determinant(int64_t n, const T* a);
template <class T>
void LogDeterminant(int64_t n, const T* a, T* sign, T* log);
// lu: the strictly lower triangle of the lower factor, whose diagonal is 1, and the upper one; row
// i of their product is row order[i] of a. False: singular.
template <class T>
bool LuDecompose(int64_t n, const T* a, T* lu, int64_t* order);
// The lower factor; reads the lower triangle only. False: not positive definite.
template <class T>
bool Cholesky(int64_t n, const T* a, T* out);
// The gradient of Cholesky, symmetric: from the factor and the gradient of the factor.
template <class T>
void CholeskyBackward(int64_t n, const T* l, const T* grad, T* out);
// a [m, n] = q [m, m or min] * r [m or min, n].
template <class T>
void QrDecompose(int64_t m, int64_t n, const T* a, bool full, T* q, T* r);
// a [m, n] = u * diag(s) * v^T; u and v may be null. s falls.
template <class T>
bool SvdDecompose(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v);
// Eigenvalues, rising, and eigenvectors as columns (may be null); reads the lower triangle.
template <class T>
bool SelfAdjointEig(int64_t n, const T* a, T* values, T* vectors);
// x of op(a) * x = b [n, k]. False: singular.
template <class T>
bool Solve(int64_t n, int64_t k, const T* a, bool adjoint, const T* b, T* x);
template <class T>
bool TriangularSolve(int64_t n, int64_t k, const T* a, bool lower, bool adjoint, const T* b, T* x);
// The principal square root and logarithm. A real matrix without a real one gives nan. False: no
// Schur form was found.
template <class T>
bool SquareRoot(int64_t n, const T* a, T* out);
template <class T>
bool Logarithm(int64_t n, const T* a, T* out);
// Least squares: x [n, k] of a [m, n] * x = b [m, k], by the normal equations (fast) or by a
// complete orthogonal decomposition. False: the normal equations are singular.
template <class T>
bool LeastSquares(int64_t m, int64_t n, int64_t k, const T* a, const T* b, double l2, bool fast,
                  T* x);

}  // namespace tensh::ops
