// AvgPool and AvgPoolGrad for images. The mean is taken over the pixels inside the image; padding
// does not count.
#include "ops/nn/conv/window.h"
#include "ops/nn/pool/pixels.h"
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct PoolDims {
  int64_t batch = 0, channels = 0;
  WindowDim rows, columns;
};

Status MakePool(const WindowAttrs& w, const Shape& in, PoolDims& d, Shape& out) {
  if (w.sizes[WindowAttrs::kChannels] != 1 || w.strides[WindowAttrs::kChannels] != 1)
    return Unimplemented("Non-spatial pooling is not yet supported.");
  TENSH_ASSIGN(out, PoolShapeOf(w, in));
  d.batch = in[0];
  d.channels = in[3];
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kRows, in[1], w.sizes[1], d.rows));
  return MakeWindow(w, WindowAttrs::kColumns, in[2], w.sizes[2], d.columns);
}

// The means of the windows [begin, end). A line of up to two pixels is added at once.
template <class T>
struct AveragePositions {
  // The common window of 2 x 2 pixels, whose lines are `row` elements apart.
  TENSH_ALWAYS_INLINE static void Four(const T* in, int64_t row, int64_t n, T* out) {
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k)
      out[k] = ((in[k] + in[k + n]) + in[k + row] + in[k + row + n]) * T{0.25};
  }

  TENSH_ALWAYS_INLINE static void Line(const T* in, int64_t taps, int64_t n, T* out) {
    for (; taps >= 2; taps -= 2, in += 2 * n) {
      TENSH_VECTORIZE
      for (int64_t k = 0; k < n; ++k) out[k] = (out[k] + in[k]) + in[k + n];
    }
    if (taps != 1) return;
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k) out[k] += in[k];
  }

  TENSH_ALWAYS_INLINE static void Run(const PoolDims* dims, const T* in, T* out, int64_t begin,
                                      int64_t end) {
    const PoolDims& d = *dims;
    const int64_t n = d.channels;
    for (int64_t p = begin; p < end; ++p) {
      const int64_t q = p % d.columns.out, row = p / d.columns.out;
      const int64_t r = row % d.rows.out, image = row / d.rows.out;
      const int64_t first = d.columns.Begin(q);
      const int64_t taps = std::max<int64_t>(d.columns.End(q) - first, 0);
      const int64_t row_begin = d.rows.Begin(r), row_end = d.rows.End(r);
      T* sums = out + p * n;
      if (taps == 2 && row_end - row_begin == 2 && d.columns.dilation == 1) {
        const int64_t line = (image * d.rows.in + d.rows.At(r, row_begin)) * d.columns.in;
        Four(in + (line + d.columns.At(q, first)) * n, d.rows.dilation * d.columns.in * n, n, sums);
        continue;
      }
      for (int64_t k = 0; k < n; ++k) sums[k] = 0;
      for (int64_t i = row_begin; i < row_end; ++i) {
        const int64_t line = (image * d.rows.in + d.rows.At(r, i)) * d.columns.in;
        Line(in + (line + d.columns.At(q, first)) * n, taps, n, sums);
      }
      const T pixels = static_cast<T>(std::max<int64_t>(row_end - row_begin, 0) * taps);
      TENSH_VECTORIZE
      for (int64_t k = 0; k < n; ++k) sums[k] /= pixels;
    }
  }
};

struct AvgPool {
  template <class T>
  Status operator()(KernelCtx& c) const {
    PoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), c.in(0).shape(), d, shape));
    TENSH_OUTPUT(out, c.Output(0, shape));
    if (!out->num_elements()) return {};
    const T* in = c.in(0).data<T>();
    T* to = out->data<T>();
    const double ns = static_cast<double>(std::min(d.rows.size, d.rows.in)) *
                      static_cast<double>(std::min(d.columns.size, d.columns.in)) *
                      static_cast<double>(d.channels) * 0.3;
    c.ParallelFor(d.batch * d.rows.out * d.columns.out, ns + 10, [&](int64_t begin, int64_t end) {
      if constexpr (std::is_same_v<T, float>)
        Dispatch<AveragePositions<T>>(&d, in, to, begin, end);
      else
        AveragePositions<T>::Run(&d, in, to, begin, end);
    });
    return {};
  }
};

template <class T>
struct AddScaled {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* in, T scale, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k) out[k] += in[k] * scale;
  }
};

struct AvgPoolGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Shape in, ShapeFromTensor(c.in(0)));
    const Tensor& grad = c.in(1);
    PoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), in, d, shape));
    if (!(grad.shape() == shape))
      return InvalidArgument("Expected grad shape to be ", shape, ", but got ", grad.shape());
    TENSH_OUTPUT(dx, c.Output(0, in));
    T* to = dx->data<T>();
    std::fill_n(to, dx->num_elements(), T{0});
    if (!grad.num_elements()) return {};
    const T* dy = grad.data<T>();
    const int64_t per_image = d.rows.out * d.columns.out;
    std::vector<int64_t> pixels(static_cast<size_t>(per_image));
    for (int64_t p = 0; p < per_image && !c.cancelled(); ++p)
      pixels[static_cast<size_t>(p)] = ForEachPixel(d, p, [](int64_t) {});
    const double ns = static_cast<double>(d.rows.in * d.columns.in * d.channels);
    c.ParallelFor(d.batch, ns, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin * per_image; p < end * per_image && !c.cancelled(); ++p) {
        const T scale = T{1} / static_cast<T>(pixels[static_cast<size_t>(p % per_image)]);
        ForEachPixel(d, p, [&](int64_t at) {
          RunRow<T, AddScaled<T>>(d.channels, to + at, dy + p * d.channels, scale);
        });
      }
    });
    return {};
  }
};

// The output has all channels, even if ksize pools over channels: the kernel rejects such a ksize.
Status AvgPoolShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  const Shape in = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4);
  WindowDim rows, columns;
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kRows, w.Of(in, WindowAttrs::kRows),
                                   w.sizes[WindowAttrs::kRows], rows));
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kColumns, w.Of(in, WindowAttrs::kColumns),
                                   w.sizes[WindowAttrs::kColumns], columns));
  TENSH_RETURN_IF_ERROR(CheckWindows(w, rows, columns));
  c.Set(0, w.Make(in[0], rows.out, columns.out, w.Of(in, WindowAttrs::kChannels)));
  return {};
}

Status AvgPoolGradShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, 0));
  if (out.has_rank() && out.rank() != 4)
    return InvalidArgument("Shape must be rank 4 but is rank ", out.rank());
  c.Set(0, out.has_rank() ? out : Shape::UnknownOfRank(4));
  return {};
}

Status PoolBackward(GradScope& g) {
  return g.Return({g.Op("AvgPoolGrad", {ShapeOf(g, g.x(0)), g.dy()}, SameWindow(g))});
}
Status GradBackward(GradScope& g) {
  const Out stopped = g.Op("StopGradient", {g.x(0)});
  return g.Return({stopped, g.Op("AvgPool", {g.dy()}, SameWindow(g))});
}

constexpr char kAttrs[] =
    "ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', 'VALID'}, data_format: "
    "{'NHWC', 'NCHW'} = 'NHWC', T: {half, bfloat16, float, double}";
constexpr char kDoc[] =
    " ksize: the extent of a window in each of the four dimensions. strides: the distance between "
    "windows. padding: 'SAME' adds windows that extend over the edge, where they contain fewer "
    "elements; 'VALID' does not. data_format: 'NHWC' has channels last. T: the element type.";

}  // namespace

TENSH_OPS(nn_pool_avg_pool) {
  constexpr KernelOptions kOptions = {.prepare = PrepareWindow};
  r.Op({.name = "AvgPool",
        .inputs = "value: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("The mean of each window of images. value: [batch, rows, columns, channels].",
                      kDoc),
        .contract = "value: rank 4",
        .shape = AvgPoolShape,
        .grad = PoolBackward,
        .examples = {{"tf.nn.avg_pool([[[[1.], [2.]], [[3.], [4.]]]], [1, 2, 2, 1], [1, 1, 1, 1], "
                      "'VALID')[0, :, :, 0]",
                      "[[2.5]]"}}})
      .Cpu<float, double>(AvgPool{}, kOptions);
  r.Op({.name = "AvgPoolGrad",
        .inputs = "orig_input_shape: int32, grad: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat(
            "The gradient of AvgPool: distributed equally over each window. orig_input_shape: the "
            "shape of the input of AvgPool. grad: the incoming gradient.",
            kDoc),
        .contract = "orig_input_shape: vector of 4 at run",
        .shape = AvgPoolGradShape,
        .grad = GradBackward,
        .examples = {{"tf.raw_ops.AvgPoolGrad(orig_input_shape=[1, 1, 2, 1], grad=[[[[5.]]]], "
                      "ksize=[1, 1, 2, 1], strides=[1, 1, 1, 1], padding='VALID')[0, 0, :, 0]",
                      "[2.5 2.5]"}}})
      .Cpu<float, double>(AvgPoolGrad{}, kOptions);
}

}  // namespace tensh::ops
