#include "ops/math/matmul/gemm.h"

#include <algorithm>

#include "ops/math/matmul/double_tiles.h"
#include "ops/math/matmul/float_product.h"
#include "ops/support/complex_types.h"
#include "ops/support/isa.h"
#include "ops/support/tiles/scratch.h"
#include "ops/support/wrap.h"
#include "runtime/core/joined.h"

namespace tensh::ops {
namespace {

// Multiply-adds that take about 50 ms, the longest time between two checks for cancellation.
constexpr int64_t kPieceWork = 200'000'000;
constexpr int64_t kLeastLines = 64;

template <class T>
struct Operands {
  const T* a;
  const T* b;
  T* c;
  int64_t row_a, col_a, row_b, col_b;  // element strides of op(a) [m,k] and op(b) [k,n]
  int64_t ldc;
};

// ---- Blocked loops ----

template <class T>
struct Tile {
  static constexpr int kRows = 4;
  static constexpr int kCols = 128 / sizeof(T);  // fills two AVX-512 registers
  static constexpr int64_t kDepth = 256;

  // Computes acc[r][j] += a(row + r, p) * panel[p][j] for `rows` rows, at most kRows.
  template <int rows>
  TENSH_ALWAYS_INLINE static void Multiply(const Operands<T>& o, const T* a, int64_t depth,
                                           const T* panel, T* c, int64_t cols, bool add) {
    // g++ 12 reads two strided complex<float> at once and uses one: in the last iteration, the other
    // lies outside of the matrix. It does not do this to a local copy, whose stride is constant.
    constexpr bool kCopied = std::is_same_v<T, std::complex<float>>;
    T copy[kCopied ? rows * kDepth : 1];
    if constexpr (kCopied)
      for (int64_t p = 0; p < depth; ++p)
        for (int r = 0; r < rows; ++r) copy[p * rows + r] = a[r * o.row_a + p * o.col_a];
    T acc[rows][kCols] = {};
    for (int64_t p = 0; p < depth; ++p)
      for (int r = 0; r < rows; ++r) {
        const T x = kCopied ? copy[p * rows + r] : a[r * o.row_a + p * o.col_a];
        for (int j = 0; j < kCols; ++j)
          acc[r][j] = WrapAdd(acc[r][j], WrapMul(x, panel[p * kCols + j]));
      }
    for (int r = 0; r < rows; ++r)
      for (int64_t j = 0; j < cols; ++j)
        c[r * o.ldc + j] = add ? WrapAdd(c[r * o.ldc + j], acc[r][j]) : acc[r][j];
  }

  TENSH_ALWAYS_INLINE static void Run(const GemmDims* d, const Operands<T>* o) {
    alignas(64) T panel[kDepth * kCols];
    for (int64_t j = 0; j < d->n; j += kCols) {
      const int64_t cols = std::min<int64_t>(kCols, d->n - j);
      for (int64_t p = 0; p < d->k; p += kDepth) {
        const int64_t depth = std::min(kDepth, d->k - p);
        const T* b = o->b + p * o->row_b + j * o->col_b;
        for (int64_t q = 0; q < depth; ++q)
          for (int64_t i = 0; i < kCols; ++i)
            panel[q * kCols + i] = i < cols ? b[q * o->row_b + i * o->col_b] : T{0};
        int64_t i = 0;
        for (; i + kRows <= d->m; i += kRows)
          Multiply<kRows>(*o, o->a + i * o->row_a + p * o->col_a, depth, panel,
                          o->c + i * o->ldc + j, cols, p > 0);
        for (; i < d->m; ++i)
          Multiply<1>(*o, o->a + i * o->row_a + p * o->col_a, depth, panel, o->c + i * o->ldc + j,
                      cols, p > 0);
      }
    }
  }
};

template <class T>
void TinyGemm(const GemmDims& d, const Operands<T>& o) {
  for (int64_t i = 0; i < d.m; ++i)
    for (int64_t j = 0; j < d.n; ++j) {
      T sum = 0;
      for (int64_t p = 0; p < d.k; ++p)
        sum = WrapAdd(sum, WrapMul(o.a[i * o.row_a + p * o.col_a], o.b[p * o.row_b + j * o.col_b]));
      o.c[i * o.ldc + j] = sum;
    }
}

template <class T>
void OneShard(const GemmDims& d, const Operands<T>& o, bool in_tiles) {
  if constexpr (std::is_same_v<T, double>)
    if (in_tiles)
      return MultiplyTiles(
          {o.a, o.b, o.c, d.m, d.n, d.k, o.row_a, o.col_a, o.row_b, o.col_b, o.ldc});
  if (d.m * d.n * d.k <= 64) return TinyGemm(d, o);
  if constexpr (std::is_same_v<T, int32_t>)  // SSE2 has no product of them
    Dispatch<Tile<T>>(&d, &o);
  else
    DispatchFor<T, Tile<T>>(&d, &o);
}

// Multiply-adds from which on a complex product is computed as one of real matrices.
constexpr int64_t kAsRealFrom = 10 * 1024;

// Computes [re, im] of c as [re, im] of a times [[re, im], [-im, re]] of b.
template <class C>
void ComplexAsReal(KernelCtx& ctx, const GemmDims& d, const C* a, const C* b, C* c) {
  using R = typename C::value_type;
  const int64_t m = d.m, n = d.n, k = d.k;
  Scratch<R> left(ctx.allocator(), m * 2 * k), right(ctx.allocator(), 4 * k * n),
      out(ctx.allocator(), 2 * m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p) {
      const C x = d.transpose_a ? a[p * m + i] : a[i * k + p];
      left[i * 2 * k + p] = x.real();
      left[i * 2 * k + k + p] = x.imag();
    }
  for (int64_t p = 0; p < k; ++p)
    for (int64_t j = 0; j < n; ++j) {
      const C y = d.transpose_b ? b[j * k + p] : b[p * n + j];
      right[p * 2 * n + j] = right[(k + p) * 2 * n + n + j] = y.real();
      right[p * 2 * n + n + j] = y.imag();
      right[(k + p) * 2 * n + j] = -y.imag();
    }
  Gemm<R>(ctx, {.m = m, .n = 2 * n, .k = 2 * k}, left.get(), right.get(), out.get(), nullptr);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = C(out[i * 2 * n + j], out[i * 2 * n + n + j]);
}

}  // namespace

template <class T>
void Gemm(KernelCtx& ctx, const GemmDims& d, const T* a, const T* b, T* c, const Tensor* output) {
  if (d.m == 0 || d.n == 0) return;
  if (d.k == 0) {
    std::fill_n(c, d.m * d.n, T{0});
    return;
  }
  if constexpr (std::is_same_v<T, float>)
    if (d.m * d.n * d.k >= kFloatProductFrom) return FloatProduct(ctx, d, a, b, c, output);
  if constexpr (kIsComplex<T>)
    if (d.m * d.n * d.k >= kAsRealFrom) return ComplexAsReal(ctx, d, a, b, c);
  const Operands<T> all{a,
                        b,
                        c,
                        d.transpose_a ? 1 : d.k,
                        d.transpose_a ? d.m : 1,
                        d.transpose_b ? 1 : d.n,
                        d.transpose_b ? d.k : 1,
                        d.n};
  const bool in_tiles = std::is_same_v<T, double> && d.m * d.n * d.k >= kFloatProductFrom;
  // Shards are whole rows, or whole columns if the result is wider than high.
  const bool by_rows = d.m >= d.n;
  const int64_t lines = by_rows ? d.m : d.n;
  const double ns_per_line =
      0.016 * static_cast<double>(by_rows ? d.n : d.m) * static_cast<double>(d.k);
  // The number of lines between two checks for cancellation. It is not smaller because every piece
  // packs the other matrix again.
  const int64_t piece = std::max(kLeastLines, kPieceWork / d.k / (by_rows ? d.n : d.m));
  PartsRunner* const taker = output && by_rows ? TakerOf(ctx, *output) : nullptr;
  ctx.ParallelForAll(lines, ns_per_line, [&](int64_t begin, int64_t end) {
    for (; begin < end && !ctx.cancelled(); begin += piece) {
      GemmDims part = d;
      Operands<T> o = all;
      (by_rows ? part.m : part.n) = std::min(piece, end - begin);
      (by_rows ? o.a : o.b) += begin * (by_rows ? o.row_a : o.col_b);
      o.c += by_rows ? begin * o.ldc : begin;
      OneShard(part, o, in_tiles);
      if (taker) taker->Finished(begin * d.n, (begin + part.m) * d.n);
    }
  });
}

#define TENSH_GEMM(T) \
  template void Gemm(KernelCtx&, const GemmDims&, const T*, const T*, T*, const Tensor*)
TENSH_GEMM(float);
TENSH_GEMM(double);
TENSH_GEMM(int32_t);
TENSH_GEMM(int64_t);
TENSH_GEMM(uint64_t);
TENSH_GEMM(std::complex<float>);
TENSH_GEMM(std::complex<double>);
#undef TENSH_GEMM

}  // namespace tensh::ops
