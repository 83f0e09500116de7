#include "ops/nn/norm/norm_rows.h"

#include <algorithm>

#include "ops/support/isa.h"

namespace tensh::ops {
namespace {

constexpr int64_t kBlock = 16384;  // elements of a block of rows

// Adds two terms, pair(offset of an element, channel), for all rows to first[channel] and second[channel].
// Four rows are added at once, because the next addition to an element has to wait for the last one.
struct Pair {
  float a, b;
};
TENSH_ALWAYS_INLINE Pair Sum(Pair x, Pair y) { return {x.a + y.a, x.b + y.b}; }

template <class Fn>
TENSH_ALWAYS_INLINE void AddRows(int64_t rows, int64_t n, float* first, float* second, Fn pair) {
  for (int64_t k = 0; k < n; ++k) first[k] = second[k] = 0;
  int64_t at = 0;
  for (; rows >= 4; rows -= 4, at += 4 * n) {
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = at + k;
      const Pair sum =
          Sum(Sum(pair(i, k), pair(i + n, k)), Sum(pair(i + 2 * n, k), pair(i + 3 * n, k)));
      first[k] += sum.a;
      second[k] += sum.b;
    }
  }
  for (; rows > 0; --rows, at += n) {
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k) {
      const Pair sum = pair(at + k, k);
      first[k] += sum.a;
      second[k] += sum.b;
    }
  }
}

// The mean of each channel in a block, and the sum of squared distances from it. Both follow from the
// distances to the first row of the block, so that the block is read once. The square of the distance from
// the first row to the mean is at most the sum of squares, and cancels no more digits than a sum over as
// many rows loses.
struct BlockMoments {
  TENSH_ALWAYS_INLINE static void Run(const float* x, int64_t rows, int64_t n, float* mean,
                                      float* squares) {
    AddRows(
        rows, n, mean, squares, [x](int64_t i, int64_t k) __attribute__((always_inline)) {
          const float d = x[i] - x[k];
          return Pair{d, d * d};
        });
    const float count = static_cast<float>(rows);
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k) {
      const float d = mean[k] / count, rest = squares[k] - d * mean[k];
      mean[k] = x[k] + d;
      squares[k] = rest < 0 ? 0 : rest;
    }
  }
};

struct BlockGradSums {
  TENSH_ALWAYS_INLINE static void Run(const float* x, const float* dy, const float* mean,
                                      int64_t rows, int64_t n, float* sum, float* product) {
    AddRows(
        rows, n, sum, product, [=](int64_t i, int64_t k) __attribute__((always_inline)) {
          return Pair{dy[i], dy[i] * (x[i] - mean[k])};
        });
  }
};

struct Normalize {
  TENSH_ALWAYS_INLINE static void Run(const float* x, const float* center, const float* factor,
                                      const float* offset, float* y, int64_t rows, int64_t n) {
    for (; rows > 0; --rows, x += n, y += n) {
      TENSH_VECTORIZE
      for (int64_t k = 0; k < n; ++k) y[k] = (x[k] - center[k]) * factor[k] + offset[k];
    }
  }
};

struct NormGrad {
  TENSH_ALWAYS_INLINE static void Run(const float* x, const float* dy, const NormGradVectors* v,
                                      float* dx, int64_t rows, int64_t n) {
    const float *mean = v->mean, *factor = v->factor, *shift = v->shift, *slope = v->slope;
    for (; rows > 0; --rows, x += n, dy += n, dx += n) {
      TENSH_VECTORIZE
      for (int64_t k = 0; k < n; ++k)
        dx[k] = factor[k] * (dy[k] - shift[k] - (x[k] - mean[k]) * slope[k]);
    }
  }
};

// Calls block(first row, number of rows, two vectors of channels) for blocks of rows, in parallel,
// and then merge(number of rows, the two vectors) in order.
template <class Block, class Merge>
void ForBlocks(KernelCtx& c, const RowsOf& x, double ns, Block block, Merge merge) {
  const int64_t n = x.channels, size = std::clamp<int64_t>(kBlock / n, 16, 1024);
  const int64_t blocks = (x.rows + size - 1) / size;
  std::vector<float> parts(static_cast<size_t>(blocks * 2 * n));
  auto rows_of = [&](int64_t b) { return std::min(size, x.rows - b * size); };
  c.ParallelFor(blocks, ns * static_cast<double>(size * n), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      float* part = &parts[static_cast<size_t>(b * 2 * n)];
      block(b * size, rows_of(b), part, part + n);
    }
  });
  for (int64_t b = 0; b < blocks; ++b) {
    const float* part = &parts[static_cast<size_t>(b * 2 * n)];
    merge(static_cast<double>(rows_of(b)), part, part + n);
  }
}

// Calls fn(first row, number of rows) in parallel.
template <class Fn>
void ForRows(KernelCtx& c, const RowsOf& x, double ns, Fn fn) {
  c.ParallelFor(x.rows, ns * static_cast<double>(x.channels) + 2,
                [&](int64_t begin, int64_t end) { fn(begin, end - begin); });
}

}  // namespace

void MomentsOfRows(KernelCtx& c, const RowsOf& x, double* mean, double* variance) {
  const int64_t n = x.channels;
  std::fill_n(mean, n, 0.0);
  std::fill_n(variance, n, 0.0);
  if (!x.rows || !n) return;
  double before = 0;  // rows that are merged
  ForBlocks(
      c, x, 0.2,
      [&](int64_t first, int64_t rows, float* m, float* squares) {
        Dispatch<BlockMoments>(x.x + first * n, rows, n, m, squares);
      },
      [&](double rows, const float* m, const float* squares) {
        const double all = before + rows, share = rows / all, weight = before * share;
        for (int64_t k = 0; k < n; ++k) {
          const double d = static_cast<double>(m[k]) - mean[k];
          variance[k] += static_cast<double>(squares[k]) + d * d * weight;
          mean[k] += d * share;
        }
        before = all;
      });
  for (int64_t k = 0; k < n; ++k) variance[k] /= before;
}

void GradSumsOfRows(KernelCtx& c, const RowsOf& x, const float* dy, const float* mean, double* sum,
                    double* product) {
  const int64_t n = x.channels;
  std::fill_n(sum, n, 0.0);
  std::fill_n(product, n, 0.0);
  if (!x.rows || !n) return;
  ForBlocks(
      c, x, 0.3,
      [&](int64_t first, int64_t rows, float* s, float* p) {
        Dispatch<BlockGradSums>(x.x + first * n, dy + first * n, mean, rows, n, s, p);
      },
      [&](double, const float* s, const float* p) {
        for (int64_t k = 0; k < n; ++k) {
          sum[k] += static_cast<double>(s[k]);
          product[k] += static_cast<double>(p[k]);
        }
      });
}

void NormalizeRows(KernelCtx& c, const RowsOf& x, const float* center, const float* factor,
                   const float* offset, float* y) {
  const int64_t n = x.channels;
  ForRows(c, x, 0.2, [&](int64_t first, int64_t rows) {
    Dispatch<Normalize>(x.x + first * n, center, factor, offset, y + first * n, rows, n);
  });
}

void NormGradRows(KernelCtx& c, const RowsOf& x, const float* dy, const NormGradVectors& v,
                  float* dx) {
  const int64_t n = x.channels;
  ForRows(c, x, 0.3, [&](int64_t first, int64_t rows) {
    Dispatch<NormGrad>(x.x + first * n, dy + first * n, &v, dx + first * n, rows, n);
  });
}

}  // namespace tensh::ops
