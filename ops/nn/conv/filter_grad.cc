// ConvolveFilterGrad of floats: the gradient of a convolution for its filter: the product of the transposed matrix of windows and
// dy. A task computes some rows of it and some of its columns, over all windows, so that no two tasks
// write the same element and the order of a sum does not depend on the threads.
#include <algorithm>

#include "ops/nn/conv/conv_gemm.h"
#include "ops/nn/conv/patches.h"
#include "ops/nn/conv/scratch.h"
#include "ops/nn/conv/tiles.h"

namespace tensh::ops {
namespace {

constexpr int64_t kTaskRows = 16 * kTileRows;
constexpr int64_t kPixels =
    96;  // windows that are copied at once; copies and tile fit in the L1 cache

// The part of a line of a window that belongs to the rows of a task.
struct Piece {
  int64_t plane, row, begin, end, to;  // elements [begin, end) go to position `to`
};

class FilterGrad {
 public:
  FilterGrad(const ConvDims& d, const float* in, const float* dy, float* df)
      : patches_{.planes = d.planes,
                 .rows = d.rows,
                 .columns = d.columns,
                 .channels = d.filter_channels,
                 .pixel = d.in_channels,
                 .in = in},
        loops_(TileLoopsFor(std::max<int64_t>(d.out_channels, 4))),
        pixels_(d.batch * d.positions()),
        n_(d.out_channels),
        dy_(dy),
        df_(df) {
    const int64_t vectors = (n_ + loops_.lanes - 1) / loops_.lanes;
    columns_ = (vectors + loops_.max_vectors - 1) / loops_.max_vectors;
    width_ = (vectors + columns_ - 1) / columns_ * loops_.lanes;
    columns_ = (n_ + width_ - 1) / width_;
    rows_ = std::min(kTaskRows, (patches_.size() + kTileRows - 1) / kTileRows * kTileRows);
  }

  int64_t tasks() const { return (patches_.size() + rows_ - 1) / rows_ * columns_; }
  double ns() const {
    return 0.02 * static_cast<double>(pixels_) * static_cast<double>(rows_ * width_);
  }

  void Run(const KernelCtx& c, int64_t task) const {
    const int64_t row = task / columns_ * rows_, column = task % columns_ * width_;
    const int64_t rows = std::min(rows_, patches_.size() - row);
    const int64_t columns = std::min(width_, n_ - column);
    const std::vector<Piece> pieces = PiecesOf(row, row + rows);
    // Elements behind the last row are multiplied, but not stored.
    const Scratch<float> windows(c.allocator(), kPixels * rows_);
    const Scratch<float> panel(c.allocator(), kPixels * width_);
    std::fill_n(windows.get(), kPixels * rows_, 0.0f);
    std::fill_n(panel.get(), kPixels * width_, 0.0f);
    Patches::Position at = patches_.At(0);
    for (int64_t p = 0; p < pixels_ && !c.cancelled(); p += kPixels) {
      const int64_t count = std::min(kPixels, pixels_ - p);
      for (int64_t i = 0; i < count; ++i, patches_.Next(at)) {
        CopyWindow(at, pieces, &windows[i * rows_]);
        CopyFloats(dy_ + (p + i) * n_ + column, columns, &panel[i * width_]);
      }
      Multiply(windows.get(), panel.get(), count, rows, columns, df_ + row * n_ + column);
    }
  }

 private:
  std::vector<Piece> PiecesOf(int64_t begin, int64_t end) const {
    std::vector<Piece> pieces;
    const int64_t line = patches_.line();
    for (int64_t at = begin; at < end;) {
      const int64_t index = at / line, from = at % line, n = std::min(line - from, end - at);
      pieces.push_back(
          {index / patches_.rows.size, index % patches_.rows.size, from, from + n, at - begin});
      at += n;
    }
    return pieces;
  }

  void CopyWindow(const Patches::Position& at, const std::vector<Piece>& pieces, float* to) const {
    const bool inside = patches_.contiguous() && patches_.Inside(at);
    const float* window = patches_.in + (inside ? patches_.Offset(at) : 0);
    for (const Piece& p : pieces) {
      if (inside)
        CopyFloats(window + patches_.LineOffset(p.plane, p.row) + p.begin, p.end - p.begin,
                   to + p.to);
      else if (patches_.LineInside(at, p.plane, p.row))
        patches_.CopyLine(at, p.plane, p.row, p.begin, p.end, to + p.to);
      else
        std::fill_n(to + p.to, p.end - p.begin, 0.0f);
    }
  }

  void Multiply(const float* windows, const float* panel, int64_t count, int64_t rows,
                int64_t columns, float* out) const {
    const int64_t vectors = (columns + loops_.lanes - 1) / loops_.lanes;
    for (int64_t r = 0; r < rows; r += kTileRows)
      loops_.outer[vectors - 1]({.a = windows + r,
                                 .b = panel,
                                 .a_row = rows_,
                                 .b_row = width_,
                                 .count = count,
                                 .out = out + r * n_,
                                 .out_row = n_,
                                 .rows = std::min<int64_t>(kTileRows, rows - r),
                                 .columns = columns});
  }

  const Patches patches_;
  const TileLoops& loops_;
  const int64_t pixels_, n_;
  const float* const dy_;
  float* const df_;
  int64_t columns_, width_;  // blocks of outputs, and elements of each
  int64_t rows_;             // of a task; a multiple of kTileRows
};

}  // namespace

template <>
Status ConvolveFilterGrad(KernelCtx& c, const ConvDims& d, const float* in, const float* dy,
                          float* df) {
  std::fill_n(df, d.patch() * d.out_channels, 0.0f);
  if (!d.batch || !d.positions() || !d.out_channels) return {};
  const FilterGrad grad(d, in, dy, df);
  c.ParallelFor(grad.tasks(), grad.ns(), [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) grad.Run(c, task);
  });
  return {};
}

}  // namespace tensh::ops
