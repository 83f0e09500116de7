// Concat, ConcatV2 and ConcatOffset.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Result<int> ConcatAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    return InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [", -rank,
                           ", ", rank, "), but got ", axis);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Status TooLong(int axis) {
  return InvalidArgument("ConcatOp : Dimension ", axis, " would be longer than 2**63");
}

// Position of the axis input: after the values, or before them in the first version of the op.
enum class AxisIs { kLast, kFirst };
template <AxisIs where>
constexpr int kFirstValue = where == AxisIs::kFirst ? 1 : 0;
template <AxisIs where>
int AxisAt(int n) {
  return where == AxisIs::kFirst ? 0 : n;
}

// Returns the shape of n concatenated values, the first of which is input `first`.
Result<Shape> ConcatenatedShape(KernelCtx& c, int first, int n, int axis) {
  Shape shape = c.in(first).shape();
  for (int i = 1; i < n; ++i) {
    const Shape& other = c.in(first + i).shape();
    if (other.rank() != shape.rank())
      return InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = ",
                             c.in(first).shape(), " vs. shape[", i, "] = ", other);
    for (int d = 0; d < shape.rank(); ++d)
      if (d != axis && other[d] != shape[d])
        return InvalidArgument("ConcatOp : Dimension ", d,
                               " in both shapes must be equal: shape[0] = ", c.in(first).shape(),
                               " vs. shape[", i, "] = ", other);
    int64_t extent;
    if (__builtin_add_overflow(shape[axis], other[axis], &extent)) return TooLong(axis);
    shape.set_dim(axis, extent);
  }
  return Shape::Make(shape.dims(), true);
}

template <AxisIs where>
Status Concat(KernelCtx& c) {
  constexpr int kFirst = kFirstValue<where>;
  int n = c.num_inputs() - 1;
  TENSH_ASSIGN(int axis, ConcatAxis(IndexAt(c.in(AxisAt<where>(n)), 0), c.in(kFirst).rank()));
  TENSH_ASSIGN(Shape shape, ConcatenatedShape(c, kFirst, n, axis));
  TENSH_OUTPUT(out, c.Output(0, shape));
  int64_t outer = 1, inner = 1;
  for (int d = 0; d < axis; ++d) outer *= shape[d];
  for (int d = axis + 1; d < shape.rank(); ++d) inner *= shape[d];
  int64_t row = shape[axis] * inner, at = 0;
  for (int i = 0; i < n && out->num_elements(); ++i) {
    int64_t piece = c.in(kFirst + i).dim(axis) * inner;
    BoxCopy box;
    box.Add(outer, piece, row);
    box.Add(piece, 1, 1);
    CopyBox(c, out->dtype(), At(*out, at), c.in(kFirst + i).raw(), box);
    at += piece;
  }
  return {};
}

template <AxisIs where>
Status ConcatShape(ShapeCtx& c) {
  int n = c.num_inputs() - 1;
  std::optional<int64_t> axis_value = ConstantScalar(c, AxisAt<where>(n));
  Shape out = Shape::Unknown();
  int64_t total = 0;
  int axis = -1;
  for (int i = 0; i < n; ++i) {
    Shape in = c.in(kFirstValue<where> + i);
    if (!in.has_rank()) {
      total = -1;
      continue;
    }
    if (axis_value && axis < 0) {
      TENSH_ASSIGN(axis, ConcatAxis(*axis_value, in.rank()));
    }
    if (out.has_rank() && out.rank() != in.rank())
      return InvalidArgument("Shapes must be equal rank, but are ", out.rank(), " and ", in.rank());
    if (axis < 0) {
      if (!out.has_rank()) out = Shape::UnknownOfRank(in.rank());
      continue;
    }
    if (in[axis] < 0) total = -1;
    if (total >= 0 && __builtin_add_overflow(total, in[axis], &total)) return TooLong(axis);
    in.set_dim(axis, Shape::kUnknownDim);
    TENSH_ASSIGN(out, MergeShapes(out, in));
  }
  if (out.has_rank() && axis >= 0) out.set_dim(axis, total);
  c.Set(0, out);
  return {};
}

// Returns the shapes of the forward op's n values, the first of which is input `first`: constants
// if all are static, otherwise one ShapeN.
std::vector<Out> InputShapes(GradScope& g, int first, int n) {
  std::vector<Out> shapes, values;
  bool all_static = true;
  for (int i = 0; i < n; ++i) {
    values.push_back(g.x(first + i));
    if (!all_static) continue;
    all_static = g.shape(values.back()).IsFullyKnown();
    shapes.push_back(ShapeOf(g, values.back()));
  }
  if (all_static) return shapes;
  Out all = g.OpN("ShapeN", values, {{"N", int64_t{n}}});
  shapes.clear();
  for (int i = 0; i < n; ++i) shapes.push_back(g.Output(all, i));
  return shapes;
}

template <AxisIs where>
Status ConcatGrad(GradScope& g) {
  constexpr int kSplitFrom = 17;  // from here on one SplitV replaces the Slices, as in TensorFlow
  int n = g.num_inputs() - 1;
  constexpr int kFirst = kFirstValue<where>;
  Out axis = g.Op("FloorMod", {g.x(AxisAt<where>(n)), RankOf(g, g.x(kFirst))}, {}, "mod");
  std::vector<Out> sizes = InputShapes(g, kFirst, n);
  std::vector<Out> grads;
  if (n >= kSplitFrom) {
    Out stack = Pack(g, sizes, "stack", 1);
    Out begin = Pack(g, {axis, ConstInt(g, 0, "Slice/begin/1")}, "Slice/begin");
    Out slice = g.Op("Slice", {stack, begin, ConstInts(g, {1, -1}, "Slice/size")});
    Out split = g.Op("SplitV", {g.dy(0), g.Op("Squeeze", {slice}), axis},
                     {{"num_split", int64_t{n}}}, "split");
    for (int i = 0; i < n; ++i) grads.push_back(g.Output(split, i));
  } else {
    std::vector<Out> inputs = {axis};
    inputs.insert(inputs.end(), sizes.begin(), sizes.end());
    Out offset = g.OpN("ConcatOffset", inputs, {{"N", int64_t{n}}});
    for (int i = 0; i < n; ++i)
      grads.push_back(g.Op("Slice", {g.dy(0), g.Output(offset, i), sizes[static_cast<size_t>(i)]}));
  }
  grads.insert(where == AxisIs::kFirst ? grads.begin() : grads.end(), Out());
  return g.Return(std::move(grads));
}

// Output i is the start of value i within the concatenation, as a vector.
struct ConcatOffset {
  template <class T>
  Status operator()(KernelCtx& c) const {
    int64_t rank = c.in(1).num_elements(), axis = IndexAt(c.in(0), 0);
    if (axis < -rank || axis >= rank)
      return InvalidArgument("Concat dim is out of range: ", axis, " vs. ", rank);
    if (axis < 0) axis += rank;
    T at = 0;
    for (int i = 1; i < c.num_inputs(); ++i) {
      const Tensor& shape = c.in(i);
      if (shape.num_elements() != rank)
        return InvalidArgument("input ", i - 1, " should be a vector of ", rank,
                               " entries, but got shape ", shape.shape());
      for (int64_t d = 0; d < rank; ++d)
        if (d != axis && shape.data<T>()[d] != c.in(1).data<T>()[d])
          return InvalidArgument("All dimensions except ", axis, " must match. Input ", i - 1,
                                 " has ", shape.data<T>()[d], " where input 0 has ",
                                 c.in(1).data<T>()[d], " in dimension ", d);
      TENSH_OUTPUT(offset, c.Output(i - 1, shape.shape()));
      std::fill_n(offset->data<T>(), rank, T(0));
      offset->data<T>()[axis] = at;
      at = static_cast<T>(static_cast<uint64_t>(at) + static_cast<uint64_t>(shape.data<T>()[axis]));
    }
    return {};
  }
};

Status ConcatOffsetShape(ShapeCtx& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    c.Set(i - 1, c.in(i));
  }
  return {};
}

}  // namespace

TENSH_OPS(array_arrange_concat) {
  r.Op({.name = "ConcatV2",
        .inputs = "values: N * T, axis: Tidx",
        .outputs = "output: T",
        .attrs = "N: int >= 2, T: type, Tidx: {int32, int64} = int32",
        .doc = "Concatenates tensors along a dimension. values are N tensors of type T that have "
               "equal shapes except along axis, a scalar of type Tidx; a negative axis counts from "
               "the end. output contains them one after the other.",
        .contract = "values: rank 1+, axis: scalar",
        .shape = ConcatShape<AxisIs::kLast>,
        .grad = ConcatGrad<AxisIs::kLast>,
        .role = OpRole::kConcat,
        .examples = {{"tf.concat([[1, 2], [3]], 0)", "[1 2 3]"},
                     {"tf.concat([[[1, 2]], [[3, 4]]], 1)", "[[1 2 3 4]]"}}})
      .CpuAny(Concat<AxisIs::kLast>);
  r.Op({.name = "Concat",
        .inputs = "concat_dim: int32, values: N * T",
        .outputs = "output: T",
        .attrs = "N: int >= 2, T: type",
        .doc = "The form of ConcatV2 in old graphs. concat_dim, a scalar, is the dimension along "
               "which the N values, tensors of type T, are concatenated. output contains them one "
               "after the other.",
        .contract = "concat_dim: scalar, values: rank 1+",
        .shape = ConcatShape<AxisIs::kFirst>,
        .grad = ConcatGrad<AxisIs::kFirst>,
        .examples = {{"tf.raw_ops.Concat(concat_dim=0, values=[[1, 2], [3]])", "[1 2 3]"}}})
      .CpuAny(Concat<AxisIs::kFirst>);
  r.Op({.name = "ConcatOffset",
        .inputs = "concat_dim: int32, shape: N * shape_type",
        .outputs = "offset: N * shape_type",
        .attrs = "N: int >= 2, shape_type: {int32, int64} = int32",
        .doc = "Returns the offset of each of N tensors within their concatenation. concat_dim is "
               "the dimension of the concatenation. shape are the tensors' shapes, vectors of type "
               "shape_type. offset is the index of the first element of each.",
        .contract = "concat_dim: scalar at run, shape: vector",
        .shape = ConcatOffsetShape,
        .no_gradient = true,
        .examples = {{"concat_offset(1, [[2, 2], [2, 5]])[1]", "[0 2]"}}})
      .Cpu<int32_t, int64_t>(ConcatOffset{}, {.type_attr = "shape_type"});
}

}  // namespace tensh::ops
