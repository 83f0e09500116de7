// The decompositions of complex matrices, and functions of matrices by the Schur form, which is a
// triangular matrix in another basis. Eigen computes the form; the rest is loops over triangles,
// after Higham, Functions of Matrices.
#include "ops/linalg/eigen_instances.h"

#include <algorithm>
#include <cmath>

namespace tensh::ops::dense {

TENSH_EIGEN_INSTANCES(Complex128);

namespace {

using C = Complex128;

// A Schur form: a = u * t * u^H.
struct Schur {
  Matrix<C> t, u;
  bool found = false;

  Schur(int64_t n, const C* a) : t(n, n) {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        t(i, j) = a[i * n + j];
        if (!std::isfinite(t(i, j).real()) || !std::isfinite(t(i, j).imag())) return;
      }
    const Eigen::ComplexSchur<Matrix<C>> schur(t);
    found = schur.info() == Eigen::Success;
    if (!found) return;
    t = schur.matrixT();
    u = schur.matrixU();
  }
};

Matrix<C> RootOfTriangle(const Matrix<C>& t) {
  const int64_t n = t.rows();
  Matrix<C> r = Matrix<C>::Zero(n, n);
  for (int64_t j = 0; j < n; ++j) {
    StopIfCancelled();
    r(j, j) = std::sqrt(t(j, j));
    for (int64_t i = j; i-- > 0;) {
      C sum = t(i, j);
      for (int64_t k = i + 1; k < j; ++k) sum -= r(i, k) * r(k, j);
      r(i, j) = sum == C(0) ? C(0) : sum / (r(i, i) + r(j, j));
    }
  }
  return r;
}

double LargestColumnSum(const Matrix<C>& a) {
  double most = 0;
  for (int64_t j = 0; j < a.cols(); ++j) {
    double sum = 0;
    for (int64_t i = 0; i < a.rows(); ++i) sum += std::abs(a(i, j));
    most = std::max(most, sum);
  }
  return most;
}

// Returns x * (I + p x)^-1 for an upper triangular x.
Matrix<C> Quotient(const Matrix<C>& x, double p) {
  const int64_t n = x.rows();
  Matrix<C> y = Matrix<C>::Zero(n, n);
  for (int64_t j = 0; j < n; ++j) {
    StopIfCancelled();
    for (int64_t i = 0; i <= j; ++i) {
      C sum = x(i, j);
      for (int64_t k = i; k < j; ++k) sum -= y(i, k) * p * x(k, j);
      y(i, j) = sum / (C(1) + p * x(j, j));
    }
  }
  return y;
}

// Returns the logarithm of a triangular matrix by inverse scaling and squaring. Square roots are
// taken until the matrix is near I; then a rational approximation is used: seven-point Gauss
// quadrature of the integral of x / (1 + p x) over p in [0, 1], accurate to the last digit there.
Matrix<C> LogOfTriangle(Matrix<C> t) {
  constexpr double kNear = 0.264, kMostRoots = 200;
  constexpr double kPoints[] = {0, 0.4058451513773972, 0.7415311855993945, 0.9491079123427585};
  constexpr double kWeights[] = {0.4179591836734694, 0.3818300505051189, 0.2797053914892766,
                                 0.1294849661688697};
  const int64_t n = t.rows();
  double scale = 1;
  for (int i = 0; i < kMostRoots; ++i, scale *= 2) {
    if (LargestColumnSum(t - Matrix<C>::Identity(n, n)) < kNear) break;
    t = RootOfTriangle(t);
  }
  const Matrix<C> x = t - Matrix<C>::Identity(n, n);
  Matrix<C> sum = Matrix<C>::Zero(n, n);
  for (int i = 0; i < 4; ++i)
    for (double sign : {1., -1.})
      if (i > 0 || sign > 0) sum += (kWeights[i] / 2) * Quotient(x, (1 + sign * kPoints[i]) / 2);
  return scale * sum;
}

}  // namespace

bool SquareRoot(int64_t n, const C* a, C* out) {
  if (n == 0) return true;
  const Schur s(n, a);
  if (s.found) Write<C>(s.u * RootOfTriangle(s.t) * s.u.adjoint(), out);
  return s.found;
}

bool Logarithm(int64_t n, const C* a, C* out) {
  if (n == 0) return true;
  const Schur s(n, a);
  if (s.found) Write<C>(s.u * LogOfTriangle(s.t) * s.u.adjoint(), out);
  return s.found;
}

}  // namespace tensh::ops::dense
