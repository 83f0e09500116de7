// Gather and GatherV2: slices of a tensor selected by index along one axis.
#include "ops/array/string_room.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct GatherState : KernelState {
  int64_t batch_dims = 0;
};

Result<std::unique_ptr<KernelState>> PrepareGather(PrepareCtx& c) {
  auto state = std::make_unique<GatherState>();
  const AttrValue* batch_dims = c.attrs().Find("batch_dims");
  if (batch_dims) state->batch_dims = *batch_dims->Find<int64_t>();
  return std::unique_ptr<KernelState>(std::move(state));
}

// params [batch…, outer…, extent, inner…], indices [batch…, n…] → [batch…, outer…, n…, inner…].
struct GatherDims {
  int axis, batch_dims;
  int64_t batch = 1, outer = 1, extent = 1, inner = 1, n = 1;
  Shape out;
};

Result<GatherDims> ResolveDims(const Shape& params, const Shape& indices, int64_t axis,
                               int64_t batch_dims) {
  if (axis < -params.rank() || axis >= params.rank())
    return InvalidArgument(
        "Shape must be at least rank ",
        axis < 0 ? -static_cast<uint64_t>(axis) : static_cast<uint64_t>(axis) + 1, " but is rank ",
        params.rank());
  if (axis < 0) axis += params.rank();
  if (batch_dims < -indices.rank() || batch_dims > indices.rank())
    return InvalidArgument("Expected batch_dims in the range [", -indices.rank(), ", ",
                           indices.rank(), "], but got ", batch_dims);
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims > axis)
    return InvalidArgument("batch_dims (", batch_dims, ") must be less than or equal to axis (",
                           axis, ").");
  GatherDims d;
  d.axis = static_cast<int>(axis);
  d.batch_dims = static_cast<int>(batch_dims);
  int64_t dims[2 * Shape::kMaxRank];
  size_t rank = 0;
  for (int i = 0; i < d.axis; ++i) {
    if (i < d.batch_dims && params[i] >= 0 && indices[i] >= 0 && params[i] != indices[i])
      return InvalidArgument("params.shape[", i, "]: ", params[i],
                             " should be equal to indices.shape[", i, "]: ", indices[i]);
    (i < d.batch_dims ? d.batch : d.outer) *= params[i];
    dims[rank++] = params[i];
  }
  for (int i = d.batch_dims; i < indices.rank(); ++i) d.n *= dims[rank++] = indices[i];
  for (int i = d.axis + 1; i < params.rank(); ++i) d.inner *= dims[rank++] = params[i];
  d.extent = params[d.axis];
  TENSH_ASSIGN(d.out, Shape::Make({dims, rank}, false));
  return d;
}

// Returns the index of element i as text, such as "2,0".
std::string IndexText(const Shape& shape, int64_t i) {
  std::string text;
  Strides strides(shape);
  for (int d = 0; d < shape.rank(); ++d) text += StrCat(d ? "," : "", i / strides[d] % shape[d]);
  return text;
}

template <class I>
Status GatherRuns(const Tensor& params, const Tensor& indices, const GatherDims& d, Tensor& out) {
  const I* index = indices.data<I>();
  int64_t total = indices.num_elements();
  std::vector<int64_t> from(static_cast<size_t>(d.n));
  for (int64_t i = 0; i < total; ++i)
    if (index[i] < 0 || index[i] >= d.extent)
      return InvalidArgument("indices",
                             indices.rank() ? StrCat("[", IndexText(indices.shape(), i), "]") : "",
                             " = ", index[i], " is not in [0, ", d.extent, ")");
  if (!out.num_elements()) return {};
  for (int64_t b = 0; b < d.batch; ++b) {
    for (int64_t i = 0; i < d.n; ++i) from[static_cast<size_t>(i)] = index[b * d.n + i];
    for (int64_t o = 0; o < d.outer; ++o) {
      int64_t row = b * d.outer + o;
      CopyRuns(params.dtype(), At(out, row * d.n * d.inner), nullptr,
               At(params, row * d.extent * d.inner), from.data(), d.n, d.inner);
    }
  }
  return {};
}

Status Gather(KernelCtx& c) {
  const Tensor &params = c.in(0), &indices = c.in(1);
  int64_t axis = 0;
  if (c.num_inputs() == 3) {
    if (c.in(2).num_elements() != 1) return InvalidArgument("axis must be scalar");
    axis = IndexAt(c.in(2), 0);
  }
  TENSH_ASSIGN(GatherDims d, ResolveDims(params.shape(), indices.shape(), axis,
                                         c.state<GatherState>().batch_dims));
  TENSH_RETURN_IF_ERROR(Shape::Make(d.out.dims(), true).status());
  TENSH_RETURN_IF_ERROR(RoomForStrings(params, d.out.num_elements()));
  TENSH_OUTPUT(out, c.Output(0, d.out));
  switch (indices.dtype()) {
    case DType::kInt16:
      return GatherRuns<int16_t>(params, indices, d, *out);
    case DType::kInt32:
      return GatherRuns<int32_t>(params, indices, d, *out);
    default:
      return GatherRuns<int64_t>(params, indices, d, *out);
  }
}

Status GatherV2Shape(ShapeCtx& c) {
  std::optional<int64_t> axis = ConstantScalar(c, 2);
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) return {};
  if (!axis) {
    // Like TensorFlow, does not count a negative batch_dims from the end here.
    const int64_t batch = c.attrs().Int("batch_dims");
    if (batch < -Shape::kMaxRank || batch > Shape::kMaxRank) return {};
    const int64_t rank = c.in(0).rank() + c.in(1).rank() - 1 - batch;
    if (rank >= 0 && rank <= Shape::kMaxRank)
      c.Set(0, Shape::UnknownOfRank(static_cast<int>(rank)));
    return {};
  }
  TENSH_ASSIGN(GatherDims d, ResolveDims(c.in(0), c.in(1), *axis, c.attrs().Int("batch_dims")));
  c.Set(0, d.out);
  return {};
}

Status GatherShape(ShapeCtx& c) {
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) return {};
  TENSH_ASSIGN(GatherDims d, ResolveDims(c.in(0), c.in(1), 0, 0));
  c.Set(0, d.out);
  return {};
}

// Returns shape[1:] of a vector, with the nodes that Python's slicing creates.
Out Tail(GradScope& g, Out shape) {
  Out begin = ConstInts(g, {1}, "strided_slice/stack");
  Out end = ConstInts(g, {0}, "strided_slice/stack_1");
  Out step = ConstInts(g, {1}, "strided_slice/stack_2");
  return g.Op("StridedSlice", {shape, begin, end, step}, {{"end_mask", 1}}, "strided_slice");
}

// The gradient of axis 0: one row for each gathered row. It is an IndexedSlices, which is not a
// node (scope_builder.h).
Status GatherGradAxis0(GradScope& g) {
  int inputs = g.num_inputs();
  // TensorFlow computes the shape with 64 bits and casts it.
  Out shape = GradCast(g, ShapeOf(g, g.x(0), DType::kInt64), DType::kInt32);
  Out size = g.Op("ExpandDims", {SizeOfTensor(g, g.x(1)), ConstInt(g, 0, "ExpandDims/dim")});
  Out rest = Tail(g, shape);
  Out values_shape = Concat(g, {size, rest}, ConstInt(g, 0, "concat/axis"));
  Out values = g.Op("Reshape", {g.dy(0), values_shape});
  Out indices = g.Op("Reshape", {g.x(1), size}, {}, "Reshape_1");
  std::vector<Out> grads(static_cast<size_t>(inputs));
  grads[0] = g.Rows(values, indices, shape);
  return g.Return(std::move(grads));
}

// Builds parts of a shape vector from its indices.
class ShapeParts {
 public:
  explicit ShapeParts(GradScope& g) : g_(g) {}
  Out Vector(Out scalar) {
    return g_.Op("ExpandDims", {scalar, ConstInt(g_, 0, "ExpandDims/dim")});
  }
  Out Range(Out begin, Out end) {
    return g_.Op("Range", {begin, end, ConstInt(g_, 1, "range/delta")}, {}, "range");
  }
  // Cut returns shape[begin:end] for scalar bounds, Product the product of the entries of a vector.
  Out Cut(Out shape, Out begin, Out end) {
    return g_.Op("StridedSlice", {shape, Vector(begin), Vector(end), ConstInts(g_, {1}, "stack")},
                 {}, "strided_slice");
  }
  Out Product(Out shape) { return g_.Op("Prod", {shape, ConstInts(g_, {0}, "Const")}); }
  Out Joined(std::vector<Out> parts) {
    return Concat(g_, std::move(parts), ConstInt(g_, 0, "concat/axis"));
  }

 private:
  GradScope& g_;
};

// The gradient for any axis. Transposes the axis to the front, sums rows by segment, and transposes
// back. A batch dimension becomes part of the row number: index i of batch b is row b * extent + i.
Status GatherGradAnyAxis(GradScope& g, int64_t batch_dims) {
  ShapeParts parts(g);
  auto int32 = [&](Out t) {
    return g.dtype(t) == DType::kInt32 ? t : g.Op("Cast", {t}, {{"DstT", DType::kInt32}});
  };
  Out shape = g.Op("Shape", {g.x(0)}), index_shape = g.Op("Shape", {g.x(1)});
  Out rank = g.Op("Rank", {g.x(0)}), index_rank = g.Op("Rank", {g.x(1)});
  Out zero = ConstInt(g, 0, "zero"), one = ConstInt(g, 1, "one");
  Out batch = ConstInt(g, batch_dims, "batch_dims");
  Out axis = g.Op("FloorMod", {int32(g.x(2)), rank}, {}, "mod");
  Out after = g.Op("AddV2", {axis, one}, {}, "add");
  Out batch_shape = parts.Cut(shape, zero, batch);
  Out outer = parts.Cut(shape, batch, axis), inner = parts.Cut(shape, after, rank);
  Out extent = parts.Product(parts.Cut(shape, axis, after));
  Out batches = parts.Product(batch_shape);
  Out n = parts.Product(parts.Cut(index_shape, batch, index_rank));
  // Transposes [batch…, outer…, n, inner…] to [batch…, n, outer…, inner…].
  Out to_front = parts.Joined({parts.Range(zero, batch), parts.Vector(axis),
                               parts.Range(batch, axis), parts.Range(after, rank)});
  Out values =
      g.Op("Reshape", {g.dy(0), parts.Joined({batch_shape, outer, parts.Vector(n), inner})});
  values = g.Op("Transpose", {values, to_front}, {}, "transpose");
  Out rows = g.Op("Mul", {batches, n}, {}, "mul");
  values = g.Op("Reshape", {values, parts.Joined({parts.Vector(rows), outer, inner})});
  Out by_batch = parts.Joined({parts.Vector(batches), parts.Vector(n)});
  Out column = parts.Joined({parts.Vector(batches), parts.Vector(one)});
  Out offsets = g.Op("Mul", {parts.Range(zero, batches), extent}, {}, "mul");
  Out ids = g.Op("AddV2",
                 {g.Op("Reshape", {int32(g.x(1)), by_batch}), g.Op("Reshape", {offsets, column})},
                 {}, "add");
  ids = g.Op("Reshape", {ids, parts.Vector(rows)});
  Out segments = g.Op("Mul", {batches, extent}, {}, "mul");
  Out sum = g.Op("UnsortedSegmentSum", {values, ids, segments});
  sum = g.Op("Reshape", {sum, parts.Joined({batch_shape, parts.Vector(extent), outer, inner})});
  Out back = g.Op("InvertPermutation", {to_front});
  return g.Return({g.Op("Transpose", {sum, back}, {}, "transpose"), {}, {}});
}

Status GatherV2Grad(GradScope& g) {
  const Tensor* axis = g.constant(g.x(2));
  int64_t batch_dims = g.attrs().Int("batch_dims");
  if (axis && IndexAt(*axis, 0) == 0 && batch_dims == 0) return GatherGradAxis0(g);
  Shape indices = g.shape(g.x(1));
  if (batch_dims < 0) {
    if (!indices.has_rank())
      return Unimplemented("The gradient of GatherV2 with batch_dims ", batch_dims,
                           " needs to know the rank of indices when the graph is built");
    batch_dims += indices.rank();
  }
  return GatherGradAnyAxis(g, batch_dims);
}

}  // namespace

TENSH_OPS(array_index_gather) {
  r.Op({.name = "GatherV2",
        .inputs = "params: Tparams, indices: Tindices, axis: Taxis",
        .outputs = "output: Tparams",
        .attrs = "batch_dims: int = 0, Tparams: type, Tindices: {int16, int32, int64}, "
                 "Taxis: {int32, int64}",
        .doc = "Gathers slices of a tensor by index. params has any type Tparams. indices, of type "
               "Tindices and any shape, select slices along axis, a scalar of type Taxis. In the "
               "shape of output, dimension axis of params is replaced by the shape of indices. "
               "batch_dims: the number of leading dimensions that params and indices share.",
        .contract = "params: rank 1+",
        .shape = GatherV2Shape,
        .grad = GatherV2Grad,
        .examples = {{"tf.gather([10, 20, 30], [2, 0])", "[30 10]"},
                     {"tf.gather([[1, 2], [3, 4]], [1], axis=1)", "[[2]\n [4]]"}}})
      .CpuAny(Gather, PrepareGather);
  r.Op({.name = "Gather",
        .inputs = "params: Tparams, indices: Tindices",
        .outputs = "output: Tparams",
        .attrs = "validate_indices: bool = true, Tparams: type, Tindices: {int32, int64}",
        .doc = "Gathers rows of a tensor by index. params has any type Tparams, indices the type "
               "Tindices and any shape. For each i, output has row indices[i] of params. "
               "validate_indices: ignored; indices are always checked.",
        .contract = "params: rank 1+",
        .shape = GatherShape,
        .grad = GatherGradAxis0,
        .examples = {{"tf.raw_ops.Gather(params=[10, 20, 30], indices=[1])", "[20]"}}})
      .CpuAny(Gather, PrepareGather);
}

}  // namespace tensh::ops
