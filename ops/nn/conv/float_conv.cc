// Convolve and ConvolveInputGrad of floats: finds the loops for a convolution.
#include <algorithm>

#include "ops/math/matmul/gemm.h"
#include "ops/nn/conv/conv_gemm.h"
#include "ops/nn/conv/depthwise_lines.h"
#include "ops/nn/conv/tiled_conv.h"

namespace tensh::ops {

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
                 .out_column = d.out_channels,
                 .output = d.groups == 1 ? output : nullptr};
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
