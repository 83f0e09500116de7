// Reverse and ReverseV2.
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Result<DimSet> ReversedDims(const Tensor& axes, int rank) {
  DimSet reversed;
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    int64_t axis = IndexAt(axes, i), d = axis < 0 ? axis + rank : axis;
    if (d < 0 || d >= rank)
      return InvalidArgument("'axis'[", i, "] = ", axis, " is out of valid range [0, ", rank - 1);
    if (reversed[static_cast<size_t>(d)])
      return InvalidArgument("axis ", d, " specified more than once.");
    reversed.set(static_cast<size_t>(d));
  }
  return reversed;
}

Status ReverseAlong(KernelCtx& c, const DimSet& reversed) {
  const Tensor& input = c.in(0);
  if (reversed.none() || input.num_elements() <= 1) {
    c.SetOutput(0, input);
    return {};
  }
  TENSH_OUTPUT(out, c.Output(0, input.shape()));
  Strides strides(input.shape());
  BoxCopy box;
  int64_t offset = 0;
  for (int i = 0; i < input.rank(); ++i) {
    const bool back = reversed[static_cast<size_t>(i)];
    box.Add(input.dim(i), back ? -strides[i] : strides[i], strides[i]);
    if (back) offset += (input.dim(i) - 1) * strides[i];
  }
  CopyBox(c, input.dtype(), out->raw(), At(input, offset), box);
  return {};
}

Status Reverse(KernelCtx& c) {
  TENSH_ASSIGN(const DimSet reversed, ReversedDims(c.in(1), c.in(0).rank()));
  return ReverseAlong(c, reversed);
}

// The first version of the op takes one flag per dimension.
Status ReverseFlagged(KernelCtx& c) {
  if (c.in(0).rank() == 0) return ReverseAlong(c, {});  // ignores the flags, as TensorFlow does
  const auto flags = c.in(1).flat<bool>();
  if (static_cast<int>(flags.size()) != c.in(0).rank())
    return InvalidArgument(
        "'dims' must have the same number of values as 'input' has dimensions. 'input' has ",
        c.in(0).rank(), " dimensions, 'dims' has ", flags.size(), " values");
  DimSet reversed;
  for (size_t d = 0; d < flags.size(); ++d) reversed.set(d, flags[d]);
  return ReverseAlong(c, reversed);
}

Status FlaggedShape(ShapeCtx& c) {
  const Shape &in = c.in(0), &dims = c.in(1);
  c.Set(0, in);
  if (!dims.has_rank() || dims[0] < 0) return {};
  const int rank = static_cast<int>(std::min<int64_t>(dims[0], Shape::kMaxRank));
  TENSH_RETURN_IF_ERROR(c.WithRank(0, rank));
  if (!in.has_rank()) c.Set(0, Shape::UnknownOfRank(rank));
  return {};
}

Status FlaggedGrad(GradScope& g) { return g.Return({g.Op("Reverse", {g.dy(0), g.x(1)}), {}}); }

Status ReverseShape(ShapeCtx& c) {
  const Tensor* axes = c.constant(1);
  if (axes && c.in(0).has_rank())
    TENSH_RETURN_IF_ERROR(ReversedDims(*axes, c.in(0).rank()).status());
  c.Set(0, c.in(0));
  return {};
}

Status ReverseGrad(GradScope& g) { return g.Return({g.Op("ReverseV2", {g.dy(0), g.x(1)}), {}}); }

}  // namespace

TENSH_OPS(array_arrange_reverse) {
  r.Op({.name = "ReverseV2",
        .inputs = "tensor: T, axis: Tidx",
        .outputs = "output: T",
        .attrs =
            "Tidx: {int32, int64} = int32, T: {uint8, int8, uint16, int16, int32, uint32, "
            "int64, uint64, bool, bfloat16, half, float, double, complex64, complex128, string}",
        .doc = "Reverses dimensions. tensor has type T. axis, a vector of type Tidx, names the "
               "dimensions that output has in reverse order.",
        .contract = "axis: vector",
        .shape = ReverseShape,
        .grad = ReverseGrad,
        .examples = {{"tf.reverse([1, 2, 3], [0])", "[3 2 1]"}}})
      .CpuAny(Reverse);
  r.Op({.name = "Reverse",
        .inputs = "tensor: T, dims: bool",
        .outputs = "output: T",
        .attrs = "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, "
                 "half, float, double, complex64, complex128, string}",
        .doc = "Reverses dimensions. tensor has type T. dims has one boolean per dimension, which "
               "is true if output has it in reverse order. ReverseV2 takes the numbers of the "
               "dimensions instead.",
        .contract = "dims: vector",
        .shape = FlaggedShape,
        .grad = FlaggedGrad,
        .examples = {{"tf.raw_ops.Reverse(tensor=[1, 2, 3], dims=[True])", "[3 2 1]"}}})
      .CpuAny(ReverseFlagged);
}

}  // namespace tensh::ops
