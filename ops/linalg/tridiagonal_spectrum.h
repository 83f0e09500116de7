// Eigenvalues and eigenvectors of symmetric tridiagonal matrices, by divide and conquer.
#pragma once

#include <cstdint>
#include <vector>

namespace tensh::ops::blocked {

// `values` is in ascending order. All numbers that decide about the values are doubles, so their error is that of doubles,
// relative to the largest one. The vectors are floats, because they only take part in products.
struct Spectrum {
  std::vector<double> values;
  std::vector<double> first, last;  // the first and the last element of each eigenvector
  std::vector<float> vectors;       // each row is an eigenvector; empty if none were requested
};

// Decomposes the matrix with these finite elements on the diagonal and beside it. Checks for cancellation.
Spectrum TridiagonalSpectrum(std::vector<double> diagonal, const std::vector<double>& beside,
                             bool vectors);

}  // namespace tensh::ops::blocked
