// Convolutions of images and volumes, and their gradients, as matrix products: the windows are laid
// out as rows in scratch memory. Grouped convolutions loop over the window instead. If channels
// come first, the matrices of pixels by channels that a product reads or writes are transposed.
#include "devices/cuda/convolutions.h"
#include "devices/cuda/cuda_kernel.h"
#include "ops/nn/conv/conv_kernels.h"

namespace tensh::cuda {
namespace {

using ops::ConvDims;
using ops::ImageLayout;
using ops::WindowAttrs;
using ops::WindowDim;
using Place = ImageLayout::Place;

// The position of a pixel within the filter.
struct Pixel {
  int64_t plane, row, column;
};

struct Conv {
  WindowDim planes, rows, columns;
  ImageLayout in, out;
  int64_t batch, filter_channels, groups;
  Conv(const WindowAttrs& w, const ConvDims& d)
      : planes(d.planes),
        rows(d.rows),
        columns(d.columns),
        in{planes.in, rows.in, columns.in, d.in_channels, w.channels_first},
        out{planes.out, rows.out, columns.out, d.out_channels, w.channels_first},
        batch(d.batch),
        filter_channels(d.filter_channels),
        groups(d.groups) {}
  TENSH_BOTH int64_t pixels() const { return planes.size * rows.size * columns.size; }
  TENSH_BOTH int64_t patch() const { return pixels() * filter_channels; }
  TENSH_BOTH int64_t windows() const { return batch * out.pixels(); }
  TENSH_BOTH int64_t per_group() const { return out.channels / groups; }
  TENSH_DEVICE Pixel PixelOf(int64_t k) const {
    return {k / columns.size / rows.size, k / columns.size % rows.size, k % columns.size};
  }
  // Windows are numbered like the pixels of an output with one channel.
  TENSH_DEVICE Place WindowOf(int64_t number) const {
    return ImageLayout{out.planes, out.rows, out.columns}.PlaceOf(number);
  }
  TENSH_DEVICE int64_t NumberOf(const Place& window) const {
    return window.image * out.pixels() + (window.plane * out.rows + window.row) * out.columns +
           window.column;
  }
  // Returns the offset of the input element at pixel k of a window, or -1 if it is padding.
  TENSH_DEVICE int64_t Input(const Place& window, const Pixel& k, int64_t channel) const {
    const int64_t z = planes.Element(window.plane, k.plane), y = rows.Element(window.row, k.row),
                  x = columns.Element(window.column, k.column);
    return z < 0 || y < 0 || x < 0 ? -1 : in.At({window.image, z, y, x, channel});
  }
  // Calls fn(window, pixel) for each window that covers position p of the input; `pixel` is the
  // position of p within that window.
  template <class F>
  TENSH_DEVICE void ForWindowsOver(const Place& p, F fn) const {
    for (int64_t kz = 0; kz < planes.size; ++kz) {
      const int64_t z = planes.WindowAt(p.plane, kz);
      for (int64_t ky = 0; z >= 0 && ky < rows.size; ++ky) {
        const int64_t y = rows.WindowAt(p.row, ky);
        for (int64_t kx = 0; y >= 0 && kx < columns.size; ++kx) {
          const int64_t x = columns.WindowAt(p.column, kx);
          if (x >= 0) fn(Place{p.image, z, y, x, 0}, (kz * rows.size + ky) * columns.size + kx);
        }
      }
    }
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
    const int64_t at = v.Input(v.WindowOf(k / v.pixels()), v.PixelOf(k % v.pixels()), channel);
    out[i] = at < 0 ? T(0) : in[at];
  }));
  return windows;
}

// Copies a product, which has one row per window, to the layout of the output.
template <class T>
Status PutWindows(KernelCtx& c, const Conv& v, const Tensor& from, Tensor* y) {
  const auto in = In<T>(from);
  const auto out = Out<T>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const Place p = v.out.PlaceOf(i);
    out[i] = in[v.NumberOf(p) * v.out.channels + p.channel];
  });
}

// Returns the incoming gradient as a matrix with one row per window.
template <class T>
Result<Tensor> ByWindows(KernelCtx& c, const Conv& v, const Tensor& dy) {
  if (!v.out.channels_first) return dy;
  TENSH_ASSIGN(const Tensor windows, Scratch(c, kDTypeOf<T>, dy.num_elements()));
  const auto in = In<T>(dy);
  const auto out = Out<T>(windows);
  TENSH_RETURN_IF_ERROR(ForEach(c, dy.num_elements(), [=] TENSH_DEVICE(int64_t i) {
    Place p = v.WindowOf(i / v.out.channels);
    p.channel = i % v.out.channels;
    out[i] = in[v.out.At(p)];
  }));
  return windows;
}

template <class T>
Status Zero(KernelCtx& c, Tensor* y) {
  const auto out = Out<T>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); });
}

// Grouped convolution: one thread per element i of the output.
template <class T>
Status ConvolveGroups(KernelCtx& c, const Conv& v, const Tensor& images, const Tensor& filters,
                      Tensor* y) {
  const auto in = In<T>(images), filter = In<T>(filters);
  const auto out = Out<T>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const Place p = v.out.PlaceOf(i);
    const int64_t first = p.channel / v.per_group() * v.filter_channels;
    T sum = 0;
    for (int64_t k = 0; k < v.patch(); ++k) {
      const int64_t channel = k % v.filter_channels;
      const int64_t at = v.Input(p, v.PixelOf(k / v.filter_channels), first + channel);
      if (at >= 0) sum += in[at] * filter[k * v.out.channels + p.channel];
    }
    out[i] = sum;
  });
}

struct Forward {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    const Tensor &images = c.in(0), &filter = c.in(1);
    ConvDims d;
    TENSH_RETURN_IF_ERROR(ops::MakeConv(w, images.shape(), filter.shape(), d));
    TENSH_RETURN_IF_ERROR(ops::CheckVolumeDepth(w, d));
    TENSH_ASSIGN(const Shape shape, ops::ConvOutShape(w, d));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const Conv v(w, d);
    if (!y->num_elements()) return {};
    if (!v.patch()) return Zero<T>(c, y);
    if (v.groups > 1) return ConvolveGroups<T>(c, v, images, filter, y);
    TENSH_ASSIGN(const Tensor windows, LayOut<T>(c, v, images));
    Tensor product = *y;
    if (v.out.channels_first) {
      TENSH_ASSIGN(product, Scratch(c, kDTypeOf<T>, y->num_elements()));
    }
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, false, v.windows(), v.out.channels, v.patch(),
                                  windows.raw(), filter.raw(), product.raw()));
    return v.out.channels_first ? PutWindows<T>(c, v, product, y) : Status();
  }
};

// For each element of the input, sums its contributions from all windows that cover it. `from` is
// dy·filterᵀ, with one row per window.
template <class T>
Status GatherWindows(KernelCtx& c, const Conv& v, const Tensor& from, Tensor* dx) {
  const auto in = In<T>(from);
  const auto out = Out<T>(dx);
  return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const Place p = v.in.PlaceOf(i);
    T sum = 0;
    v.ForWindowsOver(p, [&](const Place& window, int64_t k) {
      sum += in[v.NumberOf(window) * v.patch() + k * v.filter_channels + p.channel];
    });
    out[i] = sum;
  });
}

template <class T>
Status InputGradGroups(KernelCtx& c, const Conv& v, const Tensor& filters, const Tensor& arriving,
                       Tensor* dx) {
  const auto filter = In<T>(filters), dy = In<T>(arriving);
  const auto out = Out<T>(dx);
  return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const Place p = v.in.PlaceOf(i);
    const int64_t group = p.channel / v.filter_channels;
    T sum = 0;
    v.ForWindowsOver(p, [&](const Place& window, int64_t k) {
      const int64_t number = v.NumberOf(window);
      const int64_t row = k * v.filter_channels + p.channel % v.filter_channels;
      for (int64_t o = group * v.per_group(); o < (group + 1) * v.per_group(); ++o)
        sum += dy[number * v.out.channels + o] * filter[row * v.out.channels + o];
    });
    out[i] = sum;
  });
}

// The gradient with respect to the images. `sizes`: input 0 holds their shape instead of the
// images.
template <bool sizes>
struct InputGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    const Tensor& filter = c.in(1);
    const char* label = w.volume ? "Conv3DBackpropInput" : "Conv2DBackpropInput";
    Shape in = c.in(0).shape();
    if constexpr (sizes) {
      TENSH_ASSIGN(in, ops::ConvInputSizes(c.in(0), filter.shape(), c.in(2).shape(), label));
    }
    ConvDims d;
    TENSH_RETURN_IF_ERROR(ops::ConvGradDims(w, in, filter.shape(), c.in(2).shape(), label, d));
    TENSH_OUTPUT(dx, c.Output(0, in));
    const Conv v(w, d);
    if (!dx->num_elements()) return {};
    if (!c.in(2).num_elements() || !v.patch()) return Zero<T>(c, dx);
    TENSH_ASSIGN(const Tensor dy, ByWindows<T>(c, v, c.in(2)));
    if (v.groups > 1) return InputGradGroups<T>(c, v, filter, dy, dx);
    TENSH_ASSIGN(const Tensor windows, Scratch(c, kDTypeOf<T>, v.windows() * v.patch()));
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, true, v.windows(), v.patch(), v.out.channels, dy.raw(),
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
        const int64_t o = i % v.out.channels, k = i / v.out.channels;
        const int64_t channel = o / v.per_group() * v.filter_channels + k % v.filter_channels;
        const int64_t at = v.Input(v.WindowOf(window), v.PixelOf(k / v.filter_channels), channel);
        return at < 0 ? T(0) : in[at] * dy[window * v.out.channels + o];
      },
      [] TENSH_DEVICE(T a, T b) { return a + b; },
      [=] TENSH_DEVICE(int64_t i, T sum) { out[i] = sum; });
}

template <bool sizes>
struct FilterGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    const Tensor& images = c.in(0);
    const char* label = w.volume ? "Conv3DBackpropFilter" : "Conv2DBackpropFilter";
    Shape filter = c.in(1).shape();
    if constexpr (sizes) {
      TENSH_ASSIGN(filter, ops::ConvFilterSizes(c.in(1), label));
    }
    ConvDims d;
    TENSH_RETURN_IF_ERROR(ops::ConvGradDims(w, images.shape(), filter, c.in(2).shape(), label, d));
    TENSH_OUTPUT(df, c.Output(0, filter));
    const Conv v(w, d);
    if (!df->num_elements()) return {};
    if (!c.in(2).num_elements()) return Zero<T>(c, df);
    TENSH_ASSIGN(const Tensor dy, ByWindows<T>(c, v, c.in(2)));
    if (v.groups > 1) return FilterGradGroups<T>(c, v, images, dy, df);
    TENSH_ASSIGN(const Tensor windows, LayOut<T>(c, v, images));
    return Gemm<T>(c, true, false, v.patch(), v.out.channels, v.windows(), windows.raw(), dy.raw(),
                   df->raw());
  }
};

// A convolution of images by cuDNN or, if that does not support it, by the kernels above.
template <class Own, ConvCall::Kind kind>
struct ByLibrary {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    Status status = Run(c, kDTypeOf<T>);
    if (status.code() != Code::kUnimplemented) return status;
    constexpr bool kAsFloat = kIsHalf<T> && !OfHalves<Own>;
    if constexpr (kAsFloat)
      return RunByFloat(
          c, [](KernelCtx& wide) -> Status { return Own{}.template operator()<float>(wide); }, true);
    else
      return Own{}.template operator()<T>(c);
  }

 private:
  static Status Run(KernelCtx& c, DType type) {
    constexpr const char* kLabel =
        kind == ConvCall::kFilter ? "Conv2DBackpropFilter" : "Conv2DBackpropInput";
    const auto& w = c.state<WindowAttrs>();
    Shape in = c.in(0).shape(), filter = c.in(1).shape();
    ConvDims d;
    Shape made = filter;
    if constexpr (kind == ConvCall::kForward) {
      TENSH_RETURN_IF_ERROR(ops::MakeConv(w, in, filter, d));
      TENSH_ASSIGN(made, ops::ConvOutShape(w, d));
    } else {
      if constexpr (kind == ConvCall::kInput) {
        TENSH_ASSIGN(in, ops::ConvInputSizes(c.in(0), filter, c.in(2).shape(), kLabel));
        made = in;
      } else {
        TENSH_ASSIGN(filter, ops::ConvFilterSizes(c.in(1), kLabel));
        made = filter;
      }
      TENSH_RETURN_IF_ERROR(ops::ConvGradDims(w, in, filter, c.in(2).shape(), kLabel, d));
    }
    if (!made.num_elements() || !d.patch() || !d.batch || !d.positions())
      return Unimplemented("an empty convolution");
    TENSH_OUTPUT(result, c.Output(0, made));
    const auto side = [](const WindowDim& s) {
      return ConvSide{s.in, s.out, s.size, s.stride, s.dilation, s.before};
    };
    const Tensor& y = kind == ConvCall::kForward ? *result : c.in(2);
    return ConvolveByLibrary(
        c, {kind, type, w.channels_first, d.batch, d.in_channels, d.out_channels, d.groups,
            side(d.rows), side(d.columns), kind == ConvCall::kInput ? result->raw() : c.in(0).raw(),
            kind == ConvCall::kFilter ? result->raw() : c.in(1).raw(), y.raw()});
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_conv_conv) {
  const RowOptions window{.prepare = ops::PrepareAnyWindow};
  const RowOptions input_sizes{.host = "input_sizes", .prepare = ops::PrepareAnyWindow};
  const RowOptions filter_sizes{.host = "filter_sizes", .prepare = ops::PrepareAnyWindow};
  r.Add<float, double, Half, Bfloat16>("Conv2D", ByLibrary<Forward, ConvCall::kForward>(), window);
  r.Add<float, double, Half, Bfloat16>("Conv2DBackpropInput",
                                       ByLibrary<InputGrad<true>, ConvCall::kInput>(), input_sizes);
  r.Add<float, double, Half, Bfloat16>(
      "Conv2DBackpropFilter", ByLibrary<FilterGrad<true>, ConvCall::kFilter>(), filter_sizes);
  r.Add<float, double, Half, Bfloat16>("Conv3D", Forward(), window);
  r.Add<float, double, Half, Bfloat16>("Conv3DBackpropInputV2", InputGrad<true>(), input_sizes);
  r.Add<float, double, Half, Bfloat16>("Conv3DBackpropFilterV2", FilterGrad<true>(), filter_sizes);
  r.Add<float, double>("Conv3DBackpropInput", InputGrad<false>(), window);
  r.Add<float, double>("Conv3DBackpropFilter", FilterGrad<false>(), window);
}

}  // namespace tensh::cuda
