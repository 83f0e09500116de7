#include "ops/nn/conv/winograd_rows.h"

#include <algorithm>

#include "ops/nn/conv/winograd.h"
#include "ops/support/isa.h"
#include "ops/support/tiles/scratch.h"
#include "ops/support/tiles/tiles.h"

namespace tensh::ops {
namespace {

constexpr int64_t kRows = 4;           // transformed rows for two rows of outputs
constexpr int64_t kShortestLine = 64;  // elements of a row of a window
constexpr int64_t kBuffers = 3 << 15;  // floats of the rows that are computed at once

// Four rows of the image become four others.
struct TransformInput {
  TENSH_ALWAYS_INLINE static void Run(const float* const* in, float* to, int64_t step, int64_t n) {
    const float *d0 = in[0], *d1 = in[1], *d2 = in[2], *d3 = in[3];
    float *v0 = to, *v1 = to + step, *v2 = v1 + step, *v3 = v2 + step;
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const float a = d1[i], b = d2[i];
      v0[i] = d0[i] - b;
      v1[i] = a + b;
      v2[i] = b - a;
      v3[i] = a - d3[i];
    }
  }
};

// Three taps become four.
struct TransformTaps {
  TENSH_ALWAYS_INLINE static void Run(const float* from, int64_t row, float* to, int64_t step,
                                      int64_t n) {
    const float *g1 = from + row, *g2 = g1 + row;
    for (int64_t i = 0; i < n; ++i) {
      const float sum = 0.5f * (from[i] + g2[i]), half = 0.5f * g1[i];
      to[i] = from[i];
      to[step + i] = sum + half;
      to[2 * step + i] = sum - half;
      to[3 * step + i] = g2[i];
    }
  }
};

// Four rows of results become two rows of outputs. Sets *test to a number other than 0 if an element is not finite.
struct TransformOutput {
  TENSH_ALWAYS_INLINE static void Run(const float* from, int64_t step, int64_t n, float* y0,
                                      float* y1, float* test) {
    constexpr int64_t kLanes = 16;
    float sums[kLanes] = {};
    const float *m1 = from + step, *m2 = m1 + step, *m3 = m2 + step;
    for (int64_t i = 0; i < n; i += kLanes)
      for (int64_t k = i; k < i + kLanes; ++k) {
        const float a = from[k] + m1[k] + m2[k], b = m1[k] - m2[k] - m3[k];
        sums[k - i] += a * 0.0f + b * 0.0f;
        y0[k] = a;
        y1[k] = b;
      }
    *test = 0;
    for (const float sum : sums) *test += sum;
  }
};

// Pairs of rows of outputs are numbered through all images.
class RowPairs {
 public:
  RowPairs(KernelCtx& c, const TiledConv& conv)
      : conv_(conv),
        p_(conv.patches),
        image_pairs_((p_.rows.out + 1) / 2),
        in_row_(p_.columns.in * p_.channels),
        out_row_(p_.columns.out * conv.out_channels),
        filter_(p_.line() * conv.out_channels),
        weights_(c.allocator(), kRows * filter_) {}

  void Run(KernelCtx& c) {
    for (int64_t j = 0; j < p_.line(); ++j) {
      const int64_t tap = j / p_.channels, channel = j % p_.channels;
      Dispatch<TransformTaps>(
          conv_.filter + tap * conv_.filter_column + channel * conv_.filter_channel,
          conv_.filter_row, weights_.get() + j * conv_.out_channels, filter_, conv_.out_channels);
    }
    const int64_t pairs = conv_.batch * image_pairs_;
    const int64_t part = std::clamp<int64_t>(kBuffers / (kRows * (in_row_ + out_row_)), 1,
                                             std::max<int64_t>(1, pairs / (2 * c.threads())));
    PartsRunner* const taker = conv_.output ? TakerOf(c, *conv_.output) : nullptr;
    const double ns =
        0.016 * static_cast<double>(part * kRows * p_.columns.out) * static_cast<double>(filter_);
    c.ParallelFor((pairs + part - 1) / part, ns, [&](int64_t begin, int64_t end) {
      const Buffers buffers(c.allocator(), *this, part);
      for (int64_t i = begin; i < end && !c.cancelled(); ++i) {
        const int64_t first = i * part, last = std::min(first + part, pairs);
        RunPart(c, buffers, first, last);
        if (taker) taker->Finished(OutputRow(first) * out_row_, OutputRow(last) * out_row_);
      }
    });
  }

 private:
  struct Buffers {
    Buffers(Allocator* allocator, const RowPairs& all, int64_t pairs)
        : in(allocator, kRows * pairs * all.in_row_),
          out(allocator, kRows * pairs * all.out_row_),
          zeros(allocator, all.in_row_),
          unused(allocator, all.out_row_) {
      std::fill_n(zeros.get(), all.in_row_, 0.0f);
    }
    const Scratch<float> in, out, zeros, unused;
  };

  // The first row of outputs of a pair, or the end of all.
  int64_t OutputRow(int64_t pair) const {
    return pair / image_pairs_ * p_.rows.out + std::min(pair % image_pairs_ * 2, p_.rows.out);
  }

  // Computes pairs [first, last). A pair with a result that is not finite is computed again, directly.
  void RunPart(const KernelCtx& c, const Buffers& b, int64_t first, int64_t last) const {
    const int64_t n = last - first;
    for (int64_t pair = first; pair < last; ++pair) {
      const int64_t y = p_.rows.At(pair % image_pairs_ * 2, 0);
      const float* const image = p_.in + pair / image_pairs_ * p_.rows.in * in_row_;
      const float* rows[kRows];
      for (int64_t k = 0; k < kRows; ++k) {
        const bool inside = y + k >= 0 && y + k < p_.rows.in;
        rows[k] = inside ? image + (y + k) * in_row_ : b.zeros.get();
      }
      Dispatch<TransformInput>(rows, b.in.get() + (pair - first) * in_row_, n * in_row_, in_row_);
    }
    for (int64_t e = 0; e < kRows; ++e) RunTiledRows(c, RowConv(b, e, n), 0, n);
    for (int64_t pair = first; pair < last; ++pair) {
      const int64_t row = pair % image_pairs_ * 2;
      float* const to = conv_.out + pair / image_pairs_ * conv_.out_image + row * conv_.out_row;
      float test = 0;
      Dispatch<TransformOutput>(b.out.get() + (pair - first) * out_row_, n * out_row_, out_row_, to,
                                row + 1 < p_.rows.out ? to + conv_.out_row : b.unused.get(), &test);
      if (!(test == 0)) RunTiledRows(c, conv_, OutputRow(pair), OutputRow(pair + 1));
    }
  }

  // The convolution of n rows of the buffers with row e of the transformed filter.
  TiledConv RowConv(const Buffers& b, int64_t e, int64_t n) const {
    const int64_t outputs = conv_.out_channels;
    return {.patches = {.planes = p_.planes,
                        .rows = {.in = n, .out = n},
                        .columns = p_.columns,
                        .channels = p_.channels,
                        .pixel = p_.channels,
                        .in = b.in.get() + e * n * in_row_},
            .batch = 1,
            .filter = weights_.get() + e * filter_,
            .filter_plane = filter_,
            .filter_row = filter_,
            .filter_column = p_.channels * outputs,
            .filter_channel = outputs,
            .out_channels = outputs,
            .out = b.out.get() + e * n * out_row_,
            .out_image = n * out_row_,
            .out_plane = n * out_row_,
            .out_row = out_row_,
            .out_column = outputs};
  }

  const TiledConv& conv_;
  const Patches& p_;
  const int64_t image_pairs_;
  const int64_t in_row_, out_row_;  // elements
  const int64_t filter_;            // elements of a row of the filter
  const Scratch<float> weights_;    // the transformed filter
};

bool Pays(const TiledConv& conv) {
  const Patches& p = conv.patches;
  if (p.planes.in != 1 || p.planes.size != 1 || p.planes.out != 1) return false;
  if (p.columns.size <= p.rows.size) return false;  // winograd.h is better for small squares
  if (p.rows.size != 3 || p.rows.stride != 1 || p.rows.dilation != 1) return false;
  if (p.channels != p.pixel || p.line() < kShortestLine) return false;
  if (conv.filter_out != 1 || conv.out_column != conv.out_channels ||
      conv.out_channels % BestTileLoops().lanes || conv.out_channels % 16)
    return false;
  // In multiply-adds of a vector, for each pixel of the result. The last term is the transform of the filter.
  const auto line = static_cast<double>(p.line()), in = static_cast<double>(p.channels),
             out = static_cast<double>(conv.out_channels);
  const double pairs = static_cast<double>(p.rows.out + 1) / 2 / static_cast<double>(p.rows.out);
  const auto pixels = static_cast<double>(conv.batch * p.rows.out * p.columns.out);
  return pairs * (4.3 * line * out + 16 * in + 20 * out) + 25 * line * out / pixels <
         0.9 * 3 * line * out;
}

}  // namespace

bool RunWinogradRows(KernelCtx& c, const TiledConv& conv) {
  if (!Pays(conv) || HasIntegers(conv)) return false;
  RowPairs(c, conv).Run(c);
  return true;
}

}  // namespace tensh::ops
