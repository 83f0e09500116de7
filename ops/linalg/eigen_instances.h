#pragma once
// All decompositions of eigen_algebra.h for one element type, in one translation unit: they share
// most of Eigen's code (products, triangular systems, reflections), which a file for each of them
// would compile again.
//
// TENSH_EIGEN_INSTANCES(T) instantiates them.
#include "ops/linalg/eigen_cholesky.h"
#include "ops/linalg/eigen_lu.h"
#include "ops/linalg/eigen_orthogonal.h"
#include "ops/linalg/eigen_qr.h"
#include "ops/linalg/eigen_svd.h"
#include "ops/linalg/eigen_symmetric.h"

#define TENSH_EIGEN_INSTANCES(T)                                                            \
  template bool Cholesky(int64_t, const T*, T*);                                            \
  template bool NormalEquations(int64_t, int64_t, int64_t, const T*, const T*, double, T*); \
  template bool Inverse(int64_t, const T*, bool, T*);                                       \
  template T Determinant(int64_t, const T*);                                                \
  template void LogDeterminant(int64_t, const T*, T*, T*);                                  \
  template bool Solve(int64_t, int64_t, const T*, bool, const T*, T*);                      \
  template bool LuDecompose(int64_t, const T*, T*, int64_t*);                               \
  template void OrthogonalLeastSquares(int64_t, int64_t, int64_t, const T*, const T*, T*);  \
  template void QrDecompose(int64_t, int64_t, const T*, bool, T*, T*);                      \
  template bool SvdDecompose(int64_t, int64_t, const T*, bool, T*, T*, T*);                 \
  template bool SelfAdjointEig(int64_t, const T*, T*, T*)
