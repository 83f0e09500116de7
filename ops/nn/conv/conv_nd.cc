// The op Conv: a convolution of images or volumes, depending on the length of `strides`, with any
// number of leading batch dimensions. As in TensorFlow, it has no gradient.
#include "ops/nn/conv/conv_kernels.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

struct ConvState : WindowAttrs {
  int64_t batch_dims = 1, groups = 1;
};

Status ReadConv(Attrs attrs, ConvState& s) {
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(attrs, s));
  s.batch_dims = attrs.Int("batch_dims");
  s.groups = attrs.Int("groups");
  if (s.batch_dims < 0 || s.batch_dims > Shape::kMaxRank)
    return InvalidArgument("Batch dims must be non-negative, got ", s.batch_dims);
  if (s.groups < 1) return InvalidArgument("groups must be positive, got ", s.groups);
  if (s.volume && s.padding == Padding::kExplicit)
    return InvalidArgument("Explicit padding not supported for 3D Convolution");
  return {};
}

// Returns the shape with all batch dimensions merged into one.
Result<Shape> Flat(const ConvState& s, const Shape& in) {
  const int batch = static_cast<int>(s.batch_dims), inner = s.rank() - 1;
  if (in.rank() != batch + inner)
    return InvalidArgument("Input tensor must be rank ", s.rank(),
                           ", excluding extra batch dimensions, but got: ", in);
  int64_t images = 1;
  for (int i = 0; i < batch; ++i) {
    if (in[i] < 0 || images < 0)
      images = -1;
    else if (__builtin_mul_overflow(images, in[i], &images))
      return InvalidArgument("the batch is too large: ", in);
  }
  Shape flat({images});
  for (int i = 0; i < inner; ++i) flat.Append(in[batch + i]);
  return flat;
}

// Returns the shape of the output and sets d to the dimensions of the convolution. Extents may be
// unknown.
Result<Shape> OutShape(const ConvState& s, const Shape& in, const Shape& filter, ConvDims& d) {
  TENSH_ASSIGN(const Shape flat, Flat(s, in));
  if (filter.rank() != s.rank())
    return InvalidArgument("Filter tensor must be rank ", s.rank(), ", but got: ", filter);
  TENSH_RETURN_IF_ERROR(MakeConv(s, flat, filter, d));
  if (d.in_channels >= 0 && d.filter_channels > 0 && d.in_channels / d.filter_channels != s.groups)
    return InvalidArgument(
        "Input depth divided by filter input depth does not match with groups parameter (",
        s.groups, ")");
  const Shape last = s.Make(d.batch, d.rows.out, d.columns.out, d.out_channels, d.planes.out);
  Shape out;
  for (int i = 0; i < static_cast<int>(s.batch_dims); ++i) out.Append(in[i]);
  for (int i = 1; i < s.rank(); ++i) out.Append(last[i]);
  return out;
}

Result<std::unique_ptr<KernelState>> PrepareConv(PrepareCtx& c) {
  auto state = std::make_unique<ConvState>();
  TENSH_RETURN_IF_ERROR(ReadConv(c.attrs(), *state));
  if (state->channels_first)
    return Unimplemented(c.node_name(),
                         ": data_format CHANNELS_FIRST is not supported on the CPU; "
                         "use CHANNELS_LAST");
  if (state->groups > 1)
    return Unimplemented(c.node_name(), ": grouped convolutions are not supported on the CPU");
  return {std::move(state)};
}

struct Conv {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<ConvState>();
    const Tensor &in = c.in(0), &filter = c.in(1);
    if (!filter.num_elements())
      return InvalidArgument("filter must not have zero elements (i.e. all dimensions must be ",
                             "non-zero)");
    ConvDims d;
    TENSH_ASSIGN(Shape shape, OutShape(s, in.shape(), filter.shape(), d));
    TENSH_ASSIGN(shape, Shape::Make(shape.dims(), true));
    TENSH_OUTPUT(out, c.Output(0, shape));
    return Convolve(c, d, in.data<T>(), filter.data<T>(), out->data<T>());
  }
};

Status ConvOpShape(ShapeCtx& c) {
  ConvState s;
  TENSH_RETURN_IF_ERROR(ReadConv(c.attrs(), s));
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) return {};
  ConvDims d;
  TENSH_ASSIGN(const Shape out, OutShape(s, c.in(0), c.in(1), d));
  TENSH_RETURN_IF_ERROR(CheckWindow(s, WindowAttrs::kPlanes, d.planes));
  TENSH_RETURN_IF_ERROR(CheckWindows(s, d.rows, d.columns));
  c.Set(0, out);
  return {};
}

}  // namespace

TENSH_OPS(nn_conv_conv_nd) {
  r.Op({.name = "Conv",
        .inputs = "input: T, filter: T",
        .outputs = "output: T",
        .attrs = "T: {half, bfloat16, float, double, int32}, strides: list(int), "
                 "padding: {'SAME', 'VALID', 'EXPLICIT'}, explicit_paddings: list(int) = [], "
                 "data_format: {'CHANNELS_FIRST', 'CHANNELS_LAST'} = 'CHANNELS_LAST', "
                 "dilations: list(int) = [], batch_dims: int = 1, groups: int = 1",
        .doc = "Convolves images or volumes of type T with a filter. input: batch_dims batch "
               "dimensions, two or three spatial ones, channels. filter: [space…, channels, output "
               "channels]. strides and dilations have one number for the batch, each spatial "
               "dimension and the channels; empty dilations mean 1. padding: 'SAME' adds zeros "
               "such that every position has a window, 'VALID' adds none, 'EXPLICIT' adds "
               "explicit_paddings, before and after in each dimension of images. data_format: the "
               "position of the channels. groups: the number of groups of channels; must be 1.",
        .shape = ConvOpShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.Conv(input=[[[[1.], [2.]], [[3.], [4.]]]], filter=[[[[1.]], "
                      "[[1.]]]], strides=[1, 1, 1, 1], padding='VALID')[0, :, :, 0]",
                      "[[3.]\n [7.]]"}}})
      .Cpu<float, double, int32_t>(Conv{}, {.prepare = PrepareConv});
}

}  // namespace tensh::ops
