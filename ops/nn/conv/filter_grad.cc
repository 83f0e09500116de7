// ConvolveFilterGrad of floats: the gradient of a convolution for its filter: the product of the transposed matrix of windows and
// dy. A task computes some rows of it and some of its columns, over all windows, so that no two tasks
// write the same element and the order of a sum does not depend on the threads.
#include <algorithm>
#include <span>

#include "ops/math/matmul/gemm.h"
#include "ops/nn/conv/conv_gemm.h"
#include "ops/nn/conv/patches.h"
#include "ops/nn/conv/winograd.h"
#include "ops/support/tiles/scratch.h"
#include "ops/support/tiles/tiles.h"

namespace tensh::ops {
namespace {

constexpr int64_t kTaskRows = 16 * kTileRows;
// Windows that are multiplied at once, at most; the tile is then stored. Their dy fits in the L1 cache, from
// which all tiles of a task read it.
constexpr int64_t kPixels = 64;

// The part of a line of a window, or of one tap of it, that belongs to the rows of a task: elements
// [begin, end), of which `rows` from first on are rows `to` and following. It has as many elements as
// a tile has rows, if the line or the tap has. `tap` is -1 for a part of a line.
struct Piece {
  int64_t plane, row, tap, begin, end, first, rows, to;
  int64_t size() const { return end - begin; }
};

// Windows in one row of the images. `first` is the number of the first one among those of a block.
struct RowPart {
  Patches::Position at;
  int64_t first, count;
};

class FilterGrad {
 public:
  FilterGrad(const ConvDims& d, int threads, const float* in, const float* dy, float* df)
      : patches_{.planes = d.planes,
                 .rows = d.rows,
                 .columns = d.columns,
                 .channels = d.filter_channels,
                 .pixel = d.in_channels,
                 .in = in},
        loops_(TileLoopsFor(std::max<int64_t>(d.out_channels, 8))),
        pixels_(d.batch * d.positions()),
        n_(d.out_channels),
        dy_(dy),
        df_(df) {
    by_tap_ = TapsAreFaster();
    const int64_t vectors = (n_ + loops_.lanes - 1) / loops_.lanes;
    columns_ = (vectors + loops_.max_vectors - 1) / loops_.max_vectors;
    width_ = (vectors + columns_ - 1) / columns_ * loops_.lanes;
    columns_ = (n_ + width_ - 1) / width_;
    // Two tasks for each thread, if possible. The result does not depend on the number of tasks.
    const int64_t tasks = threads > 1 ? 2 * threads : 1;
    const int64_t rows = (patches_.size() * columns_ + tasks - 1) / tasks;
    rows_ = std::clamp((rows + kTileRows - 1) / kTileRows * kTileRows,
                       std::min<int64_t>(2 * kTileRows, kTaskRows), kTaskRows);
  }

  int64_t tasks() const { return (patches_.size() + rows_ - 1) / rows_ * columns_; }
  double ns() const {
    return 0.02 * static_cast<double>(pixels_) * static_cast<double>(rows_ * width_);
  }

  void Run(const KernelCtx& c, int64_t task) const {
    const int64_t row = task / columns_ * rows_, column = task % columns_ * width_;
    const int64_t rows = std::min(rows_, patches_.size() - row);
    Block block(*this, c.allocator(), column, std::min(width_, n_ - column));
    const std::vector<Piece> pieces = PiecesOf(row, row + rows);
    Patches::Position at = patches_.At(0);
    const int64_t row_pixels = patches_.columns.out;
    const int64_t most = row_pixels < kPixels ? kPixels / row_pixels * row_pixels : kPixels;
    for (int64_t p = 0; p < pixels_ && !c.cancelled(); p += most) {
      block.Begin(at, p, std::min(most, pixels_ - p));
      if (by_tap_ || (patches_.contiguous() && patches_.line() >= kTileRows))
        for (const Piece& piece : pieces) block.Add(piece, df_ + (row + piece.to) * n_ + column);
      else
        block.AddCopies(pieces, rows, df_ + row * n_ + column);
    }
  }

 private:
  // Some windows, one after another, and some columns of dy.
  class Block {
   public:
    Block(const FilterGrad& g, Allocator* allocator, int64_t column, int64_t columns)
        : g_(g),
          p_(g.patches_),
          column_(column),
          columns_(columns),
          vectors_((columns + g.loops_.lanes - 1) / g.loops_.lanes),
          inside_(p_.contiguous() ? p_.ColumnsInside() : WindowRange{0, 0}),
          whole_(columns == g.n_ && columns == vectors_ * g.loops_.lanes),
          copy_row_(g.rows_),
          copies_(allocator, kPixels * copy_row_),
          panel_(allocator, kPixels * g.width_),
          copied_dy_(allocator, kPixels * g.width_) {
      std::fill_n(copies_.get(), kPixels * copy_row_, 0.0f);
      std::fill_n(panel_.get(), kPixels * g.width_, 0.0f);
      std::fill_n(copied_dy_.get(), kPixels * g.width_, 0.0f);
    }

    // Takes `count` windows from `at` on, which moves behind them.
    void Begin(Patches::Position& at, int64_t first, int64_t count) {
      count_ = count;
      dy_ = g_.dy_ + first * g_.n_ + column_;
      dy_row_ = g_.n_;
      if (!whole_) {
        for (int64_t i = 0; i < count; ++i)
          CopyFloats(dy_ + i * g_.n_, columns_, panel_.get() + i * g_.width_);
        dy_ = panel_.get();
        dy_row_ = g_.width_;
      }
      parts_.clear();
      for (int64_t i = 0; i < count;) {
        const int64_t n = std::min(count - i, p_.columns.out - at.column);
        parts_.push_back({at, i, n});
        i += n;
        at.column += n - 1;
        p_.Next(at);
      }
    }

    // Adds the products of these windows to the rows of a piece.
    void Add(const Piece& piece, float* out) {
      runs_.clear();
      copied_ = 0;
      const WindowRange inside = piece.tap < 0 ? inside_ : TapInside(p_.columns, piece.tap);
      for (const RowPart& part : parts_)
        if (p_.LineInside(part.at, piece.plane, piece.row)) Take(piece, part, inside);
      Multiply(runs_, p_.columns.stride * p_.pixel, dy_row_, piece, out);
      const OuterRun copies{copies_.get(), copied_dy_.get(), copied_};
      if (copied_) Multiply({&copies, 1}, copy_row_, g_.width_, piece, out);
    }

    // Likewise, for all pieces of a task at once. All lines are copied.
    void AddCopies(const std::vector<Piece>& pieces, int64_t rows, float* out) {
      for (const Piece& piece : pieces)
        for (const RowPart& part : parts_) CopyAll(piece, part);
      const OuterRun all{copies_.get(), dy_, count_};
      Multiply({&all, 1}, copy_row_, dy_row_, {0, 0, -1, 0, rows, 0, rows, 0}, out);
    }

   private:
    // Copies the lines of all windows of a row.
    void CopyAll(const Piece& piece, const RowPart& part) {
      Patches::Position at = part.at;
      const bool line_inside = p_.LineInside(at, piece.plane, piece.row);
      const int64_t begin = piece.begin + piece.first, step = p_.columns.stride * p_.pixel;
      int64_t from = p_.Offset(at) + p_.LineOffset(piece.plane, piece.row) + begin;
      float* to = copies_.get() + part.first * copy_row_ + piece.to;
      for (int64_t i = 0; i < part.count; ++i, ++at.column, from += step, to += copy_row_) {
        if (!line_inside)
          std::fill_n(to, piece.rows, 0.0f);
        else if (at.column >= inside_.begin && at.column < inside_.end)
          CopyFloats(p_.in + from, piece.rows, to);
        else
          p_.CopyLine(at, piece.plane, piece.row, begin, begin + piece.rows, to);
      }
    }

    // Makes a run of the windows of a row that lie inside, and copies the lines of the others. The
    // products of a tap that lies outside are 0.
    void Take(const Piece& piece, const RowPart& part, WindowRange inside) {
      Patches::Position at = part.at;
      const int64_t end = at.column + part.count;
      const int64_t from = std::clamp(inside.begin, at.column, end);
      const int64_t to = std::clamp(inside.end, from, end);
      const int64_t tap = std::max<int64_t>(piece.tap, 0) * p_.columns.dilation * p_.pixel;
      if (piece.tap >= 0) at.column = from;
      for (; at.column < (piece.tap >= 0 ? to : end); ++at.column) {
        const float* dy = dy_ + (part.first + at.column - part.at.column) * dy_row_;
        if (at.column == from && to > from) {
          runs_.push_back(
              {p_.in + (p_.Offset(at) + p_.LineOffset(piece.plane, piece.row) + tap + piece.begin),
               dy, to - from});
          at.column = to - 1;
          continue;
        }
        p_.CopyLine(at, piece.plane, piece.row, piece.begin, piece.end,
                    copies_.get() + copied_ * copy_row_);
        CopyFloats(dy, columns_, copied_dy_.get() + copied_ * g_.width_);
        ++copied_;
      }
    }

    // The last tile of a piece begins earlier if there are fewer rows, and stores only these.
    void Multiply(std::span<const OuterRun> runs, int64_t a_row, int64_t b_row, const Piece& piece,
                  float* out) const {
      const auto outer = g_.loops_.outer[vectors_ - 1];
      for (int64_t r = 0; r < piece.rows; r += kTileRows) {
        const int64_t at = piece.first + r;
        const int64_t offset = std::max<int64_t>(0, std::min(at, piece.size() - kTileRows));
        outer({.runs = runs.data(),
               .n_runs = static_cast<int64_t>(runs.size()),
               .offset = offset,
               .a_row = a_row,
               .b_row = b_row,
               .out = out + r * g_.n_,
               .out_row = g_.n_,
               .skip = at - offset,
               .rows = std::min<int64_t>(kTileRows, piece.rows - r),
               .columns = columns_});
      }
    }

    const FilterGrad& g_;
    const Patches& p_;
    const int64_t column_, columns_, vectors_;
    const WindowRange inside_;  // the columns of windows whose lines need no copies
    const bool whole_;          // true if rows of dy need no copies
    const int64_t copy_row_;
    const Scratch<float> copies_, panel_, copied_dy_;
    const float* dy_ = nullptr;
    int64_t dy_row_ = 0, count_ = 0, copied_ = 0;
    std::vector<RowPart> parts_;
    std::vector<OuterRun> runs_;
  };

  std::vector<Piece> PiecesOf(int64_t begin, int64_t end) const {
    std::vector<Piece> pieces;
    const int64_t taps = by_tap_ ? patches_.columns.size : 1, size = patches_.line() / taps;
    for (int64_t at = begin; at < end;) {
      const int64_t index = at / size, from = at % size, n = std::min(size - from, end - at);
      const int64_t first = std::max<int64_t>(0, std::min(from, size - kTileRows));
      const int64_t start = n < kTileRows ? first : from, line = index / taps;
      const int64_t stop = std::min(size, std::max(from + n, start + kTileRows));
      pieces.push_back({line / patches_.rows.size, line % patches_.rows.size,
                        by_tap_ ? index % taps : -1, start, stop, from - start, n, at - begin});
      at += n;
    }
    return pieces;
  }

  // True if pieces of single taps, which need no copies and leave out the padding, are expected to
  // take fewer tiles than pieces of lines.
  bool TapsAreFaster() const {
    const int64_t channels = patches_.channels, taps = patches_.columns.size;
    const int64_t width = patches_.columns.out;
    if (channels < kTileRows) return false;
    if (!patches_.contiguous()) return true;
    auto tiles = [](int64_t n) { return (n + kTileRows - 1) / kTileRows; };
    int64_t by_tap = 0;
    for (int64_t j = 0; j < taps; ++j) {
      const WindowRange inside = TapInside(patches_.columns, j);
      by_tap += tiles(channels) * (inside.end - inside.begin);
    }
    const WindowRange inside = patches_.ColumnsInside();
    const int64_t copies = width - (inside.end - inside.begin);
    return by_tap < tiles(patches_.line()) * width + copies * (10 + patches_.line() / 48);
  }

  const Patches patches_;
  const TileLoops& loops_;
  const int64_t pixels_, n_;
  const float* const dy_;
  float* const df_;
  int64_t columns_, width_;  // blocks of outputs, and elements of each
  int64_t rows_;             // of a task; a multiple of kTileRows
  bool by_tap_ = false;      // pieces are parts of single taps
};

}  // namespace

template <>
Status ConvolveFilterGrad(KernelCtx& c, const ConvDims& d, const float* in, const float* dy,
                          float* df) {
  if (d.is_product()) {
    Gemm(c,
         {.transpose_a = true,
          .m = d.in_channels,
          .n = d.out_channels,
          .k = d.batch * d.positions()},
         in, dy, df);
    return {};
  }
  if (RunWinogradFilterGrad(c, d, in, dy, df)) return {};
  std::fill_n(df, d.patch() * d.out_channels, 0.0f);
  if (!d.batch || !d.positions() || !d.out_channels) return {};
  const FilterGrad grad(d, c.threads(), in, dy, df);
  c.ParallelFor(grad.tasks(), grad.ns(), [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) grad.Run(c, task);
  });
  return {};
}

}  // namespace tensh::ops
