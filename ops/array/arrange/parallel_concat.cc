// ParallelConcat: stacks values along their first dimension.
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct ShapeState : KernelState {
  Shape shape;
  Status Read(PrepareCtx& c) {
    shape = c.attrs().Get<Shape>("shape");
    if (!shape.IsFullyKnown())
      return InvalidArgument("shape attr must be fully defined, got ", shape);
    return {};
  }
};

// Copies value i to row i. Rows without a value are zero.
Status ParallelConcat(KernelCtx& c) {
  const Shape& shape = c.state<ShapeState>().shape;
  if (shape.rank() < 1 || shape[0] < 1)
    return InvalidArgument("shape needs at least one row, got ", shape);
  Shape row = shape;
  row.set_dim(0, 1);
  for (int i = 0; i < c.num_inputs(); ++i)
    if (!(c.in(i).shape() == row))
      return InvalidArgument("All input shapes must match: expected ", row, ", got ",
                             c.in(i).shape(), " as value ", i);
  TENSH_OUTPUT(out, c.Output(0, shape));
  const int64_t run = row.num_elements();
  ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
  for (int i = 0; i < c.num_inputs() && run; ++i)
    CopyElements(c, out->dtype(), At(*out, i % shape[0] * run), c.in(i).raw(), run);
  return {};
}

Status ParallelConcatShape(ShapeCtx& c) {
  const Shape& shape = c.attrs().Get<Shape>("shape");
  if (!shape.IsFullyKnown()) return InvalidArgument("shape attr must be fully defined.");
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Shape& in = c.in(i);
    if (!in.IsFullyKnown()) return InvalidArgument("All input shapes must be fully defined.");
    if (in.rank() < 1 || in[0] != 1) return InvalidArgument("Size of first dimension must be 1.");
    if (!(in == c.in(0)))
      return InvalidArgument("Component shapes must match: ", in, " and ", c.in(0));
    Shape whole = in;
    whole.set_dim(0, shape.rank() ? shape[0] : 0);
    if (!(whole == shape))
      return InvalidArgument("rows of shape ", in, " do not make a tensor of shape ", shape);
  }
  c.Set(0, shape);
  return {};
}

}  // namespace

TENSH_OPS(array_arrange_parallel_concat) {
  r.Op({.name = "ParallelConcat",
        .inputs = "values: N * T",
        .outputs = "output: T",
        .attrs = "N: int >= 1, T: type, shape: shape",
        .doc = "Stacks N values, of type T, as the rows of one tensor. values: tensors of known "
               "shape whose first dimension is 1. shape: the shape of output.",
        .shape = ParallelConcatShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ParallelConcat(values=[[[1, 2]], [[3, 4]]], shape=[2, 2])",
                      "[[1 2]\n [3 4]]"}}})
      .CpuAny(ParallelConcat, PrepareFrom<ShapeState>);
}

}  // namespace tensh::ops
