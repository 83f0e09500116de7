// Pad and PadV2. Pad adds zeros, PadV2 a given value.
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Result<Shape> PaddedShape(const Shape& in, const Tensor& paddings) {
  if (paddings.dim(0) != in.rank())
    return InvalidArgument("The first dimension of paddings must be the rank of inputs",
                           paddings.shape(), " ", in);
  Shape out = in;
  for (int i = 0; i < in.rank(); ++i) {
    int64_t before = IndexAt(paddings, 2 * i), after = IndexAt(paddings, 2 * i + 1), extent = -1;
    if (before < 0 || after < 0)
      return InvalidArgument("Paddings must be non-negative: ", before, " ", after);
    if (in[i] >= 0 && (__builtin_add_overflow(before, after, &extent) ||
                       __builtin_add_overflow(extent, in[i], &extent)))
      return InvalidArgument("Pad would make dimension ", i, " larger than 2**63");
    out.set_dim(i, extent);
  }
  return Shape::Make(out.dims(), false);
}

// Pad adds zeros, PadV2 its input 2, a scalar.
Status Pad(KernelCtx& c) {
  const Tensor &input = c.in(0), &paddings = c.in(1);
  TENSH_ASSIGN(Shape shape, PaddedShape(input.shape(), paddings));
  bool has_value = c.num_inputs() == 3;
  if (shape == input.shape()) {
    c.SetOutput(0, input);
    return {};
  }
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (has_value)
    FillElements(c, out->dtype(), out->raw(), c.in(2).raw(), out->num_elements());
  else
    ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
  if (!input.num_elements()) return {};
  Strides from(input.shape()), to(shape);
  BoxCopy box;
  int64_t offset = 0;
  for (int i = 0; i < input.rank(); ++i) {
    box.Add(input.dim(i), from[i], to[i]);
    offset += IndexAt(paddings, 2 * i) * to[i];
  }
  CopyBox(c, input.dtype(), At(*out, offset), input.raw(), box);
  return {};
}

Status PadShape(ShapeCtx& c) {
  const Shape &in = c.in(0), &pads = c.in(1);
  if (pads.has_rank() && in.has_rank() && pads[0] >= 0 && pads[0] != in.rank())
    return InvalidArgument("Shape must be rank ", pads[0], " but is rank ", in.rank());
  const Tensor* paddings = c.constant(1);
  for (int64_t i = 0; paddings && i < paddings->num_elements(); ++i) {
    if (IndexAt(*paddings, i) < 0)
      return InvalidArgument("Paddings must be non-negative: ", IndexAt(*paddings, i));
  }
  if (paddings && in.has_rank()) {
    TENSH_ASSIGN(Shape shape, PaddedShape(in, *paddings));
    c.Set(0, shape);
  } else if (in.has_rank()) {
    c.Set(0, Shape::UnknownOfRank(in.rank()));
  } else if (pads.has_rank() && pads[0] >= 0 && pads[0] <= Shape::kMaxRank) {
    c.Set(0, Shape::UnknownOfRank(static_cast<int>(pads[0])));
  }
  return {};
}

Status PadGrad(GradScope& g) {
  DType index = g.dtype(g.x(1));
  Out column = Pack(g, {RankOf(g, g.x(0)), ConstInt(g, 1, "stack/1")}, "stack");
  Out zero = ConstInts(g, {0, 0}, "Slice/begin");
  Out before = g.Op("Slice", {g.x(1), zero, column});
  Out begin = g.Op("Reshape", {before, ConstInts(g, {-1}, "Reshape/shape")});
  Out sizes = ShapeOf(g, g.x(0), index);
  Out dx = g.Op("Slice", {g.dy(0), begin, sizes}, {}, "Slice_1");
  std::vector<Out> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = dx;
  return g.Return(std::move(grads));
}

}  // namespace

TENSH_OPS(array_arrange_pad) {
  r.Op({.name = "Pad",
        .inputs = "input: T, paddings: Tpaddings",
        .outputs = "output: T",
        .attrs = "T: type, Tpaddings: {int32, int64} = int32",
        .doc = "Pads a tensor with zeros. input has any type T. Row i of paddings, a matrix of "
               "type Tpaddings with two columns, is the number of zeros before and after in "
               "dimension i. output is the padded tensor.",
        .contract = "paddings: matrix of 2",
        .shape = PadShape,
        .grad = PadGrad,
        .examples = {{"tf.pad([1, 2], [[1, 2]])", "[0 1 2 0 0]"}}})
      .CpuAny(Pad);
  r.Op({.name = "PadV2",
        .inputs = "input: T, paddings: Tpaddings, constant_values: T",
        .outputs = "output: T",
        .attrs = "T: type, Tpaddings: {int32, int64} = int32",
        .doc = "Pads a tensor with a value. input has any type T. Row i of paddings, a matrix of "
               "type Tpaddings with two columns, is the size of the padding before and after in "
               "dimension i; constant_values is its scalar value. output is the padded tensor.",
        .contract = "paddings: matrix of 2, constant_values: scalar at run",
        .shape = PadShape,
        .grad = PadGrad,
        .examples = {{"tf.pad([1, 2], [[1, 1]], constant_values=9)", "[9 1 2 9]"}}})
      .CpuAny(Pad);
}

}  // namespace tensh::ops
