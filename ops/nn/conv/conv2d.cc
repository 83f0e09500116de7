// Conv2D and its two gradient ops. The arithmetic is in ops/nn/conv/conv_gemm.h.
#include "ops/nn/conv/conv_kernels.h"
#include "ops/nn/conv/integer_conv.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

struct Conv2DBackpropInput {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ConvInputGrad<true>::Run<T>(c, "Conv2DBackpropInput");
  }
};

struct Conv2DBackpropFilter {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ConvFilterGrad<true>::Run<T>(c, "Conv2DBackpropFilter");
  }
};

Result<std::unique_ptr<KernelState>> PrepareConv2D(PrepareCtx& c) {
  TENSH_ASSIGN(std::unique_ptr<KernelState> state, PrepareWindowInParts(c));
  static_cast<JoinedState&>(*state).integers = MatchIntegerConv;
  return {std::move(state)};
}

Status ConvGrad(GradScope& g) {
  const Out x = g.x(0), filter = g.x(1), dy = g.dy();
  const Out shapes = g.Op("ShapeN", {x, filter}, {{"N", 2}});
  const Out dx = g.Op("Conv2DBackpropInput", {shapes, filter, dy}, SameWindow(g));
  return g.Return({dx, g.Op("Conv2DBackpropFilter", {x, g.Output(shapes, 1), dy}, SameWindow(g))});
}

Status InputGradGrad(GradScope& g) {
  const Out filter = g.x(1), dy = g.dy();
  const Out df = g.Op("Conv2DBackpropFilter", {dy, ShapeOf(g, filter), g.x(2)}, SameWindow(g));
  return g.Return({{}, df, g.Op("Conv2D", {dy, filter}, SameWindow(g))});
}

Status FilterGradGrad(GradScope& g) {
  const Out x = g.x(0), df = g.dy();
  const Out dx = g.Op("Conv2DBackpropInput", {ShapeOf(g, x), df, g.x(2)}, SameWindow(g));
  return g.Return({dx, {}, g.Op("Conv2D", {x, df}, SameWindow(g))});
}

#define TENSH_CONV_ATTRS                                                                        \
  "strides: list(int), use_cudnn_on_gpu: bool = true, padding: {'SAME', 'VALID', 'EXPLICIT'}, " \
  "explicit_paddings: list(int) = [], data_format: {'NHWC', 'NCHW'} = 'NHWC', "                 \
  "dilations: list(int) = [1, 1, 1, 1]"
constexpr char kAttrs[] = "T: {half, bfloat16, float, double, int32}, " TENSH_CONV_ATTRS;
constexpr char kFilterAttrs[] = "T: {half, bfloat16, float, double}, " TENSH_CONV_ATTRS;
constexpr char kDoc[] =
    " T: the element type. strides: the distance between windows in each of the four dimensions. "
    "padding: 'SAME' adds zeros such that every position has a window, 'VALID' adds none, "
    "'EXPLICIT' adds explicit_paddings, before and after in each dimension. dilations: the "
    "distance between the elements of a window. data_format: 'NHWC' has channels last. "
    "use_cudnn_on_gpu is ignored.";

}  // namespace

TENSH_OPS(nn_conv_conv2d) {
  constexpr KernelOptions kOptions = {.prepare = PrepareWindow};
  constexpr KernelOptions kInParts = {.prepare = PrepareConv2D};
  r.Op({.name = "Conv2D",
        .inputs = "input: T, filter: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("Convolves images with a filter. input: images [batch, rows, columns, "
                      "channels]. filter: [rows, columns, channels, outputs].",
                      kDoc),
        .contract = "input: rank 4, filter: rank 4",
        .shape = ConvShape,
        .grad = ConvGrad,
        .examples = {{"tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "
                      "'VALID')[0, :, :, 0]",
                      "[[4. 4.]\n [4. 4.]]"}}})
      .Cpu<float, double, int32_t>(ConvForward{}, kInParts);
  r.Op({.name = "Conv2DBackpropInput",
        .inputs = "input_sizes: int32, filter: T, out_backprop: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("The gradient of Conv2D for its input. input_sizes: the shape of that input. "
                      "filter: the filter. out_backprop: the incoming gradient.",
                      kDoc),
        .contract = "filter: rank 4, out_backprop: rank 4",
        .shape = ConvInputSizesShape,
        .grad = InputGradGrad,
        .examples = {{"tf.nn.conv2d_backprop_input([1, 2, 2, 1], tf.ones([1, 1, 1, 1]), "
                      "tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], 'VALID')[0, :, :, 0]",
                      "[[1. 1.]\n [1. 1.]]"}}})
      .Cpu<float, double, int32_t>(Conv2DBackpropInput{}, kInParts);
  r.Op({.name = "Conv2DBackpropFilter",
        .inputs = "input: T, filter_sizes: int32, out_backprop: T",
        .outputs = "output: T",
        .attrs = kFilterAttrs,
        .doc = StrCat("The gradient of Conv2D for its filter. input: the images. filter_sizes: the "
                      "shape of the filter. out_backprop: the incoming gradient.",
                      kDoc),
        .shape = ConvFilterSizesShape,
        .grad = FilterGradGrad,
        .examples = {{"tf.nn.conv2d_backprop_filter(tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], "
                      "tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], 'VALID')[0, 0, 0, 0]",
                      "4.0"}}})
      .Cpu<float, double>(Conv2DBackpropFilter{}, kOptions);
}

}  // namespace tensh::ops
