#pragma once
// The decompositions behind linalg.h, in double precision: of real matrices by Eigen (linalg_lu.cc,
// linalg_svd.cc), of complex ones by loops of our own (linalg_complex.cc), because each of Eigen's
// instances costs seconds of build time. Arguments as there.
#include <cstdint>

#include "ops/support/complex.h"

namespace tensh::ops::dense {

#define TENSH_DENSE(T)                                                                             \
  bool Inverse(int64_t n, const T* a, bool adjoint, T* out);                                       \
  T Determinant(int64_t n, const T* a);                                                            \
  void LogDeterminant(int64_t n, const T* a, T* sign, T* log);                                     \
  bool Solve(int64_t n, int64_t k, const T* a, bool adjoint, const T* b, T* x);                    \
  bool LuDecompose(int64_t n, const T* a, T* lu, int64_t* order);                                  \
  bool Cholesky(int64_t n, const T* a, T* out);                                                    \
  void QrDecompose(int64_t m, int64_t n, const T* a, bool full, T* q, T* r);                       \
  bool SvdDecompose(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v);                \
  bool SelfAdjointEig(int64_t n, const T* a, T* values, T* vectors);                               \
  bool LeastSquares(int64_t m, int64_t n, int64_t k, const T* a, const T* b, double l2, bool fast, \
                    T* x);
TENSH_DENSE(double)
TENSH_DENSE(Complex128)
#undef TENSH_DENSE

// By a Schur form (linalg_schur.cc). False: there is none.
bool SquareRoot(int64_t n, const Complex128* a, Complex128* out);
bool Logarithm(int64_t n, const Complex128* a, Complex128* out);

}  // namespace tensh::ops::dense
