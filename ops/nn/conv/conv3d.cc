// Convolutions of volumes [batch, planes, rows, columns, channels]: Conv3D and its gradients.
#include "ops/nn/conv/conv_kernels.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

template <bool sizes>
struct Conv3DBackpropInput {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ConvInputGrad<sizes>::template Run<T>(c, "Conv3DBackpropInput");
  }
};

template <bool sizes>
struct Conv3DBackpropFilter {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ConvFilterGrad<sizes>::template Run<T>(c, "Conv3DBackpropFilter");
  }
};

Status ConvGrad(GradScope& g) {
  const Out x = g.x(0), filter = g.x(1), dy = g.dy();
  const Out shapes = g.Op("ShapeN", {x, filter}, {{"N", 2}});
  const Out dx = g.Op("Conv3DBackpropInputV2", {shapes, filter, dy}, SameWindow(g));
  const Out filter_shape = g.Output(shapes, 1);
  return g.Return({dx, g.Op("Conv3DBackpropFilterV2", {x, filter_shape, dy}, SameWindow(g))});
}

Status InputGradGrad(GradScope& g) {
  const Out filter = g.x(1), dy = g.dy();
  const Out df = g.Op("Conv3DBackpropFilterV2", {dy, ShapeOf(g, filter), g.x(2)}, SameWindow(g));
  return g.Return({{}, df, g.Op("Conv3D", {dy, filter}, SameWindow(g))});
}

Status FilterGradGrad(GradScope& g) {
  const Out x = g.x(0), df = g.dy();
  const Out dx = g.Op("Conv3DBackpropInputV2", {ShapeOf(g, x), df, g.x(2)}, SameWindow(g));
  return g.Return({dx, {}, g.Op("Conv3D", {x, df}, SameWindow(g))});
}

template <int I>
Status LikeVolume(ShapeCtx& c) {
  c.Set(0, c.in(I).has_rank() ? c.in(I) : Shape::UnknownOfRank(5));
  return {};
}

#define TENSH_CONV3D_WINDOW "strides: list(int) >= 5, padding: {'SAME', 'VALID'}, "
constexpr char kTypes[] = "T: {half, bfloat16, float, double}, ";
constexpr char kAttrs[] = TENSH_CONV3D_WINDOW
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC', dilations: list(int) = [1, 1, 1, 1, 1]";
constexpr char kOldAttrs[] =
    "T: {half, float, double}, " TENSH_CONV3D_WINDOW "dilations: list(int) = [1, 1, 1, 1, 1]";
constexpr char kOldDoc[] =
    " T: the element type. strides: the distance between windows in each of the five dimensions. "
    "padding: 'SAME' adds zeros such that every position has a window, 'VALID' adds none. "
    "dilations: the distance between the elements of a window.";
constexpr char kFormat[] = " data_format: 'NDHWC' has channels last.";

OpSpec InputSpec(bool old) {
  return {
      .name = old ? "Conv3DBackpropInput" : "Conv3DBackpropInputV2",
      .inputs = StrCat(old ? "input: T" : "input_sizes: Tshape", ", filter: T, out_backprop: T"),
      .outputs = "output: T",
      .attrs =
          old ? std::string(kOldAttrs) : StrCat(kTypes, kAttrs, ", Tshape: {int32, int64} = int32"),
      .doc = StrCat("The gradient of Conv3D for its input. ",
                    old ? "input: that input." : "input_sizes: the shape of that input.",
                    " filter: the filter. out_backprop: the incoming gradient.", kOldDoc,
                    old ? "" : kFormat, old ? "" : " Tshape: the type of input_sizes."),
      .contract = old ? "input: rank 5, filter: rank 5, out_backprop: rank 5"
                      : "filter: rank 5, out_backprop: rank 5",
      .shape = old ? LikeVolume<0> : ConvInputSizesShape,
      .grad = old ? nullptr : InputGradGrad,
      .examples = {{StrCat("tf.raw_ops.Conv3DBackpropInput",
                           old ? "(input=[[[[[0.]]]]]" : "V2(input_sizes=[1, 1, 1, 1, 1]",
                           ", filter=[[[[[2.]]]]], out_backprop=[[[[[3.]]]]], strides=[1, 1, "
                           "1, 1, 1], padding='VALID')[0, 0, 0, 0]"),
                    "[6.]"}}};
}

OpSpec FilterSpec(bool old) {
  return {.name = old ? "Conv3DBackpropFilter" : "Conv3DBackpropFilterV2",
          .inputs =
              StrCat("input: T, ", old ? "filter: T" : "filter_sizes: int32", ", out_backprop: T"),
          .outputs = "output: T",
          .attrs = old ? std::string(kOldAttrs) : StrCat(kTypes, kAttrs),
          .doc = StrCat("The gradient of Conv3D for its filter. input: the volumes. ",
                        old ? "filter: that filter." : "filter_sizes: the shape of that filter.",
                        " out_backprop: the incoming gradient.", kOldDoc, old ? "" : kFormat),
          .contract = old ? "input: rank 5, filter: rank 5, out_backprop: rank 5"
                          : "input: rank 5, out_backprop: rank 5",
          .shape = old ? LikeVolume<1> : ConvFilterSizesShape,
          .grad = old ? nullptr : FilterGradGrad,
          .examples = {{StrCat("tf.raw_ops.Conv3DBackpropFilter",
                               old ? "(filter=[[[[[0.]]]]]" : "V2(filter_sizes=[1, 1, 1, 1, 1]",
                               ", input=[[[[[2.]]]]], out_backprop=[[[[[3.]]]]], strides=[1, 1, 1, "
                               "1, 1], padding='VALID')[0, 0, 0, 0]"),
                        "[6.]"}}};
}

}  // namespace

TENSH_OPS(nn_conv_conv3d) {
  constexpr KernelOptions kOptions = {.prepare = PrepareWindow};
  r.Op({.name = "Conv3D",
        .inputs = "input: T, filter: T",
        .outputs = "output: T",
        .attrs = StrCat(kTypes, kAttrs),
        .doc = StrCat("Convolves volumes with a filter. input: volumes [batch, planes, rows, "
                      "columns, channels]. filter: [planes, rows, columns, channels, outputs].",
                      kOldDoc, kFormat),
        .contract = "input: rank 5, filter: rank 5",
        .shape = ConvShape,
        .grad = ConvGrad,
        .examples = {{"tf.nn.conv3d(tf.ones([1, 2, 2, 3, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 1, 1, "
                      "1, 1], 'VALID')[0, 0, :, :, 0]",
                      "[[8. 8.]]"}}})
      .Cpu<float, double>(ConvForward{}, kOptions);
  r.Op(InputSpec(true)).Cpu<float, double>(Conv3DBackpropInput<false>{}, kOptions);
  r.Op(InputSpec(false)).Cpu<float, double>(Conv3DBackpropInput<true>{}, kOptions);
  r.Op(FilterSpec(true)).Cpu<float, double>(Conv3DBackpropFilter<false>{}, kOptions);
  r.Op(FilterSpec(false)).Cpu<float, double>(Conv3DBackpropFilter<true>{}, kOptions);
}

}  // namespace tensh::ops
