#pragma once
// The inner loops of the product of double matrices, compiled for each instruction set of x86-64.
#include <cstdint>

namespace tensh::ops {

// c[i * ldc + j] = the sum over p < k of a[i * row_a + p * col_a] * b[p * row_b + j * col_b].
struct StridedProduct {
  const double *a, *b;
  double* c;
  int64_t m, n, k;  // at least 1
  int64_t row_a, col_a, row_b, col_b, ldc;
};

// Multiplications and additions are one instruction where the CPU has one, so the last bits depend on the CPU.
void MultiplyTiles(const StridedProduct& s);

}  // namespace tensh::ops
