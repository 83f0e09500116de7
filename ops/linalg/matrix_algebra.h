#pragma once
// Dense linear algebra on one row-major matrix at a time.
//
// Plain functions that hide Eigen, so that its expensive headers are included in few files.
// Instances: float, double and both complex types, except that CholeskyBackward is real. Outputs
// must not overlap inputs. Unless stated otherwise, false means that the matrix has no such
// decomposition.
#include <cstdint>

namespace tensh::ops {

template <class T>
bool Inverse(int64_t n, const T* a, bool adjoint, T* out);  // false if singular
template <class T>
T Determinant(int64_t n, const T* a);
template <class T>
void LogDeterminant(int64_t n, const T* a, T* sign, T* log);
// `lu` holds the strictly lower triangle of L, whose diagonal is 1, and the upper triangle U. Row i
// of L * U is row order[i] of a. Returns false if a is singular.
template <class T>
bool LuDecompose(int64_t n, const T* a, T* lu, int64_t* order);
// Computes the lower factor; reads only the lower triangle. Returns false if a is not positive
// definite.
template <class T>
bool Cholesky(int64_t n, const T* a, T* out);
// Computes the gradient of Cholesky, which is symmetric, from the factor and the factor's gradient.
template <class T>
void CholeskyBackward(int64_t n, const T* l, const T* grad, T* out);
// Computes a [m, n] = q * r. If `full` is set, q is [m, m], otherwise [m, min(m, n)].
template <class T>
void QrDecompose(int64_t m, int64_t n, const T* a, bool full, T* q, T* r);
// Computes a [m, n] = u * diag(s) * v^T with s in descending order. u and v may be null.
template <class T>
bool SvdDecompose(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v);
// Computes the eigenvalues in ascending order and, unless `vectors` is null, the eigenvectors as
// its columns. Reads only the lower triangle.
template <class T>
bool SelfAdjointEig(int64_t n, const T* a, T* values, T* vectors);
// Solve op(a) * x = b for x [n, k], where op takes the adjoint on request. Return false if a is
// singular.
template <class T>
bool Solve(int64_t n, int64_t k, const T* a, bool adjoint, const T* b, T* x);
template <class T>
bool TriangularSolve(int64_t n, int64_t k, const T* a, bool lower, bool adjoint, const T* b, T* x);
// Compute the principal square root and logarithm. If a real matrix has no real result, the result
// is NaN. Return false if no Schur form was found.
template <class T>
bool SquareRoot(int64_t n, const T* a, T* out);
template <class T>
bool Logarithm(int64_t n, const T* a, T* out);
// Least squares: computes x [n, k] that minimizes |a x - b| for a [m, n] and b [m, k]. Uses the
// normal equations if `fast` is set, otherwise a complete orthogonal decomposition. Returns false
// if the normal equations are singular.
template <class T>
bool LeastSquares(int64_t m, int64_t n, int64_t k, const T* a, const T* b, double l2, bool fast,
                  T* x);

}  // namespace tensh::ops
