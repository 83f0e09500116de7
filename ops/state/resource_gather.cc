// ResourceGather and ResourceGatherNd: read slices of a resource variable without copying all of
// it.
#include "ops/array/index/scatter_nd.h"
#include "ops/op_file.h"
#include "ops/state/handle_example.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/var_update.h"

namespace tensh::ops {
namespace {

struct BatchState : KernelState {
  int64_t batch_dims = 0;
  void Read(PrepareCtx& c) { batch_dims = c.attrs().Int("batch_dims"); }
};

Status Gather(KernelCtx& c) {
  TENSH_ASSIGN(const Tensor params, ReadForOutput(c));
  const Tensor& indices = c.in(1);
  const int64_t given = c.state<BatchState>().batch_dims;
  const int64_t batch = given < 0 ? given + indices.rank() : given;
  if (batch < 0 || batch > indices.rank() || batch >= params.rank())
    return InvalidArgument("params must be at least ", std::max<int64_t>(batch, 0) + 1,
                           " dimensional, and indices have the batch dimensions: got ",
                           params.shape(), " and ", indices.shape());
  std::vector<int64_t> dims;
  int64_t batches = 1, run = 1;
  for (int i = 0; i < batch; ++i) {
    if (params.dim(i) != indices.dim(i))
      return InvalidArgument("params.shape[", i, "]: ", params.dim(i),
                             " should be equal to indices.shape[", i, "]: ", indices.dim(i));
    dims.push_back(params.dim(i));
    batches *= params.dim(i);
  }
  for (int i = static_cast<int>(batch); i < indices.rank(); ++i) dims.push_back(indices.dim(i));
  for (int i = static_cast<int>(batch) + 1; i < params.rank(); ++i) {
    dims.push_back(params.dim(i));
    run *= params.dim(i);
  }
  TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
  const int64_t rows = params.dim(static_cast<int>(batch)), n = indices.num_elements();
  std::vector<int64_t> from(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = IndexAt(indices, i);
    if (at < 0 || at >= rows)
      return InvalidArgument("indices[", i, "] = ", at, " is not in [0, ", rows, ")");
    from[static_cast<size_t>(i)] =
        i / std::max<int64_t>(n / std::max<int64_t>(batches, 1), 1) * (batch ? rows : 0) + at;
  }
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (out->num_elements())
    CopyRuns(params.dtype(), out->raw(), nullptr, params.raw(), from.data(), n, run);
  return {};
}

Status GatherNd(KernelCtx& c) {
  TENSH_ASSIGN(const Tensor params, ReadForOutput(c));
  const Tensor& indices = c.in(1);
  if (params.rank() < 1) return InvalidArgument("params must be at least a vector");
  if (indices.rank() < 1) return InvalidArgument("indices must be at least a vector");
  const int outer = indices.rank() - 1;
  if (indices.dim(outer) > params.rank())
    return InvalidArgument("index innermost dimension length must be <= params rank; saw: ",
                           indices.dim(outer), " vs. ", params.rank());
  std::vector<int64_t> dims, places;
  for (int i = 0; i < outer; ++i) dims.push_back(indices.dim(i));
  for (int i = static_cast<int>(indices.dim(outer)); i < params.rank(); ++i)
    dims.push_back(params.dim(i));
  TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
  int64_t run = 1;
  TENSH_RETURN_IF_ERROR(ScatterPlaces(params.shape(), indices, false, places, run));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  for (size_t r = 0; r < places.size(); ++r)
    CopyElements(params.dtype(), At(*out, static_cast<int64_t>(r) * run), At(params, places[r]),
                 run);
  return {};
}

// The gradient has one row for each gathered row. It is an IndexedSlices, which is not a node
// (scope_builder.h).
Status GatherGrad(GradScope& g) {
  Out shape = g.Op("VariableShape", {g.x(0)});
  Out size = g.Op("ExpandDims", {SizeOfTensor(g, g.x(1)), ConstInt(g, 0, "ExpandDims/dim")});
  Out begin = ConstInts(g, {1}, "strided_slice/stack");
  Out end = ConstInts(g, {0}, "strided_slice/stack_1");
  Out step = ConstInts(g, {1}, "strided_slice/stack_2");
  Out rest = g.Op("StridedSlice", {shape, begin, end, step}, {{"end_mask", 1}}, "strided_slice");
  Out values_shape = Concat(g, {size, rest}, ConstInt(g, 0, "concat/axis"));
  Out values = g.Op("Reshape", {g.dy(0), values_shape});
  Out indices = g.Op("Reshape", {g.x(1), size}, {}, "Reshape_1");
  return g.Return({g.Rows(values, indices, shape), {}});
}

// Appends the dimensions [begin, end) of `more` to `out`, which becomes unknown if its rank exceeds
// the maximum.
void AppendDims(Shape& out, const Shape& more, int begin, int end) {
  for (int i = begin; i < end && out.has_rank(); ++i) {
    if (out.rank() == Shape::kMaxRank)
      out = Shape::Unknown();
    else
      out.Append(more[i]);
  }
}

Status GatherShape(ShapeCtx& c) {
  const Shape params = c.ConstantAsShape(0), &indices = c.in(1);
  if (!params.has_rank() || !indices.has_rank()) return {};
  if (params.rank() < 1)
    return InvalidArgument("Shape must be at least rank 1 but is rank ", params.rank());
  int64_t batch = c.attrs().Int("batch_dims");
  if (batch < 0) batch += indices.rank();
  if (batch < 0 || batch > indices.rank() || batch >= params.rank())
    return InvalidArgument("batch_dims must be less than the ranks of the variable and of indices");
  const int b = static_cast<int>(batch);
  Shape out;
  AppendDims(out, params, 0, b);
  AppendDims(out, indices, b, indices.rank());
  AppendDims(out, params, b + 1, params.rank());
  c.Set(0, out);
  return {};
}

Status GatherNdShape(ShapeCtx& c) {
  const Shape params = c.ConstantAsShape(0), &indices = c.in(1);
  if (!params.has_rank() || !indices.has_rank()) return {};
  TENSH_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1));
  const int64_t depth = indices[indices.rank() - 1];
  if (depth < 0) return {};
  if (depth > params.rank())
    return InvalidArgument("indices.shape[-1] must be <= params.rank, but saw indices shape: ",
                           indices, " and params shape: ", params);
  Shape out;
  AppendDims(out, indices, 0, indices.rank() - 1);
  AppendDims(out, params, static_cast<int>(depth), params.rank());
  c.Set(0, out);
  return {};
}

Status GatherNdGrad(GradScope& g) {
  Out shape = g.Op("VariableShape", {g.x(0)}, {{"out_type", g.dtype(g.x(1))}});
  return g.Return({g.Op("ScatterNd", {g.x(1), g.dy(0), shape}), {}});
}

}  // namespace

TENSH_OPS(state_resource_gather) {
  r.Op({.name = "ResourceGather",
        .inputs = "resource: resource, indices: Tindices",
        .outputs = "output: dtype",
        .attrs = "batch_dims: int = 0, validate_indices: bool = true, dtype: type, "
                 "Tindices: {int32, int64}",
        .doc = "Gathers slices of the variable of resource, of type dtype, by index along its "
               "first dimension. indices, of type Tindices, are the indices and output the slices. "
               "batch_dims: the number of leading dimensions that they share. validate_indices: "
               "ignored; indices are always checked.",
        .shape = GatherShape,
        .grad = GatherGrad,
        .stateful = true,
        .variable_type = "dtype",
        .examples = {{StrCat("tf.raw_ops.ResourceGather(resource=", HandleExample("[1., 2.]"),
                             ", indices=[0], dtype=tf.float32)"),
                      "[1.]"}}})
      .CpuAny(Gather, PrepareFrom<BatchState>);
  r.Op({.name = "ResourceGatherNd",
        .inputs = "resource: resource, indices: Tindices",
        .outputs = "output: dtype",
        .attrs = "dtype: type, Tindices: {int32, int64}",
        .doc = "Gathers slices of the variable of resource, of type dtype. Each row of the last "
               "dimension of indices, of type Tindices, is an index into its first dimensions; "
               "output has the slices.",
        .shape = GatherNdShape,
        .grad = GatherNdGrad,
        .stateful = true,
        .variable_type = "dtype",
        .examples = {{StrCat("tf.raw_ops.ResourceGatherNd(resource=", HandleExample("[1., 2.]"),
                             ", indices=[[0]], dtype=tf.float32)"),
                      "[1.]"}}})
      .CpuAny(GatherNd);
}

}  // namespace tensh::ops
