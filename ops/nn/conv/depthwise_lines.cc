#include "ops/nn/conv/depthwise_lines.h"

#include <algorithm>

#include "ops/nn/conv/patches.h"
#include "ops/support/tiles/tiles.h"
#include "runtime/core/joined.h"

namespace tensh::ops {
namespace {

// A convolution with one filter per channel. Tap (i, j) of the filter is at filter[i * filter_row +
// j * filter_column]; the steps may be negative.
struct Depthwise {
  WindowDim rows, columns;
  int64_t batch = 0, channels = 0;
  const float *in = nullptr, *filter = nullptr;
  int64_t filter_row = 0, filter_column = 0;
  float* out = nullptr;
  int64_t out_image = 0, out_row = 0, out_column = 0;  // steps between outputs
  const Tensor* output = nullptr;                      // at `out`, if others may take it in parts

  void Run(KernelCtx& c) const {
    constexpr int64_t kPart = 16384;  // the elements that others take while they are in the cache
    const TileLoops& loops = TileLoopsFor(channels);
    PartsRunner* const taker = output ? TakerOf(c, *output) : nullptr;
    const int64_t most = taker ? std::max<int64_t>(1, kPart / out_row) : rows.out;
    c.ParallelFor(batch * rows.out, Cost(loops), [&](int64_t begin, int64_t end) {
      const int64_t part = ChannelsAtOnce(loops);
      for (int64_t line = begin; line < end;) {
        const int64_t image = line / rows.out, row = line % rows.out;
        const int64_t count = std::min({end - line, rows.out - row, most});
        for (int64_t channel = 0; channel < channels; channel += part) {
          // The last part may overlap the one before it, and computes the same values again.
          const int64_t first = std::max<int64_t>(0, std::min(channel, channels - loops.lanes));
          RunRows(loops, {image, row, row + count, first, std::min(part, channels - first)});
        }
        if (taker) taker->Finished(line * out_row, (line + count) * out_row);
        line += count;
      }
    });
  }

 private:
  // Some rows of an image, and some channels.
  struct Part {
    int64_t image, begin, end, channel, channels;
  };

  // The lines of the windows of a row should fit in the L1 cache, if each is read many times.
  int64_t ChannelsAtOnce(const TileLoops& loops) const {
    constexpr int64_t kFloats = 8192;
    const int64_t window = rows.size * columns.in;
    if (rows.size * columns.size < 4 * columns.stride * columns.stride ||
        window * loops.lanes > kFloats)
      return channels;
    return kFloats / window / loops.lanes * loops.lanes;
  }

  double Cost(const TileLoops& loops) const {
    return (loops.lanes > 1 ? 0.04 : 0.4) * static_cast<double>(rows.size * columns.size) *
               static_cast<double>(columns.out * channels) +
           50;
  }

  // A line of outputs whose windows have the same taps is computed at once. It is a part of a row
  // or, near the left and right edge, of a column.
  void RunRows(const TileLoops& loops, const Part& p) const {
    const WindowRange across = InsideOf(columns), down = InsideOf(rows);
    const int64_t begin = std::clamp(down.begin, p.begin, p.end);
    const int64_t end = std::clamp(down.end, begin, p.end);
    for (int64_t r = p.begin; r < p.end; ++r) {
      RunLine(loops, p, r, across.begin, across.end - across.begin, false);
      if (r >= begin && r < end) continue;
      for (int64_t q = 0; q < columns.out; ++q)
        if (q < across.begin || q >= across.end) RunLine(loops, p, r, q, 1, false);
    }
    for (int64_t q = 0; q < columns.out; ++q)
      if (q < across.begin || q >= across.end) RunLine(loops, p, begin, q, end - begin, true);
  }

  // Computes `count` outputs from (r, q) on, to the right or down.
  void RunLine(const TileLoops& loops, const Part& p, int64_t r, int64_t q, int64_t count,
               bool is_column) const {
    if (count <= 0) return;
    const int64_t i = rows.Begin(r), j = columns.Begin(q), row = columns.in * channels;
    const int64_t pixel = (p.image * rows.in + rows.At(r, i)) * columns.in + columns.At(q, j);
    loops.depthwise({.in = in + pixel * channels + p.channel,
                     .filter = filter + i * filter_row + j * filter_column + p.channel,
                     .in_step = is_column ? rows.stride * row : columns.stride * channels,
                     .in_row = rows.dilation * row,
                     .in_column = columns.dilation * channels,
                     .filter_row = filter_row,
                     .filter_column = filter_column,
                     .rows = rows.End(r) - i,
                     .columns = columns.End(q) - j,
                     .out = out + p.image * out_image + r * out_row + q * out_column + p.channel,
                     .out_step = is_column ? out_row : out_column,
                     .count = count,
                     .channels = p.channels});
  }
};

// Adds to the gradient of the filter, for a range of channels.
class FilterSums {
 public:
  FilterSums(const DepthwiseDims& d, int64_t batch, const float* in, const float* dy, float* df)
      : d_(d), batch_(batch), n_(d.out_channels()), in_(in), dy_(dy), df_(df) {}

  void Run(KernelCtx& c) const {
    // The order of a sum depends on the number of channels of a task, and this on the extents alone.
    const int64_t lanes = std::max<int64_t>(TileLoopsFor(n_).lanes, 4);
    const int64_t quarter = (n_ / 4 + lanes - 1) / lanes * lanes;
    const int64_t each = std::clamp(quarter, lanes, 4 * lanes);
    const double ns = 0.08 * static_cast<double>(d_.rows.size * d_.columns.size * each) *
                      static_cast<double>(batch_ * d_.rows.out * d_.columns.out);
    c.ParallelFor((n_ + each - 1) / each, ns, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task)
        RunChannels(c, task * each, std::min(each, n_ - task * each));
    });
  }

 private:
  void RunChannels(const KernelCtx& c, int64_t channel, int64_t channels) const {
    const TileLoops& loops = TileLoopsFor(channels);
    for (int64_t line = 0; line < batch_ * d_.rows.out && !c.cancelled(); ++line) {
      const int64_t image = line / d_.rows.out, r = line % d_.rows.out;
      const float* dy = dy_ + line * d_.columns.out * n_ + channel;
      const int64_t end = d_.rows.End(r);
      for (int64_t i = d_.rows.Begin(r); i < end; ++i) {
        const int64_t row = image * d_.rows.in + d_.rows.At(r, i);
        RunRow(loops, in_ + row * d_.columns.in * n_ + channel, dy,
               df_ + i * d_.columns.size * n_ + channel, channels);
      }
    }
  }

  void RunRow(const TileLoops& loops, const float* in, const float* dy, float* df,
              int64_t channels) const {
    const WindowDim& w = d_.columns;
    for (int64_t j = 0; j < w.size; ++j) {
      const WindowRange inside = TapInside(w, j);
      const int64_t first = inside.begin, count = inside.end - first;
      if (!count) continue;
      loops.depthwise_tap({.in = in + w.At(first, j) * n_,
                           .dy = dy + first * n_,
                           .in_step = w.stride * n_,
                           .dy_step = n_,
                           .count = count,
                           .out = df + j * n_,
                           .channels = channels});
    }
  }

  const DepthwiseDims& d_;
  const int64_t batch_, n_;
  const float *in_, *dy_;
  float* df_;
};

// Runs fn(number of images, in, out) for all images at once or, with several filters per channel, for
// one image after the other, whose channels are repeated. Then `in` is the repeated image.
template <class Fn>
Status ForImages(KernelCtx& c, const DepthwiseDims& d, Fn fn) {
  if (d.multiplier == 1) return fn(0, d.batch, nullptr);
  const int64_t n = d.rows.in * d.columns.in * d.out_channels();
  TENSH_ASSIGN(Tensor buffer, Tensor::Make(DType::kFloat, Shape({n}), c.allocator()));
  for (int64_t image = 0; image < d.batch; ++image)
    TENSH_RETURN_IF_ERROR(fn(image, 1, buffer.data<float>()));
  return {};
}

// Repeats each channel of the pixels of an image.
void RepeatChannels(KernelCtx& c, const DepthwiseDims& d, const float* in, float* out) {
  const int64_t m = d.multiplier, n = d.rows.in * d.columns.in * d.channels;
  c.ParallelFor(n, static_cast<double>(m), [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) std::fill_n(out + i * m, m, in[i]);
  });
}

// The sum of the copies of each channel.
void AddCopies(KernelCtx& c, const DepthwiseDims& d, const float* in, float* out) {
  const int64_t m = d.multiplier, n = d.rows.in * d.columns.in * d.channels;
  c.ParallelFor(n, static_cast<double>(m), [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float sum = 0;
      for (int64_t k = 0; k < m; ++k) sum += in[i * m + k];
      out[i] = sum;
    }
  });
}

}  // namespace

Status DepthwiseForward(KernelCtx& c, const DepthwiseDims& d, const float* in, const float* filter,
                        float* out, const Tensor* output) {
  const int64_t n = d.out_channels(), row = d.columns.out * n, image = d.rows.out * row;
  return ForImages(c, d, [&](int64_t first, int64_t count, float* repeated) -> Status {
    const float* from = in + first * d.rows.in * d.columns.in * d.channels;
    if (repeated) RepeatChannels(c, d, from, repeated);
    const Depthwise conv{.rows = d.rows,
                         .columns = d.columns,
                         .batch = count,
                         .channels = n,
                         .in = repeated ? repeated : from,
                         .filter = filter,
                         .filter_row = d.columns.size * n,
                         .filter_column = n,
                         .out = out + first * image,
                         .out_image = image,
                         .out_row = row,
                         .out_column = n,
                         .output = repeated ? nullptr : output};
    conv.Run(c);
    return {};
  });
}

Status DepthwiseInputGrad(KernelCtx& c, const DepthwiseDims& d, const float* filter,
                          const float* dy, float* dx) {
  const int64_t n = d.out_channels(), row = d.columns.in * n, image = d.rows.in * row;
  const int64_t column = n, filter_row = d.columns.size * n;
  return ForImages(c, d, [&](int64_t first, int64_t count, float* repeated) -> Status {
    float* to = repeated ? repeated : dx;
    // Elements that no window reaches are not computed.
    if (d.rows.stride > 1 || d.columns.stride > 1) std::fill_n(to, count * image, 0.0f);
    for (int64_t i = 0; i < GradPhases(d.rows); ++i) {
      const GradPhase rows = MakeGradPhase(d.rows, i);
      for (int64_t j = 0; j < GradPhases(d.columns); ++j) {
        const GradPhase columns = MakeGradPhase(d.columns, j);
        const Depthwise conv{
            .rows = rows.window,
            .columns = columns.window,
            .batch = count,
            .channels = n,
            .in = dy + first * d.rows.out * d.columns.out * n,
            .filter = filter + rows.last_tap * filter_row + columns.last_tap * column,
            .filter_row = -rows.tap_step * filter_row,
            .filter_column = -columns.tap_step * column,
            .out = to + rows.remainder * row + columns.remainder * n,
            .out_image = image,
            .out_row = d.rows.stride * row,
            .out_column = d.columns.stride * n};
        conv.Run(c);
      }
    }
    if (repeated) AddCopies(c, d, repeated, dx + first * d.rows.in * d.columns.in * d.channels);
    return {};
  });
}

Status DepthwiseFilterGrad(KernelCtx& c, const DepthwiseDims& d, const float* in, const float* dy,
                           float* df) {
  const int64_t n = d.out_channels();
  std::fill_n(df, d.rows.size * d.columns.size * n, 0.0f);
  return ForImages(c, d, [&](int64_t first, int64_t count, float* repeated) -> Status {
    const float* from = in + first * d.rows.in * d.columns.in * d.channels;
    if (repeated) RepeatChannels(c, d, from, repeated);
    FilterSums(d, count, repeated ? repeated : from, dy + first * d.rows.out * d.columns.out * n,
               df)
        .Run(c);
    return {};
  });
}

}  // namespace tensh::ops
