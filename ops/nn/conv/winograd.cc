#include "ops/nn/conv/winograd.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "ops/support/tiles/scratch.h"
#include "ops/support/tiles/tiles.h"

namespace tensh::ops {
namespace {

constexpr double kNsPerMultiply = 0.016;

// The algorithm for filters of taps x taps.
struct Scheme {
  int64_t taps, patch,
      side;            // sides of a filter, of a patch, and of both when they are transformed
  int loops;           // index of its functions in TileLoops
  double input_cost;   // of the transform of a patch, in multiply-adds for each channel
  double filter_cost;  // likewise, for each pair of channels
  int64_t elements() const { return side * side; }
};
constexpr Scheme kThree{3, 4, 4, 0, 45, 200}, kFive{5, 6, 7, 1, 170, 600};

// The results are transformed back from sums of 4 x 4 products. Row i of transformed patches and filters
// belongs to row kSumOf[i] of the sums, and a column likewise.
constexpr int64_t kSums = 16;
constexpr int64_t kSumOf[] = {0, 1, 2, 3, 0, 1, 3};

int64_t SumOf(const Scheme& scheme, int64_t element) {
  return kSumOf[element / scheme.side] * 4 + kSumOf[element % scheme.side];
}

// The elements whose products belong to a sum.
struct Addends {
  static constexpr int64_t kMost = 4;
  int64_t elements[kMost] = {};
  int64_t count = 0;
};

// Returns the distance between the 16 arrays of n floats of a buffer. It is an odd number of lines, so
// that elements with the same index lie in different sets of the L1 cache.
int64_t ArrayStep(int64_t n) {
  constexpr int64_t kLine = 16;
  const int64_t lines = (n + kLine - 1) / kLine;
  return (lines + (lines % 2 == 0)) * kLine;
}

// The patches of the images of a convolution. Patch (row, column) has outputs 2 row, 2 row + 1 and so on;
// rows of patches are numbered through all images.
struct PatchGrid {
  PatchGrid(const Scheme& scheme, const Patches& p, int64_t batch)
      : scheme(scheme),
        p(p),
        image_rows((p.rows.out + 1) / 2),
        columns((p.columns.out + 1) / 2),
        rows(batch * image_rows) {}

  int64_t size() const { return rows * columns; }
  // The first row of outputs of a row of patches, or the end of all.
  int64_t OutputRow(int64_t row) const {
    return row / image_rows * p.rows.out + std::min(row % image_rows * 2, p.rows.out);
  }

  const Scheme& scheme;
  const Patches& p;
  const int64_t image_rows, columns, rows;
};

// Returns null if there is no algorithm for such windows.
const Scheme* SchemeOf(const Patches& p) {
  if (p.planes.in != 1 || p.planes.size != 1 || p.planes.out != 1) return nullptr;
  for (const WindowDim* w : {&p.rows, &p.columns})
    if (w->size != p.rows.size || w->stride != 1 || w->dilation != 1) return nullptr;
  return p.rows.size == 3 ? &kThree : p.rows.size == 5 ? &kFive : nullptr;
}

// True if the algorithm is expected to take less time than the direct sums.
bool Pays(const PatchGrid& grid, int64_t outputs) {
  const Scheme& scheme = grid.scheme;
  const Patches& p = grid.p;
  const int64_t lanes = BestTileLoops().lanes;
  if (p.channels % lanes || outputs % lanes || p.channels < lanes || outputs < lanes) return false;
  const auto patches = static_cast<double>(grid.size()), in = static_cast<double>(p.channels),
             out = static_cast<double>(outputs);
  const double pixels = patches / static_cast<double>(grid.image_rows * grid.columns) *
                        static_cast<double>(p.rows.out * p.columns.out);
  // In multiply-adds of a vector.
  const double direct = pixels * static_cast<double>(scheme.taps * scheme.taps) * in * out;
  const double products = patches * static_cast<double>(scheme.elements()) * in * out * 1.15;
  const double transforms =
      patches * (scheme.input_cost * in + 35 * out) + in * out * scheme.filter_cost;
  return products + transforms < 0.9 * direct;
}

// Reads the patches of images.
class PatchReader {
 public:
  PatchReader(const PatchGrid& grid, Allocator* allocator)
      : g_(grid),
        side_(grid.scheme.patch),
        copy_(allocator, grid.scheme.patch * grid.scheme.patch * grid.p.channels) {}

  // Transforms a patch: element (i, j) goes to `to` + (side i + j) * step.
  void Transform(const TileLoops& loops, int64_t row, int64_t column, float* to, int64_t step) {
    const Patches& p = g_.p;
    const int64_t y = p.rows.At(row % g_.image_rows * 2, 0), x = p.columns.At(column * 2, 0);
    const int64_t image = row / g_.image_rows * p.rows.in * p.columns.in;
    WinogradTile tile{.from = p.in,
                      .from_row = p.columns.in * p.pixel,
                      .from_column = p.pixel,
                      .to = to,
                      .to_row = g_.scheme.side * step,
                      .to_column = step,
                      .pixels = {},
                      .channels = p.channels};
    if (y >= 0 && y + side_ <= p.rows.in && x >= 0 && x + side_ <= p.columns.in) {
      tile.from += (image + y * p.columns.in + x) * p.pixel;
    } else {
      Copy(p.in + image * p.pixel, y, x);
      tile.from = copy_.get();
      tile.from_row = side_ * p.channels;
      tile.from_column = p.channels;
    }
    loops.winograd_input[g_.scheme.loops](tile);
  }

 private:
  // Copies a patch that reaches into the padding.
  void Copy(const float* image, int64_t y, int64_t x) {
    const Patches& p = g_.p;
    float* to = copy_.get();
    for (int64_t i = y; i < y + side_; ++i)
      for (int64_t j = x; j < x + side_; ++j, to += p.channels) {
        if (i >= 0 && i < p.rows.in && j >= 0 && j < p.columns.in)
          std::copy_n(image + (i * p.columns.in + j) * p.pixel, p.channels, to);
        else
          std::fill_n(to, p.channels, 0.0f);
      }
  }

  const PatchGrid& g_;
  const int64_t side_;
  const Scratch<float> copy_;
};

// Blocks of output channels: as many vectors in each as a tile has, or fewer.
struct OutputBlocks {
  explicit OutputBlocks(int64_t outputs) : loops(BestTileLoops()), outputs(outputs) {
    const int64_t vectors = outputs / loops.lanes;
    count = (vectors + loops.max_vectors - 1) / loops.max_vectors;
    width = (vectors + count - 1) / count * loops.lanes;
    count = (outputs + width - 1) / width;
  }
  int64_t WidthOf(int64_t block) const { return std::min(width, outputs - block * width); }

  const TileLoops& loops;
  const int64_t outputs;
  int64_t count, width;
};

// ---- the convolution ----

class Convolution {
 public:
  Convolution(KernelCtx& c, const TiledConv& conv, const Scheme& scheme)
      : conv_(conv),
        scheme_(scheme),
        grid_(scheme, conv.patches, conv.batch),
        blocks_(conv.out_channels),
        channels_(conv.patches.channels),
        panel_(channels_ + 1),
        most_(MostPatches(scheme, channels_, conv.out_channels)),
        v_step_(ArrayStep(most_ * channels_)),
        m_step_(ArrayStep(most_ * conv.out_channels)),
        u_(c.allocator(), scheme.elements() * panel_ * conv.out_channels) {
    for (int64_t e = 0; e < scheme.elements(); ++e) {
      Addends& addends = addends_[SumOf(scheme, e)];
      addends.elements[addends.count++] = e;
    }
  }

  void Run(KernelCtx& c) {
    TransformFilter(c);
    const int64_t rows = RowsOfPart(c.threads());
    const int64_t parts = (grid_.rows + rows - 1) / rows;
    PartsRunner* const taker = conv_.output ? TakerOf(c, *conv_.output) : nullptr;
    const double ns = kNsPerMultiply *
                      static_cast<double>(rows * grid_.columns * scheme_.elements()) *
                      static_cast<double>(channels_ * conv_.out_channels);
    c.ParallelFor(parts, ns, [&](int64_t begin, int64_t end) {
      Worker worker(*this, c.allocator());
      for (int64_t part = begin; part < end && !c.cancelled(); ++part) {
        const int64_t first = part * rows, last = std::min(first + rows, grid_.rows);
        worker.Run(c, first, last);
        const int64_t row = conv_.patches.columns.out * conv_.out_channels;
        if (taker) taker->Finished(grid_.OutputRow(first) * row, grid_.OutputRow(last) * row);
      }
    });
  }

 private:
  // Returns the number of patches that are in the buffers at once. They fill a part of the L2 cache.
  static int64_t MostPatches(const Scheme& scheme, int64_t channels, int64_t outputs) {
    constexpr int64_t kFloats = 1 << 17;
    const int64_t n = kFloats / (scheme.elements() * channels + kSums * outputs);
    return std::clamp<int64_t>(n / kTileRows * kTileRows, 24, 96);
  }

  // Returns the number of rows of patches that are computed at once. As many patches as possible should
  // fill whole tiles.
  int64_t RowsOfPart(int threads) const {
    const int64_t tasks =
        threads > 1 ? std::max<int64_t>(1, grid_.rows / (2 * threads)) : grid_.rows;
    const int64_t most = std::clamp<int64_t>(most_ / grid_.columns, 1, tasks);
    const auto tiles = [&](int64_t rows) {  // for each row
      const int64_t whole = (rows * grid_.columns + kTileRows - 1) / kTileRows;
      return static_cast<double>(whole) / static_cast<double>(rows);
    };
    int64_t best = most;
    for (int64_t rows = most - 1; rows > most / 2; --rows)
      if (tiles(rows) < tiles(best)) best = rows;
    return best;
  }

  // The first row of the transformed filter for a block of outputs. Its order is: block of outputs, element,
  // channel, output. Elements are an odd number of rows apart, so that they lie in different sets of the
  // L1 cache.
  float* PanelOf(int64_t block) const {
    return u_.get() + block * blocks_.width * scheme_.elements() * panel_;
  }

  // The buffers of a thread.
  class Worker {
   public:
    Worker(const Convolution& all, Allocator* allocator)
        : a_(all),
          reader_(all.grid_, allocator),
          v_(allocator, all.scheme_.elements() * all.v_step_),
          m_(allocator, kSums * all.m_step_),
          unused_(allocator, all.conv_.out_channels) {}

    // Computes rows [first, last) of patches. A row with a result that is not finite is computed again.
    void Run(const KernelCtx& c, int64_t first, int64_t last) {
      const int64_t columns = a_.grid_.columns, end = last * columns;
      not_finite_.assign(static_cast<size_t>(last - first), false);
      for (int64_t at = first * columns; at < end; at += a_.most_) {
        const int64_t n = std::min(a_.most_, end - at);
        for (int64_t i = 0; i < n; ++i)
          reader_.Transform(a_.blocks_.loops, (at + i) / columns, (at + i) % columns,
                            v_.get() + i * a_.channels_, a_.v_step_);
        for (int64_t sum = 0; sum < kSums; ++sum) Multiply(sum, n);
        for (int64_t i = 0; i < n; ++i)
          if (!Finish((at + i) / columns, (at + i) % columns, i))
            not_finite_[static_cast<size_t>((at + i) / columns - first)] = true;
      }
      for (int64_t row = first; row < last; ++row)
        if (not_finite_[static_cast<size_t>(row - first)])
          RunTiledRows(c, a_.conv_, a_.grid_.OutputRow(row), a_.grid_.OutputRow(row + 1));
    }

   private:
    // Computes a sum for n patches.
    void Multiply(int64_t sum, int64_t n) const {
      const OutputBlocks& blocks = a_.blocks_;
      const Addends &addends = a_.addends_[sum], &next = a_.addends_[(sum + 1) % kSums];
      const float* from[Addends::kMost];
      int64_t lengths[Addends::kMost], starts[Addends::kMost];
      for (int64_t s = 0; s < addends.count; ++s) {
        from[s] = v_.get() + addends.elements[s] * a_.v_step_;
        lengths[s] = a_.channels_;
        starts[s] = addends.elements[s] * a_.panel_;
      }
      const float* in[Addends::kMost * kTileRows] = {};
      float* out[kTileRows] = {};
      for (int64_t block = 0; block < blocks.count; ++block) {
        const int64_t width = blocks.WidthOf(block);
        const float* panel = a_.PanelOf(block);
        const float* ahead = block + 1 < blocks.count
                                 ? a_.PanelOf(block + 1) + starts[0] * blocks.WidthOf(block + 1)
                                 : a_.PanelOf(0) + next.elements[0] * a_.panel_ * blocks.width;
        for (int64_t i = 0; i < n; i += kTileRows) {
          const int64_t rows = std::min<int64_t>(kTileRows, n - i);
          for (int64_t s = 0; s < addends.count; ++s)
            for (int64_t r = 0; r < rows; ++r)
              in[s * kTileRows + r] = from[s] + (i + r) * a_.channels_;
          for (int64_t r = 0; r < rows; ++r)
            out[r] = m_.get() + sum * a_.m_step_ + (i + r) * a_.conv_.out_channels;
          blocks.loops.Multiply(rows, width / blocks.loops.lanes,
                                {.in = in,
                                 .lengths = lengths,
                                 .starts = starts,
                                 .segments = addends.count,
                                 .in_step = 1,
                                 .filter = panel,
                                 .filter_row = width,
                                 .ahead = ahead + i / kTileRows % 4 * 16,
                                 .out = out,
                                 .first = block * blocks.width,
                                 .columns = width,
                                 .add = false});
        }
      }
    }

    // Makes the outputs of patch i of the buffers.
    bool Finish(int64_t row, int64_t column, int64_t i) const {
      const TiledConv& conv = a_.conv_;
      const int64_t y = row % a_.grid_.image_rows * 2, x = column * 2;
      float* const to = conv.out + row / a_.grid_.image_rows * conv.out_image + y * conv.out_row +
                        x * conv.out_column;
      const bool down = y + 1 < conv.patches.rows.out, right = x + 1 < conv.patches.columns.out;
      const float test = a_.blocks_.loops.winograd_output(
          {.from = m_.get() + i * conv.out_channels,
           .from_row = 4 * a_.m_step_,
           .from_column = a_.m_step_,
           .to = nullptr,
           .to_row = 0,
           .to_column = 0,
           .pixels = {to, right ? to + conv.out_column : unused_.get(),
                      down ? to + conv.out_row : unused_.get(),
                      down && right ? to + conv.out_row + conv.out_column : unused_.get()},
           .channels = conv.out_channels});
      return test == 0;
    }

    const Convolution& a_;
    PatchReader reader_;
    const Scratch<float> v_, m_, unused_;
    std::vector<bool> not_finite_;  // by row of a part
  };

  void TransformFilter(KernelCtx& c) {
    const int64_t n = conv_.out_channels, tap_size = channels_ * n, taps = scheme_.taps;
    const bool in_place = conv_.filter_out == 1;
    const Scratch<float> packed(c.allocator(), in_place ? 1 : taps * taps * tap_size);
    if (!in_place)
      c.ParallelFor(taps * taps, static_cast<double>(tap_size), [&](int64_t begin, int64_t end) {
        for (int64_t tap = begin; tap < end; ++tap)
          PackTransposed(
              conv_.filter + tap / taps * conv_.filter_row + tap % taps * conv_.filter_column,
              conv_.filter_out, channels_, n, n, packed.get() + tap * tap_size);
      });
    const float* const filter = in_place ? conv_.filter : packed.get();
    const int64_t row = in_place ? conv_.filter_row : taps * tap_size,
                  column = in_place ? conv_.filter_column : tap_size,
                  channel_step = in_place ? conv_.filter_channel : n;
    c.ParallelFor(channels_, static_cast<double>(n), [&](int64_t begin, int64_t end) {
      for (int64_t channel = begin; channel < end; ++channel)
        for (int64_t block = 0; block < blocks_.count; ++block) {
          const int64_t width = blocks_.WidthOf(block);
          blocks_.loops.winograd_filter[scheme_.loops](
              {.from = filter + channel * channel_step + block * blocks_.width,
               .from_row = row,
               .from_column = column,
               .to = PanelOf(block) + channel * width,
               .to_row = scheme_.side * panel_ * width,
               .to_column = panel_ * width,
               .pixels = {},
               .channels = width});
        }
    });
  }

  const TiledConv& conv_;
  const Scheme& scheme_;
  const PatchGrid grid_;
  const OutputBlocks blocks_;
  const int64_t channels_, panel_;  // panel_: rows of the filter from an element to the next one
  const int64_t most_;              // patches in the buffers
  const int64_t v_step_, m_step_;
  const Scratch<float> u_;
  Addends addends_[kSums];
};

bool IsWhole(float x) { return x == std::rint(x); }

// ---- the gradient for the filter ----

class FilterGradient {
 public:
  FilterGradient(KernelCtx& c, const PatchGrid& grid, const float* dy, int64_t outputs)
      : grid_(grid),
        scheme_(grid.scheme),
        blocks_(outputs),
        dy_(dy),
        outputs_(outputs),
        channels_(grid.p.channels),
        most_(scheme_.taps == 3 ? 384 : 128),
        v_step_(ArrayStep(most_ * channels_)),
        w_step_(ArrayStep(most_ * outputs)),
        u_step_(ArrayStep(channels_ * outputs)),
        v_(c.allocator(), scheme_.elements() * v_step_),
        w_(c.allocator(), kSums * w_step_),
        u_(c.allocator(), scheme_.elements() * u_step_) {
    std::fill_n(u_.get(), scheme_.elements() * u_step_, 0.0f);
  }

  // Returns false if a result is not finite.
  bool Run(KernelCtx& c, float* df) {
    const int64_t tiles = (channels_ + kTileRows - 1) / kTileRows;
    for (int64_t at = 0; at < grid_.size() && !c.cancelled(); at += most_) {
      const int64_t n = std::min(most_, grid_.size() - at);
      c.ParallelFor(n, static_cast<double>(channels_ + outputs_),
                    [&](int64_t begin, int64_t end) { Transform(c, at, begin, end); });
      const double ns = kNsPerMultiply * static_cast<double>(n * kTileRows * outputs_);
      c.ParallelFor(scheme_.elements() * tiles, ns, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) Multiply(i / tiles, i % tiles * kTileRows, n);
      });
    }
    std::atomic<bool> finite{true};
    c.ParallelFor(channels_, static_cast<double>(outputs_), [&](int64_t begin, int64_t end) {
      const float test = blocks_.loops.winograd_filter_grad[scheme_.loops](
          {.from = u_.get() + begin * outputs_,
           .from_row = scheme_.side * u_step_,
           .from_column = u_step_,
           .to = df + begin * outputs_,
           .to_row = scheme_.taps * channels_ * outputs_,
           .to_column = channels_ * outputs_,
           .pixels = {},
           .channels = (end - begin) * outputs_});
      if (!(test == 0)) finite = false;
    });
    return finite;
  }

 private:
  static constexpr int64_t kBlock = 64;  // patches that are multiplied before a tile is stored

  // Transforms patches [begin, end) of those in the buffers, and their part of dy.
  void Transform(KernelCtx& c, int64_t at, int64_t begin, int64_t end) const {
    PatchReader reader(grid_, c.allocator());
    const Scratch<float> zeros(c.allocator(), outputs_);
    std::fill_n(zeros.get(), outputs_, 0.0f);
    const WindowDim &rows = grid_.p.rows, &columns = grid_.p.columns;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = (at + i) / grid_.columns, column = (at + i) % grid_.columns;
      reader.Transform(blocks_.loops, row, column, v_.get() + i * channels_, v_step_);
      const int64_t y = row % grid_.image_rows * 2, x = column * 2;
      const bool down = y + 1 < rows.out, right = x + 1 < columns.out;
      // The transform only reads the pixels.
      float* const from = const_cast<float*>(dy_) +  // NOLINT
                          ((row / grid_.image_rows * rows.out + y) * columns.out + x) * outputs_;
      const int64_t line = columns.out * outputs_;
      blocks_.loops.winograd_output_grad(
          {.from = nullptr,
           .from_row = 0,
           .from_column = 0,
           .to = w_.get() + i * outputs_,
           .to_row = 4 * w_step_,
           .to_column = w_step_,
           .pixels = {from, right ? from + outputs_ : zeros.get(), down ? from + line : zeros.get(),
                      down && right ? from + line + outputs_ : zeros.get()},
           .channels = outputs_});
    }
  }

  // Adds the products of n patches to the rows of a tile, which begins at a channel.
  void Multiply(int64_t element, int64_t channel, int64_t n) const {
    const int64_t offset = std::max<int64_t>(0, std::min(channel, channels_ - kTileRows));
    for (int64_t block = 0; block < blocks_.count; ++block)
      for (int64_t i = 0; i < n; i += kBlock) {
        const OuterRun run{
            v_.get() + element * v_step_ + i * channels_,
            w_.get() + SumOf(scheme_, element) * w_step_ + i * outputs_ + block * blocks_.width,
            std::min(kBlock, n - i)};
        const int64_t width = blocks_.WidthOf(block);
        blocks_.loops.outer[width / blocks_.loops.lanes - 1](
            {.runs = &run,
             .n_runs = 1,
             .offset = offset,
             .a_row = channels_,
             .b_row = outputs_,
             .out = u_.get() + element * u_step_ + channel * outputs_ + block * blocks_.width,
             .out_row = outputs_,
             .skip = channel - offset,
             .rows = std::min<int64_t>(kTileRows, channels_ - channel),
             .columns = width});
      }
  }

  const PatchGrid& grid_;
  const Scheme& scheme_;
  const OutputBlocks blocks_;
  const float* const dy_;
  const int64_t outputs_, channels_;
  const int64_t most_;  // patches in the buffers
  const int64_t v_step_, w_step_, u_step_;
  const Scratch<float> v_, w_, u_;
};

}  // namespace

bool HasIntegers(const TiledConv& conv) {
  for (int64_t i = 0; i < conv.patches.rows.size; ++i)
    for (int64_t j = 0; j < conv.patches.columns.size; ++j)
      for (int64_t k = 0; k < conv.patches.channels; ++k) {
        const float* from =
            conv.filter + i * conv.filter_row + j * conv.filter_column + k * conv.filter_channel;
        for (int64_t o = 0; o < conv.out_channels; ++o)
          if (!IsWhole(from[o * conv.filter_out])) return false;
      }
  return true;
}

bool RunWinograd(KernelCtx& c, const TiledConv& conv) {
  const Scheme* const scheme = SchemeOf(conv.patches);
  if (!scheme || (conv.filter_out != 1 && conv.filter_channel != 1)) return false;
  if (!Pays(PatchGrid(*scheme, conv.patches, conv.batch), conv.out_channels) || HasIntegers(conv))
    return false;
  Convolution(c, conv, *scheme).Run(c);
  return true;
}

bool RunWinogradFilterGrad(KernelCtx& c, const ConvDims& d, const float* in, const float* dy,
                           float* df) {
  const Patches patches{.planes = d.planes,
                        .rows = d.rows,
                        .columns = d.columns,
                        .channels = d.filter_channels,
                        .pixel = d.in_channels,
                        .in = in};
  const Scheme* const scheme = SchemeOf(patches);
  if (!scheme) return false;
  const PatchGrid grid(*scheme, patches, d.batch);
  // A tile has kTileRows channels.
  if (d.filter_channels < kTileRows || !Pays(grid, d.out_channels)) return false;
  return FilterGradient(c, grid, dy, d.out_channels).Run(c, df);
}

}  // namespace tensh::ops
