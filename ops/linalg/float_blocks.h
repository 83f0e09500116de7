#pragma once
// Decompositions of large matrices of floats.
//
// A matrix is divided in two until its parts are small, so that nearly all of the work is in matrix products,
// which are those of convolutions (tiles.h). They compute in float, as TensorFlow does; matrices of fewer
// than kBlockedFrom rows, or kSvdFrom rows or columns, are decomposed in double by Eigen (eigen_algebra.h). All functions check for
// cancellation. The arguments are those of matrix_algebra.h; the last bits of a result depend on the CPU.
#include <cstdint>

namespace tensh::ops::blocked {

inline constexpr int64_t kBlockedFrom = 48;
inline constexpr int64_t kSvdFrom = 16;

bool Cholesky(int64_t n, const float* a, float* out);
bool LuDecompose(int64_t n, const float* a, float* lu, int64_t* order);
// Returns false if a is singular.
bool Solve(int64_t n, int64_t k, const float* a, bool adjoint, const float* b, float* x);
bool Inverse(int64_t n, const float* a, bool adjoint, float* out);
// The diagonal must not contain zeros.
void TriangularSolve(int64_t n, int64_t k, const float* a, bool lower, bool adjoint, const float* b,
                     float* x);
void QrDecompose(int64_t m, int64_t n, const float* a, bool full, float* q, float* r);
// Null outputs of vectors are not computed. Return false if an element is not finite.
bool SelfAdjointEig(int64_t n, const float* a, float* values, float* vectors);
bool SvdDecompose(int64_t m, int64_t n, const float* a, bool full, float* s, float* u, float* v);

}  // namespace tensh::ops::blocked
