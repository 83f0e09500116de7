#include "ops/math/matmul/float_product.h"

#include <algorithm>
#include <utility>

#include "ops/support/tiles/scratch.h"
#include "ops/support/tiles/tiles.h"
#include "runtime/core/joined.h"

namespace tensh::ops {
namespace {

constexpr int64_t kDepth = 512;  // rows of b in a block
constexpr int64_t kColumnDepth =
    128;                             // likewise, if the columns of a are in few sets of the caches
constexpr int64_t kPieceRows = 768;  // rows of c that are computed with a block before the next one
constexpr int64_t kPart = 24 * 1024;  // elements of c that others take while they are in the cache
constexpr int64_t kMostDotRows = 6;   // rows of a, up to which each element of c is one dot product
constexpr int64_t kPageFloats = 1024;
constexpr double kNsPerProduct = 0.016;

class Product {
 public:
  Product(const GemmDims& d, const float* a, const float* b, float* c)
      : d_(d), a_(a), b_(b), c_(c), ldc_(d.n) {
    if (d.n == 1) {  // b is a vector: computes the transpose, which is a row
      std::swap(a_, b_);
      d_ = {.transpose_a = false, .transpose_b = !d.transpose_a, .m = 1, .n = d.m, .k = d.k};
      ldc_ = d.m;
    }
    row_a_ = d_.transpose_a ? 1 : d_.k;
    col_a_ = d_.transpose_a ? d_.m : 1;
    row_b_ = d_.transpose_b ? d_.k : d_.n;
    depth_ = col_a_ > 1 && col_a_ % kPageFloats == 0 ? kColumnDepth : kDepth;
  }

  // True if both products add in the same order.
  bool AddsLike(const Product& other) const {
    return IsRow() == other.IsRow() && IsDots() == other.IsDots() &&
           (depth_ == other.depth_ || d_.k <= std::min(depth_, other.depth_));
  }

  void Run(KernelCtx& ctx, const Tensor* output) const {
    if (IsRow()) return ByColumns(ctx, &Product::Row);
    if (IsDots()) return ByColumns(ctx, &Product::DotProducts);
    if (d_.m < d_.n) return ByColumns(ctx, &Product::AllRows);
    // Pieces are whole tiles, so that the last rows of a piece waste nothing.
    PartsRunner* const taker = output ? TakerOf(ctx, *output) : nullptr;
    const int64_t tiles = (d_.m + kTileRows - 1) / kTileRows;
    const int64_t part =
        taker ? std::clamp<int64_t>(kPart / d_.n, 4 * kTileRows, kPieceRows) : kPieceRows;
    const double ns =
        kNsPerProduct * static_cast<double>(kTileRows * d_.n) * static_cast<double>(d_.k);
    ctx.ParallelForAll(tiles, ns, [&](int64_t begin, int64_t end) {
      const int64_t last = std::min(end * kTileRows, d_.m), step = part / kTileRows * kTileRows;
      const Worker worker(*this, ctx);
      for (int64_t i = begin * kTileRows; i < last && !ctx.cancelled(); i += step) {
        const int64_t stop = std::min(i + step, last);
        Tiles(worker, i, stop, 0, d_.n);
        if (taker) taker->Finished(i * d_.n, stop * d_.n);
      }
    });
  }

 private:
  bool IsRow() const { return d_.m == 1 && !d_.transpose_b; }
  bool IsDots() const {
    return d_.m <= kMostDotRows && d_.transpose_b && !d_.transpose_a && d_.n >= kDots;
  }

  // The loops for a product, and the memory of one thread for a part of b.
  struct Worker {
    Worker(const Product& p, KernelCtx& c)
        : ctx(c),
          loops(TileLoopsFor(std::max<int64_t>(p.d_.n, 8))),
          memory(c.allocator(), std::min(p.depth_, p.d_.k) * loops.lanes * loops.max_vectors) {}

    KernelCtx& ctx;
    const TileLoops& loops;
    const Scratch<float> memory;
  };

  // Calls a function for ranges of columns, which begin at whole vectors.
  void ByColumns(KernelCtx& ctx, void (Product::*run)(KernelCtx&, int64_t, int64_t) const) const {
    const int64_t unit = BestTileLoops().lanes;
    const double ns = kNsPerProduct * static_cast<double>(d_.m * unit) * static_cast<double>(d_.k);
    ctx.ParallelForAll((d_.n + unit - 1) / unit,
                       std::max(ns, 0.1 * static_cast<double>(unit * d_.k)),
                       [&](int64_t begin, int64_t end) {
                         (this->*run)(ctx, begin * unit, std::min(end * unit, d_.n));
                       });
  }

  void Row(KernelCtx& ctx, int64_t begin, int64_t end) const {
    std::fill(c_ + begin, c_ + end, 0.0f);
    const int64_t most = std::max<int64_t>(8, (int64_t{1} << 24) / (end - begin) / 8 * 8);
    for (int64_t k = 0; k < d_.k && !ctx.cancelled(); k += most)
      BestTileLoops().row({.in = a_ + k * col_a_,
                           .in_step = col_a_,
                           .depth = std::min(most, d_.k - k),
                           .b = b_ + k * row_b_ + begin,
                           .b_row = row_b_,
                           .columns = end - begin,
                           .out = c_ + begin});
  }

  void DotProducts(KernelCtx& ctx, int64_t begin, int64_t end) const {
    const TileLoops& loops = BestTileLoops();
    for (int64_t j = begin; j < end && !ctx.cancelled(); j += kDots) {
      const int64_t n = std::min<int64_t>(kDots, end - j);
      const float* b[kDots];
      for (int64_t i = 0; i < kDots; ++i) b[i] = b_ + (j + std::min(i, n - 1)) * row_b_;
      for (int64_t i = 0; i < d_.m; i += 4) {
        const int64_t rows = std::min<int64_t>(4, d_.m - i);
        float out[4 * kDots];
        loops.dots[rows - 1]({.in = a_ + i * row_a_,
                              .in_row = row_a_,
                              .depth = d_.k,
                              .b = {b[0], b[1], b[2], b[3]},
                              .out = out,
                              .out_row = kDots});
        for (int64_t r = 0; r < rows; ++r) std::copy_n(out + r * kDots, n, c_ + (i + r) * ldc_ + j);
      }
    }
  }

  void AllRows(KernelCtx& ctx, int64_t begin, int64_t end) const {
    const Worker worker(*this, ctx);
    for (int64_t i = 0; i < d_.m && !ctx.cancelled(); i += kPieceRows)
      Tiles(worker, i, std::min(i + kPieceRows, d_.m), begin, end);
  }

  // Rows of b that are a multiple of a page apart share few sets of the caches.
  bool PacksAll(int64_t rows) const {
    return d_.transpose_b || (row_b_ % kPageFloats == 0 && rows > 32 * kTileRows);
  }

  const float* Pack(const Worker& worker, int64_t k, int64_t depth, int64_t column, int64_t columns,
                    int64_t width) const {
    float* to = worker.memory.get();
    if (d_.transpose_b) {
      PackTransposed(b_ + column * row_b_ + k, row_b_, depth, columns, width, to);
      return to;
    }
    const float* from = b_ + k * row_b_ + column;
    for (int64_t p = 0; p < depth; ++p, from += row_b_, to += width) {
      std::copy_n(from, columns, to);
      std::fill_n(to + columns, width - columns, 0.0f);
    }
    return worker.memory.get();
  }

  // Computes rows [first_row, end_row) of columns [begin, end).
  void Tiles(const Worker& worker, int64_t first_row, int64_t end_row, int64_t begin,
             int64_t end) const {
    const int64_t lanes = worker.loops.lanes, vectors = (end - begin + lanes - 1) / lanes;
    const int64_t blocks = (vectors + worker.loops.max_vectors - 1) / worker.loops.max_vectors;
    const int64_t width = (vectors + blocks - 1) / blocks * lanes;
    const bool pack = PacksAll(end_row - first_row);
    for (int64_t k = 0; k < d_.k && !worker.ctx.cancelled(); k += depth_) {
      const int64_t depth = std::min(depth_, d_.k - k);
      for (int64_t j = begin; j < end; j += width) {
        const int64_t columns = std::min(width, end - j);
        const int64_t filled = (columns + lanes - 1) / lanes * lanes;
        const float* from = b_ + k * row_b_ + j;
        const float* ahead = j + width < end ? from + width : b_ + (k + depth) * row_b_ + begin;
        if (pack || columns < filled) {
          from = Pack(worker, k, depth, j, columns, filled);
          Multiply(worker.loops, first_row, end_row, k, depth, j, columns, from, filled, from);
        } else {
          Multiply(worker.loops, first_row, end_row, k, depth, j, columns, from, row_b_, ahead);
        }
      }
    }
  }

  void Multiply(const TileLoops& loops, int64_t first_row, int64_t end_row, int64_t k,
                int64_t depth, int64_t column, int64_t columns, const float* panel,
                int64_t panel_row, const float* ahead) const {
    const int64_t start = 0, vectors = (columns + loops.lanes - 1) / loops.lanes;
    const float* in[kTileRows] = {};
    float* out[kTileRows] = {};
    for (int64_t i = first_row; i < end_row; i += kTileRows) {
      const int64_t rows = std::min<int64_t>(kTileRows, end_row - i);
      for (int64_t r = 0; r < rows; ++r) {
        in[r] = a_ + (i + r) * row_a_ + k * col_a_;
        out[r] = c_ + (i + r) * ldc_;
      }
      // Each of the first tiles fetches another line of the rows that follow.
      const int64_t line = (i - first_row) / kTileRows % 4 * 16;
      loops.Multiply(rows, vectors,
                     {.in = in,
                      .lengths = &depth,
                      .starts = &start,
                      .segments = 1,
                      .in_step = col_a_,
                      .filter = panel,
                      .filter_row = panel_row,
                      .ahead = ahead + line,
                      .out = out,
                      .first = column,
                      .columns = columns,
                      .add = k > 0});
    }
  }

  GemmDims d_;
  const float *a_, *b_;
  float* const c_;
  int64_t ldc_, row_a_ = 0, col_a_ = 0, row_b_ = 0, depth_ = kDepth;
};

// Copies the transpose of a matrix of this size.
void CopyTransposed(const float* from, int64_t rows, int64_t columns, float* to) {
  PackTransposed(from, columns, columns, rows, rows, to);
}

}  // namespace

void FloatProduct(KernelCtx& ctx, const GemmDims& dims, const float* a, const float* b, float* c,
                  const Tensor* output) {
  const Product product(dims, a, b, c);
  GemmDims node = dims;  // with the flags of the node
  node.transpose_a = dims.transpose_a != dims.is_input_a;
  node.transpose_b = dims.transpose_b != dims.is_input_b;
  if (product.AddsLike(Product(node, a, b, c))) return product.Run(ctx, output);
  const Scratch<float> copy_a(ctx.allocator(), dims.is_input_a ? dims.m * dims.k : 1),
      copy_b(ctx.allocator(), dims.is_input_b ? dims.k * dims.n : 1);
  const bool ta = dims.transpose_a, tb = dims.transpose_b;
  if (dims.is_input_a) CopyTransposed(a, ta ? dims.k : dims.m, ta ? dims.m : dims.k, copy_a.get());
  if (dims.is_input_b) CopyTransposed(b, tb ? dims.n : dims.k, tb ? dims.k : dims.n, copy_b.get());
  Product(node, dims.is_input_a ? copy_a.get() : a, dims.is_input_b ? copy_b.get() : b, c)
      .Run(ctx, output);
}

}  // namespace tensh::ops
