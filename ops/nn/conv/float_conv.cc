// Convolve and ConvolveInputGrad of floats: they find the loops for a convolution.
#include <algorithm>
#include <atomic>
#include <bit>

#include "ops/math/matmul/gemm.h"
#include "ops/nn/conv/conv_gemm.h"
#include "ops/nn/conv/depthwise_lines.h"
#include "ops/nn/conv/patches.h"
#include "ops/nn/conv/tiled_conv.h"
#include "ops/support/isa.h"
#include "ops/support/tiles/scratch.h"
#include "ops/support/tiles/tiles.h"

namespace tensh::ops {
namespace {

struct FiniteTest {
  // Sets *any to a number other than 0 if an element is infinite or NaN.
  TENSH_ALWAYS_INLINE static void Run(const float* x, int64_t n, int32_t* any) {
    int32_t found = 0;
    for (int64_t i = 0; i < n; ++i) {
      const auto bits = std::bit_cast<int32_t>(x[i]);
      found |= (bits & 0x7f800000) == 0x7f800000;
    }
    *any = found;
  }
};

bool AllFinite(KernelCtx& c, const float* x, int64_t n) {
  std::atomic<bool> finite{true};
  c.ParallelFor(n, 0.05, [&](int64_t begin, int64_t end) {
    int32_t any = 0;
    Dispatch<FiniteTest>(x + begin, end - begin, &any);
    if (any) finite = false;
  });
  return finite;
}

// Returns the number of groups that are computed together because one of them has fewer outputs than a
// vector has elements. It divides the number of groups.
int64_t GroupsToMerge(const ConvDims& d) {
  const int64_t n = d.out_channels / d.groups;
  int64_t merged = 1;
  for (int64_t m = 2; m * n <= BestTileLoops().lanes; ++m)
    if (d.groups % m == 0) merged = m;
  return merged;
}

// Copies images so that the pixels of one group follow each other: to[group][pixel][channel].
void CopyGroups(KernelCtx& c, const float* in, int64_t pixels, int64_t groups, int64_t channels,
                float* to) {
  c.ParallelFor(pixels, 0.2 * static_cast<double>(groups * channels),
                [&](int64_t begin, int64_t end) {
                  for (int64_t p = begin; p < end; ++p)
                    for (int64_t g = 0; g < groups; ++g)
                      CopyFloats(in + (p * groups + g) * channels, channels,
                                 to + (g * pixels + p) * channels);
                });
}

// Computes `merged` groups at a time. Their filter is that of one convolution, in which the weights
// between different groups are 0. Each vector then has more outputs, for the same number of
// multiplications of vectors. An input that is not finite would make NaN in other groups.
void RunGroups(KernelCtx& c, const ConvDims& d, int64_t merged, const float* in,
               const float* filter, float* out, const Tensor* output) {
  const int64_t one_in = d.filter_channels, one_out = d.out_channels / d.groups;
  const int64_t channels = merged * one_in, n = merged * one_out;
  const int64_t taps = d.planes.size * d.rows.size * d.columns.size;
  const int64_t per_row = d.columns.out * d.out_channels;
  const int64_t pixels = d.batch * d.planes.in * d.rows.in * d.columns.in;
  const Scratch<float> images(c.allocator(), d.groups > 1 ? pixels * d.in_channels : 1);
  if (d.groups > 1) CopyGroups(c, in, pixels, d.groups / merged, channels, images.get());
  const Scratch<float> weights(c.allocator(), merged > 1 ? taps * channels * n : 1);
  TiledConv conv{.patches = {.planes = d.planes,
                             .rows = d.rows,
                             .columns = d.columns,
                             .channels = channels,
                             .pixel = channels},
                 .batch = d.batch,
                 .filter_channel = merged > 1 ? n : d.out_channels,
                 .out_channels = n,
                 .out_image = d.planes.out * d.rows.out * per_row,
                 .out_plane = d.rows.out * per_row,
                 .out_row = per_row,
                 .out_column = d.out_channels,
                 .output = output};
  conv.filter_column = channels * conv.filter_channel;
  conv.filter_row = d.columns.size * conv.filter_column;
  conv.filter_plane = d.rows.size * conv.filter_row;
  for (int64_t g = 0; g < d.groups && !c.cancelled(); g += merged) {
    conv.filter = filter + g * one_out;
    if (merged > 1) {
      std::fill_n(weights.get(), taps * channels * n, 0.0f);
      for (int64_t row = 0; row < taps * channels; ++row) {
        const int64_t group = row % channels / one_in, channel = row % one_in;
        std::copy_n(
            conv.filter + (row / channels * one_in + channel) * d.out_channels + group * one_out,
            one_out, weights.get() + row * n + group * one_out);
      }
      conv.filter = weights.get();
    }
    conv.patches.in = d.groups > 1 ? images.get() + g * one_in * pixels : in;
    conv.out = out + g * one_out;
    RunTiledConv(c, conv);
  }
}

}  // namespace

template <>
Status Convolve(KernelCtx& c, const ConvDims& d, const float* in, const float* filter, float* out,
                const Tensor* output) {
  if (!d.out_channels) return {};
  if (d.is_product()) {
    Gemm(c, {.m = d.batch * d.positions(), .n = d.out_channels, .k = d.in_channels}, in, filter,
         out, output);
    return {};
  }
  // One channel in each group, as in the depthwise convolutions of Keras and PyTorch. The filters have
  // the same layout.
  if (d.groups > 1 && d.filter_channels == 1 && d.planes.in == 1 && d.planes.size == 1)
    return DepthwiseForward(c,
                            {.batch = d.batch,
                             .channels = d.in_channels,
                             .multiplier = d.out_channels / d.groups,
                             .rows = d.rows,
                             .columns = d.columns},
                            in, filter, out, output);
  const int64_t merged = GroupsToMerge(d);
  const bool merges = merged > 1 && AllFinite(c, in, d.batch * d.image());
  RunGroups(c, d, merges ? merged : 1, in, filter, out, d.groups == 1 ? output : nullptr);
  return {};
}

template <>
Status ConvolveInputGrad(KernelCtx& c, const ConvDims& d, const float* filter, const float* dy,
                         float* dx, const Tensor* output) {
  const int64_t n = d.out_channels, column = d.in_channels * n, row = d.columns.size * column,
                plane = d.rows.size * row, dx_row = d.columns.in * d.in_channels,
                dx_plane = d.rows.in * dx_row;
  const bool empty = !d.batch || !d.positions() || !n;
  if (d.is_product() && !empty) {
    Gemm(c, {.transpose_b = true, .m = d.batch * d.positions(), .n = d.in_channels, .k = n}, dy,
         filter, dx, output);
    return {};
  }
  // Elements that no window reaches are not computed.
  if (empty || d.planes.stride > 1 || d.rows.stride > 1 || d.columns.stride > 1)
    std::fill_n(dx, d.batch * d.image(), 0.0f);
  if (empty || !d.image()) return {};
  const bool one_phase = d.planes.stride * d.rows.stride * d.columns.stride == 1;
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
                         .out_column = d.columns.stride * d.in_channels,
                         .output = one_phase ? output : nullptr});
      }
    }
  }
  return {};
}

}  // namespace tensh::ops
