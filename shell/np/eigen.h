// Eigenvalues and eigenvectors of small dense matrices, by the algorithms that LAPACK (under numpy)
// uses, so that order and signs are those a script's author saw. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace tensh::shell::np {

// n x n, by rows. Indices count from 1, as in the literature.
class SquareOf {
 public:
  explicit SquareOf(int64_t n) : n_(n), v_(static_cast<size_t>(n * n)) {}
  int64_t n() const { return n_; }
  double& operator()(int64_t i, int64_t j) { return v_[static_cast<size_t>((i - 1) * n_ + j - 1)]; }
  double operator()(int64_t i, int64_t j) const {
    return v_[static_cast<size_t>((i - 1) * n_ + j - 1)];
  }
  void SetIdentity();
  void SwapRows(int64_t i, int64_t j, int64_t first, int64_t last);     // of these columns
  void SwapColumns(int64_t i, int64_t j, int64_t first, int64_t last);  // of these rows

 private:
  int64_t n_;
  std::vector<double> v_;
};

// x with H = 1 - tau (1, x)(1, x)' that takes (alpha, x) to (alpha', 0). Answers tau.
double Reflector(double* alpha, std::vector<double>* x);
// Plane rotation that takes (f, g) to (r, 0).
struct Rotation {
  double c, s, r;
};
Rotation Rotate(double f, double g);

// Of a symmetric matrix, its lower triangle read: values ascending, `a` becomes the vectors, by
// columns. False when it does not converge.
bool SymmetricEigen(SquareOf* a, std::vector<double>* values);

// Of any real matrix. A complex pair takes two columns of `vectors`: real and imaginary part of the
// first one's vector.
bool GeneralEigen(SquareOf a, std::vector<double>* real, std::vector<double>* imaginary,
                  SquareOf* vectors);

}  // namespace tensh::shell::np
