// DepthwiseConv2dNative and its two gradient ops: each input channel is convolved with its own
// filters.
#include <algorithm>

#include "ops/nn/conv/conv_gemm.h"
#include "ops/nn/conv/depthwise_lines.h"
#include "ops/nn/conv/integer_conv.h"
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Calls fn(input pixel, filter pixel) for each pixel of window `position`. Both arguments are
// offsets of a pixel's first channel.
template <class Fn>
void ForEachPixel(const DepthwiseDims& d, int64_t position, Fn fn) {
  const int64_t q = position % d.columns.out, row = position / d.columns.out;
  const int64_t r = row % d.rows.out, image = row / d.rows.out;
  const int64_t end = d.columns.End(q), row_end = d.rows.End(r);
  for (int64_t i = d.rows.Begin(r); i < row_end; ++i) {
    const int64_t line = (image * d.rows.in + d.rows.At(r, i)) * d.columns.in;
    for (int64_t j = d.columns.Begin(q); j < end; ++j)
      fn((line + d.columns.At(q, j)) * d.channels, (i * d.columns.size + j) * d.out_channels());
  }
}

double PositionCost(const DepthwiseDims& d) {
  return static_cast<double>(d.rows.size * d.columns.size) * static_cast<double>(d.out_channels()) *
             0.6 +
         10;
}

struct DepthwiseConv {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    DepthwiseDims d;
    TENSH_RETURN_IF_ERROR(MakeDepthwise(w, c.in(0).shape(), c.in(1).shape(), d));
    TENSH_ASSIGN(Shape shape, DepthwiseOutShape(w, d));
    TENSH_OUTPUT(out, c.Output(0, shape));
    if (!out->num_elements()) return {};
    const T *in = c.in(0).data<T>(), *filter = c.in(1).data<T>();
    T* y = out->data<T>();
    if constexpr (std::is_same_v<T, float>) return DepthwiseForward(c, d, in, filter, y, out);
    const int64_t n = d.out_channels(), m = d.multiplier;
    c.ParallelFor(d.batch * d.rows.out * d.columns.out, PositionCost(d),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t p = begin; p < end; ++p) {
                      T* to = y + p * n;
                      std::fill_n(to, n, T{0});
                      ForEachPixel(d, p, [&](int64_t pixel, int64_t at) {
                        for (int64_t k = 0; k < d.channels; ++k)
                          for (int64_t q = 0; q < m; ++q)
                            to[k * m + q] += in[pixel + k] * filter[at + k * m + q];
                      });
                    }
                  });
    return {};
  }
};

struct BackpropInput {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Shape in, DepthwiseSizes(c.in(0), "input_sizes input"));
    DepthwiseDims d;
    TENSH_RETURN_IF_ERROR(DepthwiseGradDims(c, in, c.in(1).shape(), d));
    TENSH_OUTPUT(out, c.Output(0, in));
    const T *filter = c.in(1).data<T>(), *dy = c.in(2).data<T>();
    T* dx = out->data<T>();
    if constexpr (std::is_same_v<T, float>)
      if (out->num_elements() && c.in(2).num_elements())
        return DepthwiseInputGrad(c, d, filter, dy, dx);
    std::fill_n(dx, out->num_elements(), T{0});
    if (!out->num_elements()) return {};
    const int64_t m = d.multiplier, per_image = d.rows.out * d.columns.out;
    c.ParallelFor(
        d.batch, PositionCost(d) * static_cast<double>(per_image), [&](int64_t begin, int64_t end) {
          for (int64_t p = begin * per_image; p < end * per_image && !c.cancelled(); ++p) {
            const T* from = dy + p * d.out_channels();
            ForEachPixel(d, p, [&](int64_t pixel, int64_t at) {
              for (int64_t k = 0; k < d.channels; ++k)
                for (int64_t q = 0; q < m; ++q)
                  dx[pixel + k] += from[k * m + q] * filter[at + k * m + q];
            });
          }
        });
    return {};
  }
};

struct BackpropFilter {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Shape filter, DepthwiseSizes(c.in(1), "filter_sizes input"));
    DepthwiseDims d;
    TENSH_RETURN_IF_ERROR(DepthwiseGradDims(c, c.in(0).shape(), filter, d));
    TENSH_OUTPUT(out, c.Output(0, filter));
    const T *in = c.in(0).data<T>(), *dy = c.in(2).data<T>();
    T* df = out->data<T>();
    if constexpr (std::is_same_v<T, float>)
      if (out->num_elements() && c.in(2).num_elements())
        return DepthwiseFilterGrad(c, d, in, dy, df);
    std::fill_n(df, out->num_elements(), T{0});
    if (!c.in(2).num_elements()) return {};
    const int64_t m = d.multiplier;
    for (int64_t p = 0; p < d.batch * d.rows.out * d.columns.out && !c.cancelled(); ++p) {
      const T* from = dy + p * d.out_channels();
      ForEachPixel(d, p, [&](int64_t pixel, int64_t at) {
        for (int64_t k = 0; k < d.channels; ++k)
          for (int64_t q = 0; q < m; ++q) df[at + k * m + q] += from[k * m + q] * in[pixel + k];
      });
    }
    return {};
  }
};

Status DepthwiseShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  const Shape unknown = Shape::UnknownOfRank(4);
  DepthwiseDims d;
  TENSH_RETURN_IF_ERROR(MakeDepthwise(w, c.in(0).has_rank() ? c.in(0) : unknown,
                                      c.in(1).has_rank() ? c.in(1) : unknown, d));
  TENSH_RETURN_IF_ERROR(CheckWindows(w, d.rows, d.columns));
  TENSH_ASSIGN(Shape out, DepthwiseOutShape(w, d));
  c.Set(0, out);
  return {};
}

template <int I>
Status SizesShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, I));
  if (out.has_rank() && out.rank() != 4)
    return InvalidArgument("Shape must be rank 4 but is rank ", out.rank());
  c.Set(0, out.has_rank() ? out : Shape::UnknownOfRank(4));
  return {};
}

constexpr char kForward[] = "DepthwiseConv2dNative";
constexpr char kInput[] = "DepthwiseConv2dNativeBackpropInput";
constexpr char kFilter[] = "DepthwiseConv2dNativeBackpropFilter";

Status ForwardGrad(GradScope& g) {
  const Out dx = g.Op(kInput, {ShapeOf(g, g.x(0)), g.x(1), g.dy()}, SameWindow(g));
  const Out shape = ShapeOf(g, g.x(1), DType::kInt32, "Shape_1");
  return g.Return({dx, g.Op(kFilter, {g.x(0), shape, g.dy()}, SameWindow(g))});
}
Status InputGrad(GradScope& g) {
  const Out df = g.Op(kFilter, {g.dy(), ShapeOf(g, g.x(1)), g.x(2)}, SameWindow(g));
  return g.Return({{}, df, g.Op(kForward, {g.dy(), g.x(1)}, SameWindow(g))});
}
Status FilterGrad(GradScope& g) {
  const Out dx = g.Op(kInput, {ShapeOf(g, g.x(0)), g.dy(), g.x(2)}, SameWindow(g));
  return g.Return({dx, {}, g.Op(kForward, {g.x(0), g.dy()}, SameWindow(g))});
}

constexpr char kAttrs[] =
    "T: {half, bfloat16, float, double}, strides: list(int), padding: {'SAME', 'VALID', "
    "'EXPLICIT'}, explicit_paddings: list(int) = [], data_format: {'NHWC', 'NCHW'} = 'NHWC', "
    "dilations: list(int) = [1, 1, 1, 1]";
constexpr char kDoc[] =
    " T: the element type. strides: the distance between windows in each of the four dimensions. "
    "padding: 'SAME' adds zeros such that every position has a window, 'VALID' adds none, "
    "'EXPLICIT' adds explicit_paddings. dilations: the distance between the elements of a window. "
    "data_format: 'NHWC' has channels last.";

}  // namespace

TENSH_OPS(nn_conv_depthwise_conv2d) {
  constexpr KernelOptions kOptions = {.prepare = PrepareWindow};
  r.Op({.name = kForward,
        .inputs = "input: T, filter: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat(
            "Convolves each channel of images with its own filters. input: images [batch, rows, "
            "columns, channels]. filter: [rows, columns, channels, filters per channel].",
            kDoc),
        .contract = "input: rank 4, filter: rank 4",
        .shape = DepthwiseShape,
        .grad = ForwardGrad,
        .examples = {{"tf.nn.depthwise_conv2d(tf.ones([1, 2, 2, 2]), tf.ones([2, 2, 2, 1]), [1, 1, "
                      "1, 1], 'VALID')[0, 0]",
                      "[[4. 4.]]"}}})
      .Cpu<float, double>(DepthwiseConv{}, {.prepare = PrepareDepthwise});
  r.Op({.name = kInput,
        .inputs = "input_sizes: int32, filter: T, out_backprop: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("The gradient of DepthwiseConv2dNative for its input. input_sizes: the shape "
                      "of that input. filter: the filter. out_backprop: the incoming gradient.",
                      kDoc),
        .shape = SizesShape<0>,
        .grad = InputGrad,
        .examples = {{"tf.raw_ops.DepthwiseConv2dNativeBackpropInput(input_sizes=[1, 1, 1, 1], "
                      "filter=[[[[2.]]]], out_backprop=[[[[3.]]]], strides=[1, 1, 1, 1], "
                      "padding='VALID')[0, 0, 0]",
                      "[6.]"}}})
      .Cpu<float, double>(BackpropInput{}, kOptions);
  r.Op({.name = kFilter,
        .inputs = "input: T, filter_sizes: int32, out_backprop: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("The gradient of DepthwiseConv2dNative for its filter. input: the images. "
                      "filter_sizes: the shape of the filter. out_backprop: the incoming gradient.",
                      kDoc),
        .shape = SizesShape<1>,
        .grad = FilterGrad,
        .examples = {{"tf.raw_ops.DepthwiseConv2dNativeBackpropFilter(input=[[[[2.]]]], "
                      "filter_sizes=[1, 1, 1, 1], out_backprop=[[[[3.]]]], strides=[1, 1, 1, 1], "
                      "padding='VALID')[0, 0, 0]",
                      "[6.]"}}})
      .Cpu<float, double>(BackpropFilter{}, kOptions);
}

}  // namespace tensh::ops
