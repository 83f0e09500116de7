// ExpandDims: inserts a dimension of extent 1.
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Result<Shape> Expanded(const Shape& shape, int64_t dim) {
  int rank = shape.rank();
  if (dim < -rank - 1 || dim > rank)
    return InvalidArgument("Tried to expand dim index ", dim, " for tensor with ", rank,
                           " dimensions.");
  if (dim < 0) dim += rank + 1;
  int64_t dims[Shape::kMaxRank + 1];
  for (int i = 0; i < rank; ++i) dims[i < dim ? i : i + 1] = shape[i];
  dims[dim] = 1;
  return Shape::Make({dims, static_cast<size_t>(rank) + 1}, false);
}

Status ExpandDims(KernelCtx& c) {
  const Tensor &input = c.in(0), &dim = c.in(1);
  if (dim.num_elements() != 1) return InvalidArgument("'dim' must be a tensor with a single value");
  TENSH_ASSIGN(Shape shape, Expanded(input.shape(), IndexAt(dim, 0)));
  c.SetOutput(0, input.Reshaped(shape));
  return {};
}

Status ExpandDimsShape(ShapeCtx& c) {
  if (const Tensor* dim = c.constant(1); dim && dim->num_elements() != 1)
    return InvalidArgument("'dim' input must be a tensor with a single value");
  if (!c.in(0).has_rank()) return {};
  if (std::optional<int64_t> dim = ConstantScalar(c, 1)) {
    TENSH_ASSIGN(Shape shape, Expanded(c.in(0), *dim));
    c.Set(0, shape);
  }
  return {};
}

Status ExpandDimsGrad(GradScope& g) {
  Out shape = ShapeOf(g, g.x(0));
  return g.Return({g.Op("Reshape", {g.dy(0), shape}), {}});
}

}  // namespace

TENSH_OPS(array_shape_expand_dims) {
  r.Op({.name = "ExpandDims",
        .inputs = "input: T, dim: Tdim",
        .outputs = "output: T",
        .attrs = "T: type, Tdim: {int32, int64} = int32",
        .doc = "Inserts a dimension of extent 1. input has any type T. dim, of type Tdim, is its "
               "position: 0 inserts it in front, -1 at the end. output shares the data of input.",
        .shape = ExpandDimsShape,
        .grad = ExpandDimsGrad,
        .examples = {{"tf.expand_dims([1, 2], 0)", "[[1 2]]"},
                     {"tf.expand_dims([1, 2], -1)", "[[1]\n [2]]"}}})
      .CpuAny(ExpandDims);
}

}  // namespace tensh::ops
