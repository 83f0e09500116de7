// Depthwise convolutions and their gradients, with one thread per element of the output.
#include "devices/cuda/cuda_reduce.h"
#include "ops/nn/conv/depthwise_dims.h"

namespace tensh::cuda {
namespace {

using ops::DepthwiseDims;
using ops::ImageLayout;
using ops::WindowAttrs;
using Place = ImageLayout::Place;

struct Depthwise {
  DepthwiseDims d;
  ImageLayout in, out;
  Depthwise(const WindowAttrs& w, const DepthwiseDims& dims)
      : d(dims),
        in{1, d.rows.in, d.columns.in, d.channels, w.channels_first},
        out{1, d.rows.out, d.columns.out, d.out_channels(), w.channels_first} {}
  // Returns the offset of the input element that pixel k of the window of output element o reads,
  // or -1 if it is padding.
  TENSH_DEVICE int64_t Input(const Place& o, int64_t k) const {
    const int64_t y = d.rows.Element(o.row, k / d.columns.size);
    const int64_t x = d.columns.Element(o.column, k % d.columns.size);
    return x < 0 || y < 0 ? -1 : in.At({o.image, 0, y, x, o.channel / d.multiplier});
  }
  TENSH_BOTH int64_t pixels() const { return d.rows.size * d.columns.size; }
};

struct Forward {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    DepthwiseDims d;
    TENSH_RETURN_IF_ERROR(ops::MakeDepthwise(w, c.in(0).shape(), c.in(1).shape(), d));
    TENSH_ASSIGN(const Shape shape, ops::DepthwiseOutShape(w, d));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const Depthwise v(w, d);
    const auto in = In<T>(c.in(0)), filter = In<T>(c.in(1));
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const Place o = v.out.PlaceOf(i);
      T sum = 0;
      for (int64_t k = 0; k < v.pixels(); ++k) {
        const int64_t at = v.Input(o, k);
        if (at >= 0) sum += in[at] * filter[k * v.out.channels + o.channel];
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
    const Depthwise v(c.state<WindowAttrs>(), d);
    const auto filter = In<T>(c.in(1)), dy = In<T>(c.in(2));
    const auto out = Out<T>(dx);
    return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const Place p = v.in.PlaceOf(i);
      T sum = 0;
      for (int64_t k = 0; k < v.pixels(); ++k) {
        const int64_t y = v.d.rows.WindowAt(p.row, k / v.d.columns.size);
        const int64_t x = v.d.columns.WindowAt(p.column, k % v.d.columns.size);
        if (y < 0 || x < 0) continue;
        for (int64_t o = p.channel * v.d.multiplier; o < (p.channel + 1) * v.d.multiplier; ++o)
          sum += dy[v.out.At({p.image, 0, y, x, o})] * filter[k * v.out.channels + o];
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
    const Depthwise v(c.state<WindowAttrs>(), d);
    const auto in = In<T>(c.in(0)), dy = In<T>(c.in(2));
    const auto out = Out<T>(df);
    return Reduce(
        c, df->num_elements(), d.batch * v.out.pixels(), false, T(0),
        [=] TENSH_DEVICE(int64_t i, int64_t window) {
          const int64_t pixel = window % v.out.pixels();
          const Place o{window / v.out.pixels(), 0, pixel / v.out.columns, pixel % v.out.columns,
                        i % v.out.channels};
          const int64_t at = v.Input(o, i / v.out.channels);
          return at < 0 ? T(0) : in[at] * dy[v.out.At(o)];
        },
        [] TENSH_DEVICE(T a, T b) { return a + b; },
        [=] TENSH_DEVICE(int64_t i, T sum) { out[i] = sum; });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_conv_depthwise_conv2d) {
  r.Add<float, double, Half, Bfloat16>("DepthwiseConv2dNative", Forward(),
                                       {.prepare = ops::PrepareAnyWindow});
  r.Add<float, double, Half, Bfloat16>("DepthwiseConv2dNativeBackpropInput", InputGrad(),
                                       {.host = "input_sizes", .prepare = ops::PrepareAnyWindow});
  r.Add<float, double, Half, Bfloat16>("DepthwiseConv2dNativeBackpropFilter", FilterGrad(),
                                       {.host = "filter_sizes", .prepare = ops::PrepareAnyWindow});
}

}  // namespace tensh::cuda
