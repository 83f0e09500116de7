// OneHot: vectors with one distinguished element.
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct OneHotState : KernelState {
  int64_t axis;
  void Read(PrepareCtx& c) { axis = c.attrs().Int("axis"); }
};

Result<Shape> OneHotShapeOf(const Shape& indices, int64_t axis, int64_t depth) {
  if (axis < -1 || axis > indices.rank())
    return InvalidArgument("Expected axis to be -1 or between [0, ", indices.rank() + 1,
                           ").  But received: ", axis);
  int at = axis == -1 ? indices.rank() : static_cast<int>(axis);
  int64_t dims[Shape::kMaxRank + 1];
  for (int i = 0; i < indices.rank(); ++i) dims[i < at ? i : i + 1] = indices[i];
  dims[at] = depth;
  return Shape::Make({dims, static_cast<size_t>(indices.rank()) + 1}, false);
}

Status OneHot(KernelCtx& c) {
  const Tensor &indices = c.in(0), &depth_in = c.in(1), &on = c.in(2), &off = c.in(3);
  int64_t depth = IndexAt(depth_in, 0), axis = c.state<OneHotState>().axis;
  if (depth < 0) return InvalidArgument("depth must be non-negative, got: ", depth);
  TENSH_ASSIGN(Shape shape, OneHotShapeOf(indices.shape(), axis, depth));
  TENSH_OUTPUT(out, c.Output(0, shape));
  int64_t total = out->num_elements(), n = indices.num_elements();
  if (!total) return {};
  int64_t inner = 1;
  if (axis >= 0)
    for (int i = static_cast<int>(axis); i < indices.rank(); ++i) inner *= indices.dim(i);
  // A block has an index for each of its `inner` columns.
  const int64_t block = depth * inner;
  c.ParallelFor(n / inner, 0.3 * static_cast<double>(block) + 5, [&](int64_t begin, int64_t end) {
    FillElements(out->dtype(), At(*out, begin * block), off.raw(), (end - begin) * block);
    for (int64_t i = begin * inner; i < end * inner; ++i) {
      int64_t hot = IndexAt(indices, i);
      if (hot < 0 || hot >= depth) continue;
      int64_t at = (i / inner * depth + hot) * inner + i % inner;
      CopyElements(out->dtype(), At(*out, at), on.raw(), 1);
    }
  });
  return {};
}

Status OneHotShape(ShapeCtx& c) {
  if (const Tensor* depth = c.constant(1); depth && depth->rank() != 0)
    return InvalidArgument("depth must be a scalar, but got: ", depth->shape());
  if (c.attrs().Int("axis") < -1)
    return InvalidArgument("axis must be >= -1, but got ", c.attrs().Int("axis"));
  if (!c.in(0).has_rank()) return {};
  std::optional<int64_t> depth = ConstantScalar(c, 1);
  if (depth && *depth < 0) return InvalidArgument("depth must be non-negative, got: ", *depth);
  // As in TensorFlow, the kernel checks the range of the axis; here it wraps around.
  int64_t axis = c.attrs().Int("axis"), rank = c.in(0).rank() + 1;
  TENSH_ASSIGN(Shape shape, OneHotShapeOf(c.in(0), (axis % rank + rank) % rank,
                                          depth.value_or(Shape::kUnknownDim)));
  c.Set(0, shape);
  return {};
}

}  // namespace

TENSH_OPS(array_one_hot) {
  r.Op({.name = "OneHot",
        .inputs = "indices: TI, depth: int32, on_value: T, off_value: T",
        .outputs = "output: T",
        .attrs = "axis: int = -1, T: type, TI: {uint8, int8, int32, int64} = int64",
        .doc = "One-hot vectors. indices, of type TI, are the position of the marked entry in each "
               "vector, and depth is the length of the vectors. on_value and off_value, scalars of "
               "type T, are the values of the marked entry and of the others. output has a new "
               "dimension of extent depth at axis; -1 is the last. An index out of range marks no "
               "entry.",
        .contract = "depth: scalar at run, on_value: scalar at run, off_value: scalar at run",
        .shape = OneHotShape,
        .no_gradient = true,
        .examples = {{"tf.one_hot([0, 2], 3)", "[[1. 0. 0.]\n [0. 0. 1.]]"}}})
      .CpuAny(OneHot, PrepareFrom<OneHotState>);
}

}  // namespace tensh::ops
