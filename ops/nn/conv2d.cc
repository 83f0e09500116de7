#include "ops/op_file.h"
#include "ops/support/convolution.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Status CheckRanks(const Shape& in, const Shape& filter) {
  if (in.rank() != 4) return InvalidArgument("input must be 4-dimensional: ", in);
  if (filter.rank() != 4) return InvalidArgument("filter must be 4-dimensional: ", filter);
  return {};
}

struct Conv2D {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    const Tensor &in = c.in(0), &filter = c.in(1);
    TENSH_RETURN_IF_ERROR(CheckRanks(in.shape(), filter.shape()));
    ConvDims d;
    TENSH_RETURN_IF_ERROR(MakeConv(w, in.shape(), filter.shape(), d));
    TENSH_ASSIGN(
        Shape shape,
        Shape::Make(w.Make(d.batch, d.rows.out, d.columns.out, d.out_channels).dims(), true));
    TENSH_OUTPUT(out, c.Output(0, shape));
    return Convolve(c, d, in.data<T>(), filter.data<T>(), out->data<T>());
  }
};

// The convolution whose gradient this is, checked against the gradient that arrives.
Status GradDims(const WindowAttrs& w, const Shape& in, const Shape& filter, const Shape& dy,
                const char* label, ConvDims& d) {
  TENSH_RETURN_IF_ERROR(CheckRanks(in, filter));
  if (dy.rank() != 4)
    return InvalidArgument(label, ": out_backprop must be 4-dimensional, got ", dy);
  TENSH_RETURN_IF_ERROR(MakeConv(w, in, filter, d));
  const Shape want = w.Make(d.batch, d.rows.out, d.columns.out, d.out_channels);
  if (!(want == dy))
    return InvalidArgument(label, ": Size of out_backprop doesn't match computed: actual = ", dy,
                           ", computed = ", want, " (input ", in, ", filter ", filter, ")");
  if (d.groups > 1)
    return Unimplemented(label,
                         ": gradients of grouped convolutions are not supported on the CPU; "
                         "input depth ",
                         d.in_channels, ", filter depth ", d.filter_channels);
  return {};
}

struct Conv2DBackpropInput {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    const Tensor &sizes = c.in(0), &filter = c.in(1), &dy = c.in(2);
    if (!IsVector(sizes))
      return InvalidArgument("Conv2DBackpropInput: input_sizes must be a vector, got shape ",
                             sizes.shape());
    TENSH_RETURN_IF_ERROR(CheckRanks(Shape::UnknownOfRank(4), filter.shape()));
    Shape in;
    if (sizes.dim(0) == 2 && dy.rank() == 4) {  // rows and columns only
      const int64_t dims[] = {dy.dim(0), IndexAt(sizes, 0), IndexAt(sizes, 1), filter.dim(2)};
      TENSH_ASSIGN(in, Shape::Make(dims, true));
    } else {
      TENSH_ASSIGN(in, ShapeFromTensor(sizes));
    }
    ConvDims d;
    TENSH_RETURN_IF_ERROR(GradDims(w, in, filter.shape(), dy.shape(), "Conv2DBackpropInput", d));
    TENSH_OUTPUT(dx, c.Output(0, in));
    return ConvolveInputGrad(c, d, filter.data<T>(), dy.data<T>(), dx->data<T>());
  }
};

struct Conv2DBackpropFilter {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& w = c.state<WindowAttrs>();
    const Tensor &in = c.in(0), &sizes = c.in(1), &dy = c.in(2);
    if (!IsVector(sizes))
      return InvalidArgument("Conv2DBackpropFilter: filter_sizes must be a vector, got shape ",
                             sizes.shape());
    TENSH_ASSIGN(Shape filter, ShapeFromTensor(sizes));
    ConvDims d;
    TENSH_RETURN_IF_ERROR(GradDims(w, in.shape(), filter, dy.shape(), "Conv2DBackpropFilter", d));
    TENSH_OUTPUT(df, c.Output(0, filter));
    return ConvolveFilterGrad(c, d, in.data<T>(), dy.data<T>(), df->data<T>());
  }
};

Shape OfRank4(const Shape& s) { return s.has_rank() ? s : Shape::UnknownOfRank(4); }

Status ConvShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  TENSH_RETURN_IF_ERROR(c.WithRank(0, 4));
  TENSH_RETURN_IF_ERROR(c.WithRank(1, 4));
  ConvDims d;
  TENSH_RETURN_IF_ERROR(MakeConv(w, OfRank4(c.in(0)), OfRank4(c.in(1)), d));
  TENSH_RETURN_IF_ERROR(CheckWindows(w, d.rows, d.columns));
  c.Set(0, w.Make(d.batch, d.rows.out, d.columns.out, d.out_channels));
  return {};
}

// The batch is the gradient's; the rest is what input_sizes says.
Status InputGradShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape sizes, ShapeInput(c, 0));
  TENSH_RETURN_IF_ERROR(c.WithRank(1, 4));
  TENSH_RETURN_IF_ERROR(c.WithRank(2, 4));
  const int64_t batch = c.in(2).has_rank() ? c.in(2)[0] : -1;
  Shape out = Shape::UnknownOfRank(4);
  if (sizes.has_rank() && sizes.rank() == 2) {
    out = Shape({-1, sizes[0], sizes[1], c.in(1).has_rank() ? c.in(1)[2] : -1});
  } else if (sizes.has_rank()) {
    if (sizes.rank() != 4)
      return InvalidArgument("Shape must be rank 4 but is rank ", sizes.rank());
    out = sizes;
  }
  out.set_dim(0, batch);
  c.Set(0, out);
  return {};
}

Status FilterGradShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, 1));
  if (out.has_rank() && out.rank() != 4)
    return InvalidArgument("Shape must be rank 4 but is rank ", out.rank());
  c.Set(0, out.has_rank() ? out : Shape::UnknownOfRank(4));
  return {};
}

std::vector<NamedAttr> SameWindow(GradScope& g) {
  std::vector<NamedAttr> attrs;
  for (const char* name :
       {"strides", "use_cudnn_on_gpu", "padding", "explicit_paddings", "data_format", "dilations"})
    attrs.push_back({name, *g.attrs().Find(name)});
  return attrs;
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
    " T: the element type. strides: how far the window moves in each of the four dimensions. "
    "padding: 'SAME' puts zeros around so that every place gets a window, 'VALID' none, 'EXPLICIT' "
    "as many as explicit_paddings says, before and after in each dimension. dilations: the step "
    "between the elements of a window. data_format: 'NHWC' has channels last. use_cudnn_on_gpu "
    "changes nothing here.";

}  // namespace

TENSH_OPS(nn_conv2d) {
  constexpr KernelOptions kOptions = {.prepare = PrepareWindow};
  r.Op({.name = "Conv2D",
        .inputs = "input: T, filter: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("Slides a filter over images and sums the products. input: images [batch, "
                      "rows, columns, channels]. filter: [rows, columns, channels, outputs].",
                      kDoc),
        .shape = ConvShape,
        .grad = ConvGrad,
        .examples = {{"tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "
                      "'VALID')[0, :, :, 0]",
                      "[[4. 4.]\n [4. 4.]]"}}})
      .Cpu<float, double, int32_t>(Conv2D{}, kOptions);
  r.Op({.name = "Conv2DBackpropInput",
        .inputs = "input_sizes: int32, filter: T, out_backprop: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("The gradient of Conv2D for its input. input_sizes: the shape of that input. "
                      "filter: the filter. out_backprop: the gradient that arrives.",
                      kDoc),
        .shape = InputGradShape,
        .grad = InputGradGrad,
        .examples = {{"tf.nn.conv2d_backprop_input([1, 2, 2, 1], tf.ones([1, 1, 1, 1]), "
                      "tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], 'VALID')[0, :, :, 0]",
                      "[[1. 1.]\n [1. 1.]]"}}})
      .Cpu<float, double, int32_t>(Conv2DBackpropInput{}, kOptions);
  r.Op({.name = "Conv2DBackpropFilter",
        .inputs = "input: T, filter_sizes: int32, out_backprop: T",
        .outputs = "output: T",
        .attrs = kFilterAttrs,
        .doc = StrCat("The gradient of Conv2D for its filter. input: the images. filter_sizes: the "
                      "shape of the filter. out_backprop: the gradient that arrives.",
                      kDoc),
        .shape = FilterGradShape,
        .grad = FilterGradGrad,
        .examples = {{"tf.nn.conv2d_backprop_filter(tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], "
                      "tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], 'VALID')[0, 0, 0, 0]",
                      "4.0"}}})
      .Cpu<float, double>(Conv2DBackpropFilter{}, kOptions);
}

}  // namespace tensh::ops
