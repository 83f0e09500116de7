// Extents are checked by the callers; the assertions would double the build time.
#define EIGEN_NO_DEBUG
#include "ops/support/linalg_stop.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
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

// The matrix, or its transpose: reading it the other way round is the same.
Matrix ReadSquare(const double* a, int64_t n, bool transpose) {
  Matrix out(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) out(i, j) = transpose ? a[j * n + i] : a[i * n + j];
  return out;
}

bool Invertible(const Eigen::PartialPivLU<Matrix>& lu) {
  double least = std::abs(lu.matrixLU()(0, 0));
  for (int64_t i = 1; i < lu.matrixLU().rows(); ++i)
    least = std::min(least, std::abs(lu.matrixLU()(i, i)));
  return least > 0.0;
}

// Eigen does not look at the step while it solves: large systems go band by band.
Matrix SolveBands(const Eigen::PartialPivLU<Matrix>& lu, const Matrix& b) {
  constexpr int64_t kLarge = 1000, kBand = 64;
  if (b.rows() < kLarge) return lu.solve(b);
  Matrix x(b.rows(), b.cols());
  for (int64_t j = 0; j < b.cols(); j += kBand) {
    const int64_t columns = std::min(kBand, b.cols() - j);
    const Matrix band = b.middleCols(j, columns);
    x.middleCols(j, columns) = lu.solve(band);
  }
  return x;
}

Matrix Identity(int64_t m, int64_t n) {
  Matrix out(m, n);
  out.setIdentity();
  return out;
}

}  // namespace

bool Inverse(int64_t n, const double* a, bool adjoint, double* out) {
  if (n == 0) return true;
  const Eigen::PartialPivLU<Matrix> lu(ReadSquare(a, n, adjoint));
  if (!Invertible(lu)) return false;
  Write(SolveBands(lu, Identity(n, n)), out);
  return true;
}

void LogDeterminant(int64_t n, const double* a, double* sign, double* log) {
  *sign = 1.0;
  *log = 0.0;
  if (n == 0) return;
  const Eigen::PartialPivLU<Matrix> lu(Read(a, n, n));
  *sign = static_cast<double>(lu.permutationP().determinant());
  for (int64_t i = 0; i < n; ++i) {
    const double d = lu.matrixLU()(i, i);
    *sign *= d > 0.0 ? 1.0 : d < 0.0 ? -1.0 : d;
    *log += std::log(std::abs(d));
  }
}

double Determinant(int64_t n, const double* a) {
  if (n == 0) return 1.0;
  const Eigen::PartialPivLU<Matrix> lu(Read(a, n, n));
  double product = static_cast<double>(lu.permutationP().determinant());
  for (int64_t i = 0; i < n; ++i) product *= lu.matrixLU()(i, i);
  return product;
}

bool Solve(int64_t n, int64_t k, const double* a, bool adjoint, const double* b, double* x) {
  if (n == 0 || k == 0) return true;
  const Eigen::PartialPivLU<Matrix> lu(ReadSquare(a, n, adjoint));
  if (!Invertible(lu)) return false;
  Write(SolveBands(lu, Read(b, n, k)), x);
  return true;
}

bool LuDecompose(int64_t n, const double* a, double* lu, int64_t* order) {
  if (n == 0) return true;
  const Eigen::PartialPivLU<Matrix> factors(Read(a, n, n));
  Write(factors.matrixLU(), lu);
  for (int64_t i = 0; i < n; ++i) order[factors.permutationP().indices()(i)] = i;
  return Invertible(factors);
}

bool Cholesky(int64_t n, const double* a, double* out) {
  if (n == 0) return true;
  const Eigen::LLT<Matrix> llt(Read(a, n, n));
  if (llt.info() != Eigen::Success) return false;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = j <= i ? llt.matrixLLT()(i, j) : 0.0;
  return true;
}

void QrDecompose(int64_t m, int64_t n, const double* a, bool full, double* q, double* r) {
  const int64_t p = full ? m : std::min(m, n);
  if (m == 0 || p == 0) return;
  if (n == 0) return Write(Identity(m, p), q);
  const Eigen::HouseholderQR<Matrix> qr(Read(a, m, n));
  Matrix product = Identity(m, p);
  product.applyOnTheLeft(qr.householderQ());
  Write(product, q);
  for (int64_t i = 0; i < p; ++i)
    for (int64_t j = 0; j < n; ++j) r[i * n + j] = j >= i ? qr.matrixQR()(i, j) : 0.0;
}

bool SelfAdjointEig(int64_t n, const double* a, double* values, double* vectors) {
  if (n == 0) return true;
  const Eigen::SelfAdjointEigenSolver<Matrix> eig(
      Read(a, n, n), vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (eig.info() != Eigen::Success) return false;
  for (int64_t i = 0; i < n; ++i) values[i] = eig.eigenvalues()(i);
  if (vectors) Write(eig.eigenvectors(), vectors);
  return true;
}

}  // namespace tensh::ops::dense
