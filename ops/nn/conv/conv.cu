// Convolutions of images and volumes, and their gradients, as matrix products: the windows are laid
// out as rows in scratch memory, those of some images at a time. Grouped convolutions loop over the
// window instead. If channels come first, the matrices of pixels by channels that a product reads
// or writes are transposed.
#include "devices/cuda/convolutions.h"
#include "devices/cuda/cuda_reduce.h"
#include "devices/cuda/cuda_view.h"
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

// An ImageLayout that takes offsets apart without divisions.
struct Layout : ImageLayout {
  Divider by_columns, by_rows, by_planes, by_channels;
  explicit Layout(const ImageLayout& l)
      : ImageLayout(l),
        by_columns(l.columns),
        by_rows(l.rows),
        by_planes(l.planes),
        by_channels(l.channels) {}

  // Returns the place of pixel i of all images, in channel 0.
  TENSH_DEVICE Place PixelOf(int64_t i) const {
    Place p{};
    p.column = by_columns.Take(i);
    p.row = by_rows.Take(i);
    p.plane = by_planes.Take(i);
    p.image = i;
    return p;
  }
  TENSH_DEVICE Place PlaceOf(int64_t i) const {
    Place p;
    int64_t channel = 0;
    if (!channels_first) channel = by_channels.Take(i);
    p.column = by_columns.Take(i);
    p.row = by_rows.Take(i);
    p.plane = by_planes.Take(i);
    if (channels_first) channel = by_channels.Take(i);
    p.image = i;
    p.channel = channel;
    return p;
  }
};

struct Conv {
  WindowDim planes, rows, columns;
  Layout in, out;
  int64_t batch, filter_channels, groups;
  Divider by_row_size, by_column_size, by_filter_channels, by_pixels;
  Divider by_plane_stride, by_row_stride, by_column_stride;
  Conv(const WindowAttrs& w, const ConvDims& d)
      : planes(d.planes),
        rows(d.rows),
        columns(d.columns),
        in({planes.in, rows.in, columns.in, d.in_channels, w.channels_first}),
        out({planes.out, rows.out, columns.out, d.out_channels, w.channels_first}),
        batch(d.batch),
        filter_channels(d.filter_channels),
        groups(d.groups),
        by_row_size(rows.size),
        by_column_size(columns.size),
        by_filter_channels(filter_channels),
        by_pixels(pixels()),
        by_plane_stride(planes.stride),
        by_row_stride(rows.stride),
        by_column_stride(columns.stride) {}
  TENSH_BOTH int64_t pixels() const { return planes.size * rows.size * columns.size; }
  TENSH_BOTH int64_t patch() const { return pixels() * filter_channels; }
  TENSH_BOTH int64_t windows() const { return batch * out.pixels(); }
  TENSH_BOTH int64_t per_group() const { return out.channels / groups; }
  // Returns true if the windows are the pixels of the input, as they are.
  bool IsProduct() const {
    return pixels() == 1 && groups == 1 && !in.channels_first && IsWhole(planes) && IsWhole(rows) &&
           IsWhole(columns);
  }
  static bool IsWhole(const WindowDim& d) {
    return d.stride == 1 && d.before == 0 && d.in == d.out;
  }
  TENSH_DEVICE Pixel PixelOf(int64_t k) const {
    Pixel pixel;
    pixel.column = by_column_size.Take(k);
    pixel.row = by_row_size.Take(k);
    pixel.plane = k;
    return pixel;
  }
  // Windows are numbered like the pixels of all outputs.
  TENSH_DEVICE Place WindowOf(int64_t number) const { return out.PixelOf(number); }
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
  TENSH_DEVICE void ForWindowsOver(const Place& p, const F& fn) const {
    for (int64_t kz = 0; kz < planes.size; ++kz) {
      const int64_t z = planes.WindowAt(p.plane, kz, by_plane_stride);
      for (int64_t ky = 0; z >= 0 && ky < rows.size; ++ky) {
        const int64_t y = rows.WindowAt(p.row, ky, by_row_stride);
        for (int64_t kx = 0; y >= 0 && kx < columns.size; ++kx) {
          const int64_t x = columns.WindowAt(p.column, kx, by_column_stride);
          if (x >= 0) fn(Place{p.image, z, y, x, 0}, (kz * rows.size + ky) * columns.size + kx);
        }
      }
    }
  }
};

// Some of the images of a convolution, whose windows are laid out together.
struct Images {
  int64_t first, count;
  int64_t first_window, windows;
};

// The scratch memory for windows, of elements of type T, and the images that fit in it.
template <class T>
struct Windows {
  static constexpr int64_t kBytes = int64_t{256} << 20;
  Tensor memory;
  int64_t at_once;  // images

  static Result<Windows> Make(KernelCtx& c, const Conv& v) {
    int64_t each;
    if (__builtin_mul_overflow(v.out.pixels(), v.patch(), &each))
      return ResourceExhausted("the windows of a convolution are too many");
    const int64_t fit = kBytes / static_cast<int64_t>(sizeof(T)) / std::max<int64_t>(each, 1);
    Windows w;
    w.at_once = std::clamp<int64_t>(fit, 1, v.batch);
    TENSH_ASSIGN(w.memory, Scratch(c, kDTypeOf<T>, w.at_once * each));
    return w;
  }
  int64_t times(const Conv& v) const { return (v.batch + at_once - 1) / at_once; }
  Images Take(const Conv& v, int64_t time) const {
    const int64_t first = time * at_once, count = std::min(at_once, v.batch - first);
    return {first, count, first * v.out.pixels(), count * v.out.pixels()};
  }
};

template <class T>
void* At(const Tensor& t, int64_t element) {
  return static_cast<char*>(t.raw()) + element * static_cast<int64_t>(sizeof(T));
}

// Copies the windows of some images to `to`. A thread copies adjacent channels of one pixel of one
// window: 16 bytes of them, if channels come last and their number allows it.
template <int kLanes, class T>
Status LayOutBy(KernelCtx& c, const Conv& v, Images some, Dev<const T> in, Dev<T> out) {
  const Divider by_piece(v.filter_channels / kLanes);
  const int64_t n = some.windows * v.patch() / kLanes;
  return ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
    int64_t window = i;
    const int64_t channel = by_piece.Take(window) * kLanes;
    const int64_t pixel = v.by_pixels.Take(window);
    const int64_t at = v.Input(v.WindowOf(some.first_window + window), v.PixelOf(pixel), channel);
    StoreLanes<kLanes>(out.at + i * kLanes,
                       at < 0 ? Lanes<T, kLanes>{} : LoadLanes<kLanes>(in.at + at));
  });
}

template <class T>
Status LayOut(KernelCtx& c, const Conv& v, Images some, const Tensor& images, const Tensor& to) {
  constexpr int kWide = 16 / sizeof(T);
  const auto in = In<T>(images);
  const auto out = Out<T>(to);
  const bool wide = !v.in.channels_first && v.filter_channels % kWide == 0 &&
                    v.in.channels % kWide == 0 && AreAligned(16, in.at, out.at);
  return wide ? LayOutBy<kWide>(c, v, some, in, out) : LayOutBy<1>(c, v, some, in, out);
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
    int64_t window = i;
    const int64_t channel = v.out.by_channels.Take(window);
    Place p = v.WindowOf(window);
    p.channel = channel;
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
    Computed<T> sum = 0;
    for (int64_t k = 0; k < v.patch(); ++k) {
      int64_t pixel = k;
      const int64_t channel = v.by_filter_channels.Take(pixel);
      const int64_t at = v.Input(p, v.PixelOf(pixel), first + channel);
      if (at >= 0)
        sum += static_cast<Computed<T>>(in[at]) *
               static_cast<Computed<T>>(filter[k * v.out.channels + p.channel]);
    }
    out[i] = static_cast<T>(sum);
  });
}

struct Forward {
  using TakesHalves = void;
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
    if (v.IsProduct())
      return Gemm<T>(c, false, false, v.windows(), v.out.channels, v.patch(), images.raw(),
                     filter.raw(), y->raw());
    Tensor product = *y;
    if (v.out.channels_first) {
      TENSH_ASSIGN(product, Scratch(c, kDTypeOf<T>, y->num_elements()));
    }
    TENSH_ASSIGN(const auto windows, Windows<T>::Make(c, v));
    for (int64_t time = 0; time < windows.times(v); ++time) {
      const Images some = windows.Take(v, time);
      TENSH_RETURN_IF_ERROR(LayOut<T>(c, v, some, images, windows.memory));
      TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, false, some.windows, v.out.channels, v.patch(),
                                    windows.memory.raw(), filter.raw(),
                                    At<T>(product, some.first_window * v.out.channels)));
    }
    return v.out.channels_first ? PutWindows<T>(c, v, product, y) : Status();
  }
};

// For each element of some images, sums its contributions from all windows that cover it. `from` is
// dy·filterᵀ, with one row per window of these images. A thread sums adjacent channels.
template <int kLanes, class T>
Status GatherBy(KernelCtx& c, const Conv& v, Images some, Dev<const T> in, Dev<T> out) {
  const int64_t each = v.in.pixels() * v.in.channels;
  return ForEach(c, some.count * each / kLanes, [=] TENSH_DEVICE(int64_t i) {
    const Place p = v.in.PlaceOf(some.first * each + i * kLanes);
    Lanes<T, kLanes> sum{};
    v.ForWindowsOver(p, [&](const Place& window, int64_t k) {
      const int64_t number = v.NumberOf(window) - some.first_window;
      const auto by =
          LoadLanes<kLanes>(in.at + number * v.patch() + k * v.filter_channels + p.channel);
      for (int lane = 0; lane < kLanes; ++lane) sum.v[lane] += by.v[lane];
    });
    StoreLanes<kLanes>(out.at + some.first * each + i * kLanes, sum);
  });
}

template <class T>
Status Gather(KernelCtx& c, const Conv& v, Images some, const Tensor& from, Tensor* dx) {
  constexpr int kWide = 16 / sizeof(T);
  const auto in = In<T>(from);
  const auto out = Out<T>(dx);
  const bool wide = !v.in.channels_first && v.in.channels % kWide == 0 &&
                    AreAligned(16, in.at, out.at);
  return wide ? GatherBy<kWide>(c, v, some, in, out) : GatherBy<1>(c, v, some, in, out);
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

// The gradient with respect to the images, in float for 16-bit floats, because the products of a
// pixel's windows are added after they were rounded. `sizes`: input 0 holds their shape instead of the
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
    if (v.IsProduct())
      return Gemm<T>(c, false, true, v.windows(), v.patch(), v.out.channels, dy.raw(), filter.raw(),
                     dx->raw());
    TENSH_ASSIGN(const auto windows, Windows<T>::Make(c, v));
    for (int64_t time = 0; time < windows.times(v); ++time) {
      const Images some = windows.Take(v, time);
      TENSH_RETURN_IF_ERROR(Gemm<T>(c, false, true, some.windows, v.patch(), v.out.channels,
                                    At<T>(dy, some.first_window * v.out.channels), filter.raw(),
                                    windows.memory.raw()));
      TENSH_RETURN_IF_ERROR(Gather<T>(c, v, some, windows.memory, dx));
    }
    return {};
  }
};

template <class T>
Status FilterGradGroups(KernelCtx& c, const Conv& v, const Tensor& images, const Tensor& arriving,
                        Tensor* df) {
  const auto in = In<T>(images), dy = In<T>(arriving);
  const auto out = Out<T>(df);
  using A = Computed<T>;
  return Reduce(
      c, df->num_elements(), v.windows(), false, A(0),
      [=] TENSH_DEVICE(int64_t i, int64_t window) {
        int64_t pixel = i;
        const int64_t o = v.out.by_channels.Take(pixel);
        const int64_t inside = v.by_filter_channels.Take(pixel);
        const int64_t channel = o / v.per_group() * v.filter_channels + inside;
        const int64_t at = v.Input(v.WindowOf(window), v.PixelOf(pixel), channel);
        return at < 0 ? A(0)
                      : static_cast<A>(in[at]) * static_cast<A>(dy[window * v.out.channels + o]);
      },
      [] TENSH_DEVICE(A a, A b) { return a + b; },
      [=] TENSH_DEVICE(int64_t i, A sum) { out[i] = static_cast<T>(sum); });
}

// Computes windowsᵀ·dy. The products of the images of each time are added afterwards.
template <class T>
Status FilterGradByTimes(KernelCtx& c, const Conv& v, const Tensor& images, const Tensor& dy,
                         Tensor* df) {
  TENSH_ASSIGN(const auto windows, Windows<T>::Make(c, v));
  const int64_t times = windows.times(v), each = df->num_elements();
  Tensor products = *df;
  if (times > 1) {
    TENSH_ASSIGN(products, Scratch(c, kDTypeOf<T>, times * each));
  }
  for (int64_t time = 0; time < times; ++time) {
    const Images some = windows.Take(v, time);
    TENSH_RETURN_IF_ERROR(LayOut<T>(c, v, some, images, windows.memory));
    TENSH_RETURN_IF_ERROR(Gemm<T>(c, true, false, v.patch(), v.out.channels, some.windows,
                                  windows.memory.raw(),
                                  At<T>(dy, some.first_window * v.out.channels),
                                  At<T>(products, time * each)));
  }
  if (times == 1) return {};
  using A = Computed<T>;
  const auto in = In<T>(products);
  const auto out = Out<T>(df);
  return Reduce(
      c, each, times, true, A(0),
      [=] TENSH_DEVICE(int64_t i, int64_t time) { return static_cast<A>(in[time * each + i]); },
      [] TENSH_DEVICE(A a, A b) { return a + b; },
      [=] TENSH_DEVICE(int64_t i, A sum) { out[i] = static_cast<T>(sum); });
}

template <bool sizes>
struct FilterGrad {
  using TakesHalves = void;
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
    if (v.IsProduct())
      return Gemm<T>(c, true, false, v.patch(), v.out.channels, v.windows(), images.raw(), dy.raw(),
                     df->raw());
    return FilterGradByTimes<T>(c, v, images, dy, df);
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
