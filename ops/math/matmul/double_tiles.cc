#include "ops/math/matmul/double_tiles.h"

#include <algorithm>
#include <vector>

#include "ops/support/isa.h"

namespace tensh::ops {
namespace {

// A tile of kRows rows and two vectors of `lanes` doubles stays in registers. A block of a is copied in the order in which the
// tiles read it, and stays in the second cache; a panel of b, which is as wide as a tile, stays in the first.
template <int lanes>
struct DoubleTile {
  typedef double Lanes __attribute__((vector_size(lanes * 8), aligned(8), may_alias));  // NOLINT
  static constexpr int64_t kRows = 6, kBlockRows = 40 * kRows;
  static constexpr int64_t kCols = 2 * lanes, kDepth = 2048 / kCols;

  // a: kRows elements for each of `depth` columns. Writes rows * cols elements of c.
  TENSH_ALWAYS_INLINE static void Multiply(const double* a, const Lanes* panel, int64_t depth,
                                           double* c, int64_t ldc, int64_t rows, int64_t cols,
                                           bool add) {
    Lanes sums[kRows][2] = {};
    for (int64_t p = 0; p < depth; ++p)
      for (int r = 0; r < kRows; ++r) {
        const double x = a[p * kRows + r];
        sums[r][0] += x * panel[2 * p];
        sums[r][1] += x * panel[2 * p + 1];
      }
    if (rows == kRows && cols == kCols) {
      for (int r = 0; r < kRows; ++r) {
        Lanes* to = reinterpret_cast<Lanes*>(c + r * ldc);
        to[0] = add ? to[0] + sums[r][0] : sums[r][0];
        to[1] = add ? to[1] + sums[r][1] : sums[r][1];
      }
      return;
    }
    const double* from = reinterpret_cast<const double*>(sums);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < cols; ++j)
        c[r * ldc + j] = add ? c[r * ldc + j] + from[r * kCols + j] : from[r * kCols + j];
  }

  static void CopyBlock(const StridedProduct& s, int64_t i, int64_t rows, int64_t p, int64_t depth,
                        double* to) {
    for (int64_t first = 0; first < rows; first += kRows, to += kRows * kDepth)
      for (int64_t r = 0; r < kRows; ++r)
        for (int64_t q = 0; q < depth; ++q)
          to[q * kRows + r] =
              first + r < rows ? s.a[(i + first + r) * s.row_a + (p + q) * s.col_a] : 0;
  }

  static void CopyPanel(const StridedProduct& s, int64_t p, int64_t depth, int64_t j, int64_t cols,
                        double* to) {
    const double* b = s.b + p * s.row_b + j * s.col_b;
    for (int64_t q = 0; q < depth; ++q)
      for (int64_t i = 0; i < kCols; ++i)
        to[q * kCols + i] = i < cols ? b[q * s.row_b + i * s.col_b] : 0;
  }

  TENSH_ALWAYS_INLINE static void Run(const StridedProduct& s) {
    alignas(64) double panel[kDepth * kCols];
    std::vector<double> block(static_cast<size_t>((kBlockRows + kRows) * kDepth));
    const Lanes* lines = reinterpret_cast<const Lanes*>(panel);
    for (int64_t i = 0; i < s.m; i += kBlockRows) {
      const int64_t rows = std::min(kBlockRows, s.m - i);
      for (int64_t p = 0; p < s.k; p += kDepth) {
        const int64_t depth = std::min(kDepth, s.k - p);
        CopyBlock(s, i, rows, p, depth, block.data());
        for (int64_t j = 0; j < s.n; j += kCols) {
          const int64_t cols = std::min(kCols, s.n - j);
          CopyPanel(s, p, depth, j, cols, panel);
          for (int64_t r = 0; r < rows; r += kRows)
            Multiply(block.data() + r * kDepth, lines, depth, s.c + (i + r) * s.ldc + j, s.ldc,
                     std::min(kRows, rows - r), cols, p > 0);
        }
      }
    }
  }
};

#if TENSH_ISA_VARIANTS
__attribute__((noinline, target(TENSH_TARGET_AVX512))) void TilesAvx512(const StridedProduct& s) {
  DoubleTile<8>::Run(s);
}
__attribute__((noinline, target("avx2,fma"))) void TilesAvx2(const StridedProduct& s) {
  DoubleTile<4>::Run(s);
}
#endif

}  // namespace

void MultiplyTiles(const StridedProduct& s) {
#if TENSH_ISA_VARIANTS
  if (CpuIsa() == Isa::kAvx512) return TilesAvx512(s);
  if (CpuIsa() == Isa::kAvx2) return TilesAvx2(s);
#endif
  DoubleTile<2>::Run(s);
}

}  // namespace tensh::ops
