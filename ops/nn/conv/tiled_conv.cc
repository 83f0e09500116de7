#include "ops/nn/conv/tiled_conv.h"

#include <algorithm>

#include "ops/nn/conv/winograd.h"
#include "ops/nn/conv/winograd_rows.h"
#include "ops/support/tiles/scratch.h"
#include "ops/support/tiles/tiles.h"

namespace tensh::ops {
namespace {

constexpr int64_t kDepth = 1024;       // rows of the filter in a block, which is packed at once
constexpr int64_t kMostTiles = 64;     // tiles that are multiplied with a block before the next one
constexpr int64_t kMostLines = 16384;  // pointers to lines of windows that are kept at once
constexpr int64_t kCopies = 1 << 16;   // floats of lines that are copied at once
constexpr int64_t kTaskPixels = kMostTiles * kTileRows;
// Rows of a filter that are a multiple of a page apart share few sets of the caches.
constexpr int64_t kPageFloats = 1024;
constexpr int64_t kFewChannels = 4;  // images with at most as many are copied with their padding
// Pixels of at least as many channels that are not side by side in memory are read where they are.
constexpr int64_t kManyChannels = 16;

// A part of a line of a window, at most kDepth elements long. The row of a tile is a list of them.
struct Segment {
  int64_t plane, row;  // the line
  int64_t begin, end;  // its elements
  int64_t offset;      // the distance of the first one from the first element of a window
  int64_t filter_row;  // the row of the filter that belongs to it
};

// The state that all tasks of a convolution share. Windows are taken row by row; a long row has several parts.
struct Layout {
  explicit Layout(const TiledConv& conv)
      : conv(conv),
        patches(conv.patches),
        loops(TileLoopsFor(std::max<int64_t>(conv.out_channels, 8))),
        inside(patches.ColumnsInside()),
        by_pixels(!patches.contiguous() && patches.channels >= kManyChannels) {
    const int64_t run = by_pixels ? patches.channels : patches.line();
    const int64_t parts = (run + kDepth - 1) / kDepth, part = (run + parts - 1) / parts;
    for (int64_t z = 0; z < patches.planes.size; ++z)
      for (int64_t i = 0; i < patches.rows.size; ++i)
        for (int64_t first = 0; first < patches.line(); first += run)
          for (int64_t at = 0; at < run; at += part)
            AddSegment(z, i, first + at, std::min(part, run - at));
    blocks.push_back(segments.size());
    const int64_t vectors = (conv.out_channels + loops.lanes - 1) / loops.lanes;
    columns = (vectors + loops.max_vectors - 1) / loops.max_vectors;
    width = (vectors + columns - 1) / columns * loops.lanes;
    columns = (conv.out_channels + width - 1) / width;
    in_place = conv.filter_out == 1 && conv.out_channels % loops.lanes == 0 && OneMatrix() &&
               conv.filter_channel % kPageFloats;
    row_parts = (patches.columns.out + kTaskPixels - 1) / kTaskPixels;
    row_part = (patches.columns.out + row_parts - 1) / row_parts;
  }

  void AddSegment(int64_t plane, int64_t row, int64_t begin, int64_t length) {
    const int64_t at =
        segments.empty() ? 0
                         : segments.back().filter_row + segments.back().end - segments.back().begin;
    if (blocks.empty() || at + length - segments[blocks.back()].filter_row > kDepth)
      blocks.push_back(segments.size());
    const int64_t tap = by_pixels ? begin / patches.channels : 0;
    const int64_t offset = patches.LineOffset(plane, row) +
                           tap * patches.columns.dilation * patches.pixel + begin -
                           tap * patches.channels;
    segments.push_back({plane, row, begin, begin + length, offset, at});
    lengths.push_back(length);
    starts.push_back(at);
  }

  // True if the rows of the filter are equally far apart.
  bool OneMatrix() const {
    return conv.filter_column == patches.channels * conv.filter_channel &&
           conv.filter_row == patches.columns.size * conv.filter_column &&
           conv.filter_plane == patches.rows.size * conv.filter_row;
  }

  int64_t rows() const { return conv.batch * patches.planes.out * patches.rows.out; }
  // The number of outputs in a block, and of their vectors.
  int64_t ColumnsOf(int64_t column) const {
    return std::min(width, conv.out_channels - column * width);
  }
  int64_t VectorsOf(int64_t column) const {
    return (ColumnsOf(column) + loops.lanes - 1) / loops.lanes;
  }
  int64_t FirstRow(size_t block) const { return segments[blocks[block]].filter_row; }

  const TiledConv& conv;
  const Patches& patches;
  const TileLoops& loops;
  const WindowRange inside;  // the columns of windows that lie inside along the columns
  const bool by_pixels;      // each pixel of a line has its own segments
  bool contiguous() const { return by_pixels || patches.contiguous(); }  // the segments
  std::vector<Segment> segments;
  std::vector<int64_t> lengths, starts;  // of the segments
  std::vector<size_t> blocks;       // the first segment of each block of the filter, and the end
  int64_t columns = 0, width = 0;   // blocks of outputs, and elements of each
  int64_t row_parts = 1, row_part;  // parts of a row, and windows of each
  bool in_place = false;  // the filter is a matrix of whole vectors and need not be packed
};

// Packs n rows, which are filter_channel apart, of `columns` elements, which are filter_out apart.
void PackRows(const TiledConv& c, const float* from, int64_t n, int64_t columns, int64_t width,
              float* to) {
  const int64_t row = c.filter_channel, column = c.filter_out;
  if (row == 1) return PackTransposed(from, column, n, columns, width, to);
  if (column == 1) {
    // The pieces of a large filter are far apart, so the CPU does not foresee them.
    constexpr int64_t kAhead = 12;
    for (int64_t k = 0; k < n; ++k, from += row, to += width) {
      for (int64_t j = 0; j < columns; j += 16) __builtin_prefetch(from + kAhead * row + j);
      CopyFloats(from, columns, to);
      for (int64_t j = columns; j < width; ++j) to[j] = 0;
    }
    return;
  }
  for (int64_t j = 0; j < width; ++j)
    for (int64_t k = 0; k < n; ++k)
      to[k * width + j] = j < columns ? from[j * column + k * row] : 0;
}

// Packs a block of the filter for a block of outputs.
void PackBlock(const Layout& l, int64_t column, size_t block, float* to) {
  const TiledConv& c = l.conv;
  const int64_t columns = l.ColumnsOf(column), width = l.VectorsOf(column) * l.loops.lanes;
  const int64_t channels = l.patches.channels;
  const float* filter = c.filter + column * l.width * c.filter_out;
  for (size_t s = l.blocks[block]; s < l.blocks[block + 1]; ++s) {
    const Segment& segment = l.segments[s];
    for (int64_t at = segment.begin; at < segment.end;) {
      const int64_t tap = at / channels, channel = at % channels;
      const int64_t n = std::min(channels - channel, segment.end - at);
      PackRows(c,
               filter + segment.plane * c.filter_plane + segment.row * c.filter_row +
                   tap * c.filter_column + channel * c.filter_channel,
               n, columns, width, to);
      at += n;
      to += n * width;
    }
  }
}

// The windows of some rows, or of a part of a row. Those of one column, or of the columns inside,
// come one after another for all rows, because they have the same taps.
class Walk {
 public:
  Walk(const Layout& l, int64_t first_row, int64_t end_row, int64_t begin, int64_t end)
      : l_(l), first_row_(first_row), end_row_(end_row), end_(end), row_(first_row) {
    group_ = GroupAt(begin);
    column_ = begin;
  }

  // Takes up to `most` windows of one row, whose first one is stored. Returns their number, which
  // is 0 at the end.
  int64_t Take(int64_t most, Patches::Position& at) {
    if (group_.begin == group_.end) return 0;
    const Patches& p = l_.patches;
    const int64_t plane = row_ / p.rows.out;
    at = {plane / p.planes.out, plane % p.planes.out, row_ % p.rows.out, column_};
    const int64_t n = std::min(most, group_.end - column_);
    column_ += n;
    if (column_ < group_.end) return n;
    if (++row_ == end_row_) {
      row_ = first_row_;
      group_ = GroupAt(group_.end);
    }
    column_ = group_.begin;
    return n;
  }

 private:
  // The columns from `begin` on whose windows have the same taps.
  WindowRange GroupAt(int64_t begin) const {
    const bool inside = begin >= l_.inside.begin && begin < l_.inside.end;
    return {begin, std::min(end_, inside ? l_.inside.end : begin + 1)};
  }

  const Layout& l_;
  const int64_t first_row_, end_row_, end_;
  int64_t row_, column_;
  WindowRange group_;
};

// The buffers of one thread.
class Worker {
 public:
  // `packed` holds all blocks of the filter. If it is null, they are read in place, or packed when they are
  // needed.
  Worker(const Layout& l, const float* packed, int64_t windows, Allocator* allocator)
      : l_(l),
        p_(l.patches),
        contiguous_(l.contiguous()),
        segments_(static_cast<int64_t>(l.segments.size())),
        most_tiles_(std::clamp<int64_t>(kMostLines / (segments_ * kTileRows), 1,
                                        (std::min(kTaskPixels, windows) - 1) / kTileRows + 1)),
        copies_size_(contiguous_ && l.inside.begin == 0 && l.inside.end == p_.columns.out
                         ? 0
                         : std::max(kTileRows * p_.size(),
                                    std::min(kCopies, most_tiles_ * kTileRows * p_.size()))),
        packed_(packed),
        lines_(allocator, most_tiles_ * kTileRows * segments_),
        whole_(allocator, most_tiles_),
        lengths_(allocator, most_tiles_ * segments_),
        starts_(allocator, most_tiles_ * segments_),
        windows_(allocator, most_tiles_ * kTileRows),
        outs_(allocator, most_tiles_ * kTileRows),
        panel_(allocator, packed || l.in_place ? 1 : std::min(kDepth, p_.size()) * l.width),
        copies_(allocator, copies_size_),
        zeros_(allocator, std::min(kDepth, p_.line())) {
    std::fill_n(zeros_.get(), std::min(kDepth, p_.line()), 0.0f);
  }

  // Computes blocks [first_column, end_column) of the outputs of some windows.
  void Run(int64_t first_column, int64_t end_column, Walk walk) {
    while (const int64_t count = TakeWindows(walk)) {
      const int64_t tiles = (count + kTileRows - 1) / kTileRows;
      for (int64_t t = 0; t < tiles;) {
        const int64_t begin = t;
        copied_ = 0;
        do {
          FindLines(t);
        } while (++t < tiles &&
                 copied_ + std::min(copies_size_, kTileRows * p_.size()) <= copies_size_);
        for (int64_t column = first_column; column < end_column; ++column)
          for (size_t b = 0; b + 1 < l_.blocks.size(); ++b) Multiply(column, b, begin, t, count);
      }
    }
  }

 private:
  struct Window {
    Patches::Position at;
    int64_t offset;
    bool inside;  // its lines need no copies, and none is padding
  };

  // Takes as many windows as there are tiles for. The last tile repeats its first one.
  int64_t TakeWindows(Walk& walk) {
    const TiledConv& c = l_.conv;
    const int64_t most = most_tiles_ * kTileRows;
    int64_t n = 0;
    Patches::Position at{};
    while (int64_t count = n < most ? walk.Take(most - n, at) : 0) {
      float* out = c.out + at.image * c.out_image + at.plane * c.out_plane + at.row * c.out_row +
                   at.column * c.out_column;
      int64_t offset = p_.Offset(at);
      const bool inside = contiguous_ && at.column >= l_.inside.begin &&
                          at.column < l_.inside.end && p_.LinesInside(at);
      for (; count > 0; --count, ++n, ++at.column) {
        windows_[n] = {at, offset, inside};
        outs_[n] = out;
        out += c.out_column;
        offset += p_.columns.stride * p_.pixel;
      }
    }
    for (int64_t r = n; r % kTileRows; ++r) {
      windows_[r] = windows_[n / kTileRows * kTileRows];
      outs_[r] = nullptr;
    }
    return n;
  }

  // Finds the lines of the windows of a tile.
  void FindLines(int64_t tile) {
    const Window* w = &windows_[tile * kTileRows];
    const float** lines = &lines_[tile * segments_ * kTileRows];
    static_assert(kTileRows == 6);
    whole_[tile] =
        w[0].inside && w[1].inside && w[2].inside && w[3].inside && w[4].inside && w[5].inside;
    if (!whole_[tile]) return FindPaddedLines(tile, lines);
    for (int64_t s = 0; s < segments_; ++s, lines += kTileRows) {
      const float* in = p_.in + l_.segments[static_cast<size_t>(s)].offset;
      for (int r = 0; r < kTileRows; ++r) lines[r] = in + w[r].offset;
    }
  }

  void FindPaddedLines(int64_t tile, const float** lines) {
    Inside inside[kTileRows];
    WindowRange all{p_.line(), 0};  // the elements of lines that lie inside for some window
    for (int r = 0; r < kTileRows; ++r) {
      const Patches::Position& at = windows_[tile * kTileRows + r].at;
      const int64_t q = at.column;
      inside[r] = {{p_.planes.Begin(at.plane), p_.planes.End(at.plane)},
                   {p_.rows.Begin(at.row), p_.rows.End(at.row)},
                   {p_.columns.Begin(q) * p_.channels, p_.columns.End(q) * p_.channels}};
      all.begin = std::min(all.begin, inside[r].elements.begin);
      all.end = std::max(all.end, inside[r].elements.end);
    }
    for (int64_t s = 0; s < segments_; ++s, lines += kTileRows)
      FindSegment(tile, s, inside, all, lines);
  }

  // Elements [begin, end) of a line are multiplied. No element is if all of them are padding.
  void PutSegment(int64_t tile, int64_t s, const Segment& segment, int64_t begin, int64_t end) {
    lengths_[tile * segments_ + s] = std::max<int64_t>(end - begin, 0);
    starts_[tile * segments_ + s] = segment.filter_row + begin - segment.begin;
  }

  // The parts of a window that lie inside the image.
  struct Inside {
    WindowRange planes, rows, elements;
    bool HasLine(const Segment& s) const {
      return s.plane >= planes.begin && s.plane < planes.end && s.row >= rows.begin &&
             s.row < rows.end;
    }
  };

  void FindSegment(int64_t tile, int64_t s, const Inside* inside, WindowRange all,
                   const float** lines) {
    const Segment& segment = l_.segments[static_cast<size_t>(s)];
    const int64_t begin = std::max(segment.begin, all.begin);
    const int64_t end = std::min(segment.end, all.end);
    bool any = false;
    for (int r = 0; r < kTileRows; ++r) {
      lines[r] = zeros_.get();
      if (begin >= end || !inside[r].HasLine(segment)) continue;
      const WindowRange& elements = inside[r].elements;
      if (end <= elements.begin || begin >= elements.end) continue;
      any = true;
      const Window& window = windows_[tile * kTileRows + r];
      if (contiguous_ && elements.begin <= begin && end <= elements.end) {
        lines[r] = p_.in + (window.offset + segment.offset + begin - segment.begin);
        continue;
      }
      float* copy = copies_.get() + copied_;
      copied_ += end - begin;
      p_.CopyLine(window.at, segment.plane, segment.row, begin, end, copy);
      lines[r] = copy;
    }
    PutSegment(tile, s, segment, begin, any ? end : begin);
  }

  // Returns a block of the filter.
  const float* PanelOf(int64_t column, size_t block) {
    if (l_.in_place)
      return l_.conv.filter + (l_.FirstRow(block) * l_.conv.filter_channel + column * l_.width);
    if (packed_) return packed_ + (column * p_.size() + l_.FirstRow(block)) * l_.width;
    if (column != packed_column_ || block != packed_block_)
      PackBlock(l_, column, block, panel_.get());
    packed_column_ = column;
    packed_block_ = block;
    return panel_.get();
  }

  // Multiplies tiles [begin, end). `count` is the number of all windows.
  void Multiply(int64_t column, size_t block, int64_t begin, int64_t end, int64_t count) {
    const int64_t first = static_cast<int64_t>(l_.blocks[block]);
    const int64_t columns = l_.ColumnsOf(column), vectors = l_.VectorsOf(column);
    const int64_t row = l_.in_place ? l_.conv.filter_channel : vectors * l_.loops.lanes;
    const float* panel = PanelOf(column, block);
    // The block that follows is fetched from the filter. Packed blocks were fetched when they were packed.
    const float* ahead = !l_.in_place                   ? panel
                         : block + 2 < l_.blocks.size() ? PanelOf(column, block + 1)
                         : column + 1 < l_.columns      ? PanelOf(column + 1, 0)
                                                        : panel;
    for (int64_t t = begin; t < end; ++t) {
      const int64_t rows = std::min<int64_t>(kTileRows, count - t * kTileRows);
      l_.loops.Multiply(
          rows, vectors,
          {.in = &lines_[(t * segments_ + first) * kTileRows],
           .lengths = whole_[t] ? &l_.lengths[l_.blocks[block]] : &lengths_[t * segments_ + first],
           .starts = whole_[t] ? &l_.starts[l_.blocks[block]] : &starts_[t * segments_ + first],
           .segments = static_cast<int64_t>(l_.blocks[block + 1]) - first,
           .in_step = 1,
           .filter = panel - l_.FirstRow(block) * row,
           .filter_row = row,
           .ahead = ahead + (t - begin) % 4 * 16,
           .out = &outs_[t * kTileRows],
           .first = column * l_.width,
           .columns = columns,
           .add = block > 0});
    }
  }

  const Layout& l_;
  const Patches& p_;
  const bool contiguous_;
  const int64_t segments_, most_tiles_, copies_size_;
  const float* const packed_;
  int64_t copied_ = 0, packed_column_ = -1;
  size_t packed_block_ = 0;
  const Scratch<const float*> lines_;        // [tile][segment][row]
  const Scratch<bool> whole_;                // [tile]: all windows are inside
  const Scratch<int64_t> lengths_, starts_;  // [tile][segment], of other tiles
  const Scratch<Window> windows_;            // [tile][row]
  const Scratch<float*> outs_;               // [tile][row]
  const Scratch<float> panel_, copies_, zeros_;
};

// Returns the number of rows whose outputs others take while they are in the cache. As many windows
// as possible should fill whole tiles.
int64_t RowsOfPart(const Layout& l) {
  constexpr int64_t kPart = 24 * 1024;  // elements
  const int64_t row = l.patches.columns.out;
  const int64_t least = std::max<int64_t>(1, kPart / (row * l.conv.out_channels));
  const auto waste = [row](int64_t rows) {
    const int64_t windows = rows * row;
    const int64_t unused = (kTileRows - windows % kTileRows) % kTileRows;
    return static_cast<double>(unused) / static_cast<double>(windows);
  };
  int64_t best = least;
  for (int64_t rows = least + 1; rows <= 2 * least + 1; ++rows)
    if (waste(rows) < waste(best)) best = rows;
  return best;
}

// A dimension of images that include their padding.
WindowDim Padded(WindowDim w) {
  w.in = std::max(w.in + w.before, w.At(w.out - 1, w.size - 1) + w.before + 1);
  w.before = 0;
  return w;
}

bool HasPadding(const WindowDim& w) {
  return w.At(0, 0) < 0 || w.At(w.out - 1, w.size - 1) >= w.in;
}

// Finding the lines of windows at the edges of images with few channels takes longer than multiplying
// them.
bool NeedsPadding(const Patches& p) {
  return p.channels <= kFewChannels && p.channels == p.pixel && p.planes.before >= 0 &&
         p.rows.before >= 0 && p.columns.before >= 0 &&
         (HasPadding(p.planes) || HasPadding(p.rows) || HasPadding(p.columns));
}

// Copies images with their padding, whose extents are those of `to`.
void CopyPadded(KernelCtx& c, const Patches& from, int64_t batch, const Patches& to, float* out) {
  const int64_t pixel = from.pixel, before = from.columns.before * pixel,
                n = from.columns.in * pixel;
  const int64_t row = to.columns.in * pixel, rows = batch * to.planes.in * to.rows.in;
  c.ParallelFor(rows, 0.2 * static_cast<double>(row) + 5, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = i % to.rows.in - from.rows.before, plane = i / to.rows.in;
      const int64_t z = plane % to.planes.in - from.planes.before, image = plane / to.planes.in;
      float* line = out + i * row;
      if (r < 0 || r >= from.rows.in || z < 0 || z >= from.planes.in) {
        std::fill_n(line, row, 0.0f);
        continue;
      }
      const float* in = from.in + ((image * from.planes.in + z) * from.rows.in + r) * n;
      std::fill_n(line, before, 0.0f);
      std::copy_n(in, n, line + before);
      std::fill_n(line + before + n, row - before - n, 0.0f);
    }
  });
}

void RunUnpadded(KernelCtx& c, const TiledConv& conv) {
  const Patches& p = conv.patches;
  const int64_t windows = conv.batch * p.per_image();
  if (!windows || !conv.out_channels) return;
  const Layout l(conv);
  // Enough tasks for a few threads.
  const int64_t most = std::clamp<int64_t>(windows * l.columns / 16, 8 * kTileRows, kTaskPixels);
  int64_t rows = l.row_parts > 1 ? 1 : std::clamp<int64_t>(most / l.row_part, 1, l.rows());
  int64_t ranges = (l.rows() + rows - 1) / rows * l.row_parts;
  const int64_t columns = ranges < 8 ? 1 : l.columns;
  const int64_t blocks = static_cast<int64_t>(l.blocks.size()) - 1;
  PartsRunner* const taker =
      conv.output && columns == l.columns ? TakerOf(c, *conv.output) : nullptr;
  if (taker && l.row_parts == 1) {
    rows = std::min(rows, RowsOfPart(l));
    ranges = (l.rows() + rows - 1) / rows;
  }
  // If each block is used once, it is packed where it is used.
  const bool pack = ranges > 1 && !l.in_place;
  const Scratch<float> packed(c.allocator(), pack ? l.columns * p.size() * l.width : 1);
  if (pack)
    c.ParallelFor(l.columns * blocks, static_cast<double>(std::min(kDepth, p.size()) * l.width),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                      const size_t block = static_cast<size_t>(i % blocks);
                      const int64_t row = i / blocks * p.size() + l.FirstRow(block);
                      PackBlock(l, i / blocks, block, packed.get() + row * l.width);
                    }
                  });
  const double ns = 0.016 * static_cast<double>(rows * l.row_part) * static_cast<double>(p.size()) *
                    static_cast<double>(l.width * columns);
  c.ParallelFor(ranges * l.columns / columns, ns, [&](int64_t begin, int64_t end) {
    Worker worker(l, pack ? packed.get() : nullptr, rows * l.row_part, c.allocator());
    for (int64_t task = begin; task < end; ++task) {
      const int64_t column = task / ranges * columns, range = task % ranges;
      const int64_t row = range / l.row_parts * rows, part = range % l.row_parts * l.row_part;
      worker.Run(column, column + columns,
                 Walk(l, row, std::min(row + rows, l.rows()), part,
                      std::min(part + l.row_part, p.columns.out)));
      if (!taker) continue;
      const int64_t n = p.columns.out, last = std::min(row + rows, l.rows()) - 1;
      taker->Finished((row * n + part) * conv.out_channels,
                      (last * n + std::min(part + l.row_part, n)) * conv.out_channels);
    }
  });
}

}  // namespace

void RunTiledRows(const KernelCtx& c, const TiledConv& conv, int64_t begin, int64_t end) {
  const Layout l(conv);
  const int64_t n = conv.patches.columns.out;
  Worker worker(l, nullptr, (end - begin) * n, c.allocator());
  worker.Run(0, l.columns, Walk(l, begin, end, 0, n));
}

void RunTiledConv(KernelCtx& c, const TiledConv& conv) {
  if (RunWinograd(c, conv) || RunWinogradRows(c, conv)) return;
  const Patches& p = conv.patches;
  if (!conv.batch || !p.per_image() || !NeedsPadding(p)) return RunUnpadded(c, conv);
  TiledConv padded = conv;
  Patches& to = padded.patches;
  to.planes = Padded(p.planes);
  to.rows = Padded(p.rows);
  to.columns = Padded(p.columns);
  const int64_t image = to.planes.in * to.rows.in * to.columns.in * p.pixel;
  const Scratch<float> images(c.allocator(), conv.batch * image);
  CopyPadded(c, p, conv.batch, to, images.get());
  to.in = images.get();
  RunUnpadded(c, padded);
}

}  // namespace tensh::ops
