// Convolutions of images and their gradients as products of matrices: windows are laid out as rows
// in scratch memory. Groups of channels take loops over the window instead.
#include "devices/cuda/cuda_kernel.h"
#include "ops/support/conv_op.h"

namespace tensh::cuda {
namespace {

using ops::ConvDims;
using ops::WindowAttrs;
using ops::WindowDim;

struct Conv {
  WindowDim rows, columns;
  int64_t batch, in_channels, filter_channels, out_channels, groups;
  explicit Conv(const ConvDims& d)
      : rows(d.rows),
        columns(d.columns),
        batch(d.batch),
        in_channels(d.in_channels),
        filter_channels(d.filter_channels),
        out_channels(d.out_channels),
        groups(d.groups) {}
  TENSH_BOTH int64_t patch() const { return rows.size * columns.size * filter_channels; }
  TENSH_BOTH int64_t windows() const { return batch * rows.out * columns.out; }
  TENSH_BOTH int64_t per_group() const { return out_channels / groups; }
  // Where (ky, kx, channel) of a window's patch is in the input; -1: padding.
  TENSH_DEVICE int64_t Input(int64_t window, int64_t ky, int64_t kx, int64_t channel) const {
    const int64_t ox = window % columns.out, oy = window / columns.out % rows.out;
    const int64_t y = rows.Element(oy, ky), x = columns.Element(ox, kx);
    const int64_t image = window / columns.out / rows.out;
    return y < 0 || x < 0 ? -1 : ((image * rows.in + y) * columns.in + x) * in_channels + channel;
  }
};

template <class T>
Result<Tensor> LayOut(KernelCtx& c, const Conv& v, const Tensor& images) {
  int64_t n;
  if (__builtin_mul_overflow(v.windows(), v.patch(), &n))
    return ResourceExhausted("the windows of a convolution are too many");
  TENSH_ASSIGN(const Tensor windows, Scratch(c, kDTypeOf<T>, n));
  const auto in = In<T>(images);
  const auto out = Out<T>(windows);
  TENSH_RETURN_IF_ERROR(ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
    const int64_t channel = i % v.filter_channels, k = i / v.filter_channels;
    const int64_t kx = k % v.columns.size, ky = k / v.columns.size % v.rows.size;
    const int64_t at = v.Input(k / v.columns.size / v.rows.size, ky, kx, channel);
    out[i] = at < 0 ? T(0) : in[at];
  }));
  return windows;
}

template <class T>
Status Zero(KernelCtx& c, Tensor* y) {
  const auto out = Out<T>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); });
}

// Output element i of a convolution in groups.
template <class T>
Status ConvolveGroups(KernelCtx& c, const Conv& v, const Tensor& images, const Tensor& filters,
                      Tensor* y) {
  const auto in = In<T>(images), filter = In<T>(filters);
  const auto out = Out<T>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const int64_t o = i % v.out_channels, first = o / v.per_group() * v.filter_channels;
    T sum = 0;
    for (int64_t k = 0; k < v.patch(); ++k) {
      const int64_t channel = k % v.filter_channels, pixel = k / v.filter_channels;
      const int64_t at = v.Input(i / v.out_channels, pixel / v.columns.size, pixel % v.columns.size,
                                 first + channel);
      if (at >= 0) sum += in[at] * filter[k * v.out_channels + o];
    }
    out[i] = sum;
  });
}

struct Conv2D {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    const Tensor &images = c.in(0), &filter = c.in(1);
    TENSH_RETURN_IF_ERROR(ops::CheckConvRanks(w, images.shape(), filter.shape()));
    ConvDims d;
    TENSH_RETURN_IF_ERROR(ops::MakeConv(w, images.shape(), filter.shape(), d));
    TENSH_ASSIGN(const Shape shape, ops::ConvOutShape(w, d));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const Conv v(d);
    if (!y->num_elements()) return {};
    if (!v.patch()) return Zero<T>(c, y);
    if (v.groups > 1) return ConvolveGroups<T>(c, v, images, filter, y);
    TENSH_ASSIGN(const Tensor windows, LayOut<T>(c, v, images));
    return Gemm<T>(c, false, false, v.windows(), v.out_channels, v.patch(), windows.raw(),
                   filter.raw(), y->raw());
  }
};

// For each element of the input, the windows it lies in. from: dy·filterᵀ, laid out as windows.
template <class T>
Status GatherWindows(KernelCtx& c, const Conv& v, const Tensor& from, Tensor* dx) {
  const auto in = In<T>(from);
  const auto out = Out<T>(dx);
  return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const int64_t channel = i % v.in_channels, pixel = i / v.in_channels;
    const int64_t x = pixel % v.columns.in, y = pixel / v.columns.in % v.rows.in;
    const int64_t image = pixel / v.columns.in / v.rows.in;
    T sum = 0;
    for (int64_t ky = 0; ky < v.rows.size; ++ky) {
      const int64_t oy = v.rows.WindowAt(y, ky);
      for (int64_t kx = 0; oy >= 0 && kx < v.columns.size; ++kx) {
        const int64_t ox = v.columns.WindowAt(x, kx);
        if (ox < 0) continue;
        const int64_t window = (image * v.rows.out + oy) * v.columns.out + ox;
        sum += in[window * v.patch() + (ky * v.columns.size + kx) * v.filter_channels + channel];
      }
    }
    out[i] = sum;
  });
}

template <class T>
Status InputGradGroups(KernelCtx& c, const Conv& v, const Tensor& filters, const Tensor& arriving,
                       Tensor* dx) {
  const auto filter = In<T>(filters), dy = In<T>(arriving);
  const auto out = Out<T>(dx);
  return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const int64_t channel = i % v.in_channels, pixel = i / v.in_channels;
    const int64_t x = pixel % v.columns.in, y = pixel / v.columns.in % v.rows.in;
    const int64_t image = pixel / v.columns.in / v.rows.in, group = channel / v.filter_channels;
    T sum = 0;
    for (int64_t k = 0; k < v.rows.size * v.columns.size; ++k) {
      const int64_t oy = v.rows.WindowAt(y, k / v.columns.size);
      const int64_t ox = v.columns.WindowAt(x, k % v.columns.size);
      if (oy < 0 || ox < 0) continue;
      const int64_t window = (image * v.rows.out + oy) * v.columns.out + ox;
      const int64_t row = k * v.filter_channels + channel % v.filter_channels;
      for (int64_t o = group * v.per_group(); o < (group + 1) * v.per_group(); ++o)
        sum += dy[window * v.out_channels + o] * filter[row * v.out_channels + o];
    }
    out[i] = sum;
  });
}

struct InputGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    const Tensor &filter = c.in(1), &dy = c.in(2);
    constexpr char kLabel[] = "Conv2DBackpropInput";
    TENSH_ASSIGN(const Shape in, ops::ConvInputSizes(c.in(0), filter.shape(), dy.shape(), kLabel));
    ConvDims d;
    TENSH_RETURN_IF_ERROR(ops::ConvGradDims(w, in, filter.shape(), dy.shape(), kLabel, d));
    TENSH_OUTPUT(dx, c.Output(0, in));
    const Conv v(d);
    if (!dx->num_elements()) return {};
    if (!dy.num_elements() || !v.patch()) return Zero<T>(c, dx);
    if (v.groups > 1) return InputGradGroups<T>(c, v, filter, dy, dx);
    TENSH_ASSIGN(const Tensor windows, Scratch(c, kDTypeOf<T>, v.windows() * v.patch()));
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, true, v.windows(), v.patch(), v.out_channels, dy.raw(),
                                  filter.raw(), windows.raw()));
    return GatherWindows<T>(c, v, windows, dx);
  }
};

template <class T>
Status FilterGradGroups(KernelCtx& c, const Conv& v, const Tensor& images, const Tensor& arriving,
                        Tensor* df) {
  const auto in = In<T>(images), dy = In<T>(arriving);
  const auto out = Out<T>(df);
  return Reduce(
      c, df->num_elements(), v.windows(), false, T(0),
      [=] TENSH_DEVICE(int64_t i, int64_t window) {
        const int64_t o = i % v.out_channels, k = i / v.out_channels;
        const int64_t channel = o / v.per_group() * v.filter_channels + k % v.filter_channels;
        const int64_t pixel = k / v.filter_channels;
        const int64_t at = v.Input(window, pixel / v.columns.size, pixel % v.columns.size, channel);
        return at < 0 ? T(0) : in[at] * dy[window * v.out_channels + o];
      },
      [] TENSH_DEVICE(T a, T b) { return a + b; },
      [=] TENSH_DEVICE(int64_t i, T sum) { out[i] = sum; });
}

struct FilterGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    const Tensor &images = c.in(0), &dy = c.in(2);
    constexpr char kLabel[] = "Conv2DBackpropFilter";
    TENSH_ASSIGN(const Shape filter, ops::ConvFilterSizes(c.in(1), kLabel));
    ConvDims d;
    TENSH_RETURN_IF_ERROR(ops::ConvGradDims(w, images.shape(), filter, dy.shape(), kLabel, d));
    TENSH_OUTPUT(df, c.Output(0, filter));
    const Conv v(d);
    if (!df->num_elements()) return {};
    if (!dy.num_elements()) return Zero<T>(c, df);
    if (v.groups > 1) return FilterGradGroups<T>(c, v, images, dy, df);
    TENSH_ASSIGN(const Tensor windows, LayOut<T>(c, v, images));
    return Gemm<T>(c, true, false, v.patch(), v.out_channels, v.windows(), windows.raw(), dy.raw(),
                   df->raw());
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_conv) {
  r.Add<float, double, Half, Bfloat16>("Conv2D", Conv2D(), {.prepare = ops::PrepareWindow});
  r.Add<float, double, Half, Bfloat16>("Conv2DBackpropInput", InputGrad(),
                                       {.host = "input_sizes", .prepare = ops::PrepareWindow});
  r.Add<float, double, Half, Bfloat16>("Conv2DBackpropFilter", FilterGrad(),
                                       {.host = "filter_sizes", .prepare = ops::PrepareWindow});
}

}  // namespace tensh::cuda
