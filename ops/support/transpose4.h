#pragma once
// The transpose of 4 x 4 elements of four bytes in registers.

namespace tensh::ops {

// Four adjacent elements. Moves keep all bits, so they may also be integers.
typedef float Four __attribute__((vector_size(16), aligned(4), may_alias));  // NOLINT

inline void Transpose4(Four (&rows)[4]) {
  const Four ab = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const Four cd = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const Four ab2 = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const Four cd2 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
}

}  // namespace tensh::ops
