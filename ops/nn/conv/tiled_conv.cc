#include "ops/nn/conv/tiled_conv.h"

#include <algorithm>

#include "ops/nn/conv/conv_gemm.h"
#include "ops/nn/conv/scratch.h"
#include "ops/nn/conv/tiles.h"

namespace tensh::ops {
namespace {

constexpr int64_t kDepth = 1024;    // rows of the filter in a block, which is packed at once
constexpr int64_t kMostTiles = 64;  // tiles that use a packed block before the next one is packed
constexpr int64_t kMostLines = 16384;  // pointers to lines of windows that are kept at once
constexpr int64_t kCopies = 1 << 16;   // floats of lines that are copied at once
constexpr int64_t kTaskPixels = kMostTiles * kTileRows;

// A part of a line of a window, at most kDepth elements long. The row of a tile is a list of them.
struct Segment {
  int64_t plane, row;  // the line
  int64_t begin;       // its first element in the line
  int64_t offset;      // its distance from the first element of a window that lies inside
};

// What all tasks of a convolution share.
struct Layout {
  explicit Layout(const TiledConv& conv)
      : conv(conv),
        patches(conv.patches),
        loops(TileLoopsFor(std::max<int64_t>(conv.out_channels, 4))),
        pixels(conv.batch * patches.per_image()) {
    const int64_t line = patches.line(), parts = (line + kDepth - 1) / kDepth;
    const int64_t part = (line + parts - 1) / parts;
    for (int64_t z = 0; z < patches.planes.size; ++z)
      for (int64_t i = 0; i < patches.rows.size; ++i)
        for (int64_t at = 0; at < line; at += part) AddSegment(z, i, at, std::min(part, line - at));
    blocks.push_back(segments.size());
    const int64_t vectors = (conv.out_channels + loops.lanes - 1) / loops.lanes;
    columns = (vectors + loops.max_vectors - 1) / loops.max_vectors;
    width = (vectors + columns - 1) / columns * loops.lanes;
    columns = (conv.out_channels + width - 1) / width;
  }

  void AddSegment(int64_t plane, int64_t row, int64_t begin, int64_t length) {
    if (blocks.empty() || block_depth + length > kDepth) {
      blocks.push_back(segments.size());
      block_depth = 0;
    }
    block_depth += length;
    segments.push_back({plane, row, begin, patches.LineOffset(plane, row) + begin});
    lengths.push_back(length);
  }

  const TiledConv& conv;
  const Patches& patches;
  const TileLoops& loops;
  const int64_t pixels;
  std::vector<Segment> segments;
  std::vector<int64_t> lengths;
  std::vector<size_t> blocks;  // the first segment of each block of the filter, and the end
  int64_t block_depth = 0;
  int64_t columns = 0, width = 0;  // blocks of outputs, and elements of each
};

// The buffers of one thread.
class Worker {
 public:
  // At most `pixels` windows are computed at once.
  Worker(const Layout& l, int64_t pixels, Allocator* allocator)
      : l_(l),
        p_(l.patches),
        segments_(static_cast<int64_t>(l.segments.size())),
        most_tiles_(std::clamp<int64_t>(kMostLines / (segments_ * kTileRows), 1,
                                        (std::min(kTaskPixels, pixels) - 1) / kTileRows + 1)),
        inside_(p_.contiguous() ? p_.ColumnsInside() : Patches::Range{0, 0}),
        copies_size_(inside_.begin > 0 || inside_.end < p_.columns.out
                         ? std::max(kTileRows * p_.size(),
                                    std::min(kCopies, most_tiles_ * kTileRows * p_.size()))
                         : 0),
        lines_(allocator, most_tiles_ * kTileRows * segments_),
        outs_(allocator, most_tiles_ * kTileRows),
        panel_(allocator, std::min(kDepth, p_.size()) * l.width),
        copies_(allocator, copies_size_),
        zeros_(allocator, std::min(kDepth, p_.line())) {
    std::fill_n(zeros_.get(), std::min(kDepth, p_.line()), 0.0f);
  }

  // Computes blocks [first_column, end_column) of the outputs of windows [begin, end).
  void Run(int64_t first_column, int64_t end_column, int64_t begin, int64_t end) {
    Patches::Position at = p_.At(begin);
    while (begin < end) {
      const int64_t count = Gather(at, end - begin);
      begin += count;
      for (int64_t column = first_column; column < end_column; ++column)
        for (size_t b = 0; b + 1 < l_.blocks.size(); ++b) {
          Pack(column, b);
          Multiply(column, b, count);
        }
    }
  }

 private:
  int64_t ColumnsOf(int64_t column) const {
    return std::min(l_.width, l_.conv.out_channels - column * l_.width);
  }
  int64_t VectorsOf(int64_t column) const {
    return (ColumnsOf(column) + l_.loops.lanes - 1) / l_.loops.lanes;
  }

  // Finds the lines of up to `limit` windows from `at` on, which moves behind them. Returns the number
  // of windows. Rows of the last tile beyond them repeat its first row.
  int64_t Gather(Patches::Position& at, int64_t limit) {
    const int64_t most = std::min(limit, most_tiles_ * kTileRows);
    copied_ = 0;
    int64_t n = 0;
    while (n < most && HasSpace(n)) {
      n = GatherRow(at, n, most);
      if (at.column < p_.columns.out) break;
      --at.column;
      p_.Next(at);
    }
    for (int64_t r = n; r % kTileRows; ++r) {
      outs_[r] = nullptr;
      const float** lines = LinesOf(r);
      const float** first = LinesOf(r / kTileRows * kTileRows);
      for (int64_t s = 0; s < segments_; ++s) lines[s * kTileRows] = first[s * kTileRows];
    }
    return n;
  }

  // True if the copies of a tile that begins with window n fit behind the others.
  bool HasSpace(int64_t n) const {
    return n % kTileRows || !n || !copies_size_ || copied_ + kTileRows * p_.size() <= copies_size_;
  }
  const float** LinesOf(int64_t n) const {
    return &lines_[n / kTileRows * kTileRows * segments_ + n % kTileRows];
  }

  // Finds the lines of windows n to `most` - 1, as far as they are in the row of `at`, which moves
  // behind them. Returns the number of the next window.
  int64_t GatherRow(Patches::Position& at, int64_t n, int64_t most) {
    const TiledConv& c = l_.conv;
    float* out = c.out + at.image * c.out_image + at.plane * c.out_plane + at.row * c.out_row +
                 at.column * c.out_column;
    int64_t base = p_.Offset(at);
    const bool lines_inside = p_.LinesInside(at);
    for (; n < most && at.column < p_.columns.out && HasSpace(n); ++n, ++at.column) {
      outs_[n] = out;
      const bool direct = at.column >= inside_.begin && at.column < inside_.end;
      if (direct && lines_inside)
        PutLines(p_.in + base, LinesOf(n));
      else
        FindLines(at, base, direct, LinesOf(n));
      out += c.out_column;
      base += p_.columns.stride * p_.pixel;
    }
    return n;
  }

  // Stores a pointer to each segment of a window, kTileRows apart.
  void PutLines(const float* window, const float** lines) const {
    for (const Segment& segment : l_.segments) {
      *lines = window + segment.offset;
      lines += kTileRows;
    }
  }
  // Likewise, for a window that may be partly outside. `base` is its offset.
  void FindLines(const Patches::Position& at, int64_t base, bool direct, const float** lines) {
    for (int64_t s = 0; s < segments_; ++s) {
      const Segment& segment = l_.segments[static_cast<size_t>(s)];
      const float*& line = lines[s * kTileRows];
      if (!p_.LineInside(at, segment.plane, segment.row)) {
        line = zeros_.get();
      } else if (direct) {
        line = p_.in + (base + segment.offset);
      } else {
        float* copy = copies_.get() + copied_;
        const int64_t length = l_.lengths[static_cast<size_t>(s)];
        copied_ += length;
        p_.CopyLine(at, segment.plane, segment.row, segment.begin, segment.begin + length, copy);
        line = copy;
      }
    }
  }

  // Packs the rows of the filter in a block for a block of outputs, unless they are packed.
  void Pack(int64_t column, size_t block) {
    if (packed_column_ == column && packed_block_ == block) return;
    packed_column_ = column;
    packed_block_ = block;
    const TiledConv& c = l_.conv;
    const int64_t columns = ColumnsOf(column), width = VectorsOf(column) * l_.loops.lanes;
    const float* filter = c.filter + column * l_.width * c.filter_out;
    float* to = panel_.get();
    for (size_t s = l_.blocks[block]; s < l_.blocks[block + 1]; ++s) {
      const Segment& segment = l_.segments[s];
      const int64_t end = segment.begin + l_.lengths[s];
      for (int64_t at = segment.begin; at < end;) {
        const int64_t tap = at / p_.channels, channel = at % p_.channels;
        const int64_t n = std::min(p_.channels - channel, end - at);
        PackRows(filter + segment.plane * c.filter_plane + segment.row * c.filter_row +
                     tap * c.filter_column + channel * c.filter_channel,
                 n, columns, width, to);
        at += n;
        to += n * width;
      }
    }
  }

  // Packs `n` rows, which are filter_channel apart, of `columns` elements, which are filter_out apart.
  void PackRows(const float* from, int64_t n, int64_t columns, int64_t width, float* to) const {
    const int64_t row = l_.conv.filter_channel, column = l_.conv.filter_out;
    if (column == 1) {
      for (int64_t k = 0; k < n; ++k, from += row, to += width) {
        CopyFloats(from, columns, to);
        for (int64_t j = columns; j < width; ++j) to[j] = 0;
      }
      return;
    }
    for (int64_t j = 0; j < width; ++j)
      for (int64_t k = 0; k < n; ++k)
        to[k * width + j] = j < columns ? from[j * column + k * row] : 0;
  }

  void Multiply(int64_t column, size_t block, int64_t count) const {
    const size_t first = l_.blocks[block];
    const int64_t columns = ColumnsOf(column);
    const auto product = l_.loops.product[VectorsOf(column) - 1];
    for (int64_t n = 0; n < count; n += kTileRows)
      product({.in = &lines_[n * segments_ + static_cast<int64_t>(first) * kTileRows],
               .lengths = &l_.lengths[first],
               .segments = static_cast<int64_t>(l_.blocks[block + 1] - first),
               .filter = panel_.get(),
               .out = &outs_[n],
               .first = column * l_.width,
               .rows = std::min<int64_t>(kTileRows, count - n),
               .columns = columns,
               .add = block > 0});
  }

  const Layout& l_;
  const Patches& p_;
  const int64_t segments_;
  const int64_t most_tiles_;
  const Patches::Range inside_;  // the columns of windows whose lines need no copies
  const int64_t copies_size_;
  int64_t copied_ = 0, packed_column_ = -1;
  size_t packed_block_ = 0;
  const Scratch<const float*> lines_;  // [tile][segment][row]
  const Scratch<float*> outs_;         // [tile][row]
  const Scratch<float> panel_, copies_, zeros_;
};

}  // namespace

void RunTiledConv(KernelCtx& c, const TiledConv& conv) {
  const int64_t pixels = conv.batch * conv.patches.per_image();
  if (!pixels || !conv.out_channels) return;
  const Layout l(conv);
  // Enough tasks for a few threads. A task finds its windows once, but packs the filter.
  const int64_t most = (pixels * l.columns / 16 + kTileRows - 1) / kTileRows * kTileRows;
  const int64_t each = std::clamp<int64_t>(most, 8 * kTileRows, kTaskPixels);
  const int64_t ranges = (pixels + each - 1) / each, columns = ranges < 8 ? 1 : l.columns;
  const double ns = 0.016 * static_cast<double>(std::min(each, pixels)) *
                    static_cast<double>(conv.patches.size()) *
                    static_cast<double>(l.width * columns);
  c.ParallelFor(ranges * l.columns / columns, ns, [&](int64_t begin, int64_t end) {
    Worker worker(l, each, c.allocator());
    for (int64_t task = begin; task < end; ++task) {
      const int64_t column = task / ranges * columns, first = task % ranges * each;
      worker.Run(column, column + columns, first, std::min(first + each, pixels));
    }
  });
}

template <>
Status Convolve(KernelCtx& c, const ConvDims& d, const float* in, const float* filter, float* out) {
  if (!d.out_channels) return {};
  const int64_t n = d.out_channels / d.groups, per_row = d.columns.out * d.out_channels;
  TiledConv conv{.patches = {.planes = d.planes,
                             .rows = d.rows,
                             .columns = d.columns,
                             .channels = d.filter_channels,
                             .pixel = d.in_channels},
                 .batch = d.batch,
                 .filter_channel = d.out_channels,
                 .out_channels = n,
                 .out_image = d.planes.out * d.rows.out * per_row,
                 .out_plane = d.rows.out * per_row,
                 .out_row = per_row,
                 .out_column = d.out_channels};
  conv.filter_column = d.filter_channels * conv.filter_channel;
  conv.filter_row = d.columns.size * conv.filter_column;
  conv.filter_plane = d.rows.size * conv.filter_row;
  for (int64_t g = 0; g < d.groups; ++g) {
    conv.patches.in = in + g * d.filter_channels;
    conv.filter = filter + g * n;
    conv.out = out + g * n;
    RunTiledConv(c, conv);
  }
  return {};
}

template <>
Status ConvolveInputGrad(KernelCtx& c, const ConvDims& d, const float* filter, const float* dy,
                         float* dx) {
  const int64_t n = d.out_channels, column = d.in_channels * n, row = d.columns.size * column,
                plane = d.rows.size * row, dx_row = d.columns.in * d.in_channels,
                dx_plane = d.rows.in * dx_row;
  const bool empty = !d.batch || !d.positions() || !n;
  // Elements that no window reaches are not computed.
  if (empty || d.planes.stride > 1 || d.rows.stride > 1 || d.columns.stride > 1)
    std::fill_n(dx, d.batch * d.image(), 0.0f);
  if (empty || !d.image()) return {};
  for (int64_t z = 0; z < GradPhases(d.planes); ++z) {
    const GradPhase planes = MakeGradPhase(d.planes, z);
    for (int64_t i = 0; i < GradPhases(d.rows); ++i) {
      const GradPhase rows = MakeGradPhase(d.rows, i);
      for (int64_t j = 0; j < GradPhases(d.columns); ++j) {
        const GradPhase columns = MakeGradPhase(d.columns, j);
        RunTiledConv(c, {.patches = {.planes = planes.window,
                                     .rows = rows.window,
                                     .columns = columns.window,
                                     .channels = n,
                                     .pixel = n,
                                     .in = dy},
                         .batch = d.batch,
                         .filter = filter + planes.last_tap * plane + rows.last_tap * row +
                                   columns.last_tap * column,
                         .filter_plane = -planes.tap_step * plane,
                         .filter_row = -rows.tap_step * row,
                         .filter_column = -columns.tap_step * column,
                         .filter_channel = 1,
                         .filter_out = n,
                         .out_channels = d.in_channels,
                         .out = dx + planes.remainder * dx_plane + rows.remainder * dx_row +
                                columns.remainder * d.in_channels,
                         .out_image = d.image(),
                         .out_plane = d.planes.stride * dx_plane,
                         .out_row = d.rows.stride * dx_row,
                         .out_column = d.columns.stride * d.in_channels});
      }
    }
  }
  return {};
}

}  // namespace tensh::ops
