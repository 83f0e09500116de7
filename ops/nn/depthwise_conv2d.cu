// Convolutions of each channel on its own, and their gradients: a thread an element of the output.
#include "devices/cuda/cuda_kernel.h"
#include "ops/support/depthwise.h"

namespace tensh::cuda {
namespace {

using ops::DepthwiseDims;
using ops::WindowAttrs;

// Where (window, ky, kx, channel) reads the input; -1: padding.
TENSH_DEVICE inline int64_t InputAt(const DepthwiseDims& d, int64_t window, int64_t ky, int64_t kx,
                                    int64_t channel) {
  const int64_t x = d.columns.Element(window % d.columns.out, kx);
  const int64_t y = d.rows.Element(window / d.columns.out % d.rows.out, ky);
  const int64_t image = window / d.columns.out / d.rows.out;
  if (x < 0 || y < 0) return -1;
  return ((image * d.rows.in + y) * d.columns.in + x) * d.channels + channel;
}

struct Forward {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    DepthwiseDims d;
    TENSH_RETURN_IF_ERROR(ops::MakeDepthwise(w, c.in(0).shape(), c.in(1).shape(), d));
    TENSH_ASSIGN(const Shape shape, ops::DepthwiseOutShape(w, d));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto in = In<T>(c.in(0)), filter = In<T>(c.in(1));
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t o = i % d.out_channels();
      T sum = 0;
      for (int64_t ky = 0; ky < d.rows.size; ++ky)
        for (int64_t kx = 0; kx < d.columns.size; ++kx) {
          const int64_t at = InputAt(d, i / d.out_channels(), ky, kx, o / d.multiplier);
          if (at >= 0) sum += in[at] * filter[(ky * d.columns.size + kx) * d.out_channels() + o];
        }
      out[i] = sum;
    });
  }
};

struct InputGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape in, ops::DepthwiseSizes(c.in(0), "input_sizes input"));
    DepthwiseDims d;
    TENSH_RETURN_IF_ERROR(ops::DepthwiseGradDims(c, in, c.in(1).shape(), d));
    TENSH_OUTPUT(dx, c.Output(0, in));
    const auto filter = In<T>(c.in(1)), dy = In<T>(c.in(2));
    const auto out = Out<T>(dx);
    return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t channel = i % d.channels, pixel = i / d.channels;
      const int64_t x = pixel % d.columns.in, y = pixel / d.columns.in % d.rows.in;
      const int64_t image = pixel / d.columns.in / d.rows.in;
      T sum = 0;
      for (int64_t k = 0; k < d.rows.size * d.columns.size; ++k) {
        const int64_t oy = d.rows.WindowAt(y, k / d.columns.size);
        const int64_t ox = d.columns.WindowAt(x, k % d.columns.size);
        if (oy < 0 || ox < 0) continue;
        const int64_t window = (image * d.rows.out + oy) * d.columns.out + ox;
        for (int64_t q = channel * d.multiplier; q < (channel + 1) * d.multiplier; ++q)
          sum += dy[window * d.out_channels() + q] * filter[k * d.out_channels() + q];
      }
      out[i] = sum;
    });
  }
};

struct FilterGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape filter, ops::DepthwiseSizes(c.in(1), "filter_sizes input"));
    DepthwiseDims d;
    TENSH_RETURN_IF_ERROR(ops::DepthwiseGradDims(c, c.in(0).shape(), filter, d));
    TENSH_OUTPUT(df, c.Output(0, filter));
    const auto in = In<T>(c.in(0)), dy = In<T>(c.in(2));
    const auto out = Out<T>(df);
    return Reduce(
        c, df->num_elements(), d.batch * d.rows.out * d.columns.out, false, T(0),
        [=] TENSH_DEVICE(int64_t i, int64_t window) {
          const int64_t o = i % d.out_channels(), k = i / d.out_channels();
          const int64_t at =
              InputAt(d, window, k / d.columns.size, k % d.columns.size, o / d.multiplier);
          return at < 0 ? T(0) : in[at] * dy[window * d.out_channels() + o];
        },
        [] TENSH_DEVICE(T a, T b) { return a + b; },
        [=] TENSH_DEVICE(int64_t i, T sum) { out[i] = sum; });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_depthwise_conv2d) {
  r.Add<float, double, Half, Bfloat16>("DepthwiseConv2dNative", Forward(),
                                       {.prepare = ops::PrepareWindow});
  r.Add<float, double, Half, Bfloat16>("DepthwiseConv2dNativeBackpropInput", InputGrad(),
                                       {.host = "input_sizes", .prepare = ops::PrepareWindow});
  r.Add<float, double, Half, Bfloat16>("DepthwiseConv2dNativeBackpropFilter", FilterGrad(),
                                       {.host = "filter_sizes", .prepare = ops::PrepareWindow});
}

}  // namespace tensh::cuda
