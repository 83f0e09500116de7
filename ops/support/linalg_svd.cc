// Extents are checked by the callers; the assertions would double the build time.
#define EIGEN_NO_DEBUG
#include "ops/support/linalg_stop.h"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "ops/support/linalg_dense.h"

namespace tensh::ops::dense {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;

Matrix Read(const double* a, int64_t m, int64_t n) {
  Matrix out(m, n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) out(i, j) = a[i * n + j];
  return out;
}
void Write(const Matrix& a, double* out) {
  for (int64_t i = 0; i < a.rows(); ++i)
    for (int64_t j = 0; j < a.cols(); ++j) *out++ = a(i, j);
}

Matrix Identity(int64_t m, int64_t n) {
  Matrix out(m, n);
  out.setIdentity();
  return out;
}

}  // namespace

bool SvdDecompose(int64_t m, int64_t n, const double* a, bool full, double* s, double* u,
                  double* v) {
  const int64_t p = std::min(m, n);
  const int64_t pu = full ? m : p, pv = full ? n : p;
  if (p == 0) {
    if (u) Write(Identity(m, pu), u);
    if (v) Write(Identity(n, pv), v);
    return true;
  }
  for (int64_t i = 0; i < m * n; ++i)
    if (!std::isfinite(a[i])) return false;
  const unsigned options = !u     ? 0u
                           : full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                  : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::BDCSVD<Matrix> svd(Read(a, m, n), options);
  for (int64_t i = 0; i < p; ++i) s[i] = svd.singularValues()(i);
  if (u) Write(svd.matrixU(), u);
  if (v) Write(svd.matrixV(), v);
  return true;
}

bool LeastSquares(int64_t m, int64_t n, int64_t k, const double* a, const double* b, double l2,
                  bool fast, double* x) {
  if (n == 0 || k == 0) return true;
  if (m == 0) {
    std::fill_n(x, n * k, 0.0);
    return true;
  }
  const Matrix in = Read(a, m, n), rhs = Read(b, m, k), turned = in.transpose();
  if (!fast) {
    const Eigen::BDCSVD<Matrix> svd(in, Eigen::ComputeThinU | Eigen::ComputeThinV);
    Write(svd.solve(rhs), x);
    return true;
  }
  const bool tall = m >= n;
  Matrix gram = tall ? turned * in : in * turned;
  for (int64_t i = 0; i < gram.rows(); ++i) gram(i, i) += static_cast<double>(l2);
  const Eigen::LLT<Matrix> llt(gram);
  if (llt.info() != Eigen::Success) return false;
  Matrix out;
  if (tall)
    out = llt.solve(Matrix(turned * rhs));
  else
    out = turned * llt.solve(rhs);
  Write(out, x);
  return true;
}

}  // namespace tensh::ops::dense
