// Shape, ShapeN, Size and Rank.
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Status WriteShape(KernelCtx& c, int from, int to) {
  const Tensor& input = c.in(from);
  TENSH_OUTPUT(out, c.Output(to, Shape({input.rank()})));
  for (int i = 0; i < input.rank(); ++i) {
    if (out->dtype() == DType::kInt64) {
      out->data<int64_t>()[i] = input.dim(i);
    } else {
      if (input.dim(i) > INT32_MAX)
        return InvalidArgument("Shape output type is 32-bit  but dim ", i, " is ", input.dim(i));
      out->data<int32_t>()[i] = static_cast<int32_t>(input.dim(i));
    }
  }
  return {};
}

// Shape and ShapeN: output i is the shape of input i.
Status Shapes(KernelCtx& c) {
  for (int i = 0; i < c.num_inputs(); ++i) TENSH_RETURN_IF_ERROR(WriteShape(c, i, i));
  return {};
}

Status ShapesShape(ShapeCtx& c) {
  for (int i = 0; i < c.num_inputs(); ++i)
    c.Set(i, Shape({c.in(i).has_rank() ? c.in(i).rank() : Shape::kUnknownDim}));
  return {};
}

Status Size(KernelCtx& c) {
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  int64_t n = c.in(0).num_elements();
  if (out->dtype() == DType::kInt64) {
    *out->data<int64_t>() = n;
  } else {
    if (n > INT32_MAX)
      return InvalidArgument(
          "Number of elements was larger than representable by 32-bit output type");
    *out->data<int32_t>() = static_cast<int32_t>(n);
  }
  return {};
}

Status Rank(KernelCtx& c) {
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int32_t>() = c.in(0).rank();
  return {};
}

}  // namespace

TENSH_OPS(array_shape_shape) {
  r.Op({.name = "Shape",
        .inputs = "input: T",
        .outputs = "output: out_type",
        .attrs = "T: type, out_type: {int32, int64} = int32",
        .doc = "The shape of a tensor. output is a vector with one entry per dimension of input, "
               "whose type is T. out_type is the type of output.",
        .shape = ShapesShape,
        .no_gradient = true,
        .role = OpRole::kShapeOf,
        .examples = {{"tf.raw_ops.Shape(input=[[1, 2, 3], [4, 5, 6]])", "[2 3]"}}})
      .CpuAny(Shapes);
  r.Op({.name = "ShapeN",
        .inputs = "input: N * T",
        .outputs = "output: N * out_type",
        .attrs = "N: int >= 1, T: type, out_type: {int32, int64} = int32",
        .doc = "The shapes of several tensors. input is N tensors of type T, output is N vectors "
               "of type out_type.",
        .shape = ShapesShape,
        .no_gradient = true,
        .examples = {{"tf.shape_n([[1, 2], [3]])[0]", "[2]"}}})
      .CpuAny(Shapes);
  r.Op({.name = "Size",
        .inputs = "input: T",
        .outputs = "output: out_type",
        .attrs = "T: type, out_type: {int32, int64} = int32",
        .doc =
            "The number of elements of a tensor. input may have any type T; output is a scalar of "
            "type out_type.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .role = OpRole::kSizeOf,
        .examples = {{"tf.raw_ops.Size(input=[[1, 2, 3], [4, 5, 6]])", "6"}}})
      .CpuAny(Size);
  r.Op({.name = "Rank",
        .inputs = "input: T",
        .outputs = "output: int32",
        .attrs = "T: type",
        .doc =
            "The number of dimensions of a tensor. input may have any type T; output is a scalar.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .role = OpRole::kRankOf,
        .examples = {{"tf.raw_ops.Rank(input=[[1, 2, 3], [4, 5, 6]])", "2"}}})
      .CpuAny(Rank);
}

}  // namespace tensh::ops
