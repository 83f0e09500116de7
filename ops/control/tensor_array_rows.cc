// TensorArrays: gather, scatter, concat and split.
#include <numeric>

#include "ops/control/tensor_array_grad.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/rows_shape.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct RowsState : KernelState {
  Shape element_shape;
};
template <const char* const& kAttr>
struct RowsOf : RowsState {
  void Read(PrepareCtx& c) { element_shape = c.attrs().Get<Shape>(kAttr); }
};
constexpr const char* kElementShape = "element_shape";
constexpr const char* kElementShapeExcept0 = "element_shape_except0";

// Returns 0 … n - 1. The oldest ops have no indices and apply to all rows.
std::vector<int64_t> AllIndices(int64_t n) {
  std::vector<int64_t> out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), int64_t{0});
  return out;
}

// Copies the elements of `row`, which may be on any device, to elements [at, …) of `out`.
Status CopyRow(KernelCtx& c, const Tensor& out, int64_t at, const Tensor& row) {
  TENSH_ASSIGN(const Tensor here, row.CopyTo(out.allocator()));
  CopyElements(c, out.dtype(), At(out, at), here.raw(), here.num_elements());
  return {};
}

Status GatherIndices(KernelCtx& c, TensorArray* array, const std::vector<int64_t>& indices) {
  TENSH_RETURN_IF_ERROR(CheckArrayType(c, *array, c.out_dtype(0)));
  if (indices.empty()) {
    const Shape known = array->element_shape();
    const Shape& row = known.IsFullyKnown() ? known : c.state<RowsState>().element_shape;
    if (!row.IsFullyKnown())
      return Unimplemented("TensorArray has size zero, but element shape ", row,
                           " is not fully defined. Currently only static shapes are supported when "
                           "packing zero-size TensorArrays.");
    TENSH_ASSIGN(Shape shape, RowsShape(0, row));
    TENSH_OUTPUT(out, c.Output(0, shape));
    (void)out;
    return {};
  }
  std::vector<Tensor> rows;
  for (int64_t index : indices) {
    TENSH_ASSIGN(Tensor row, array->Read(index));
    if (rows.empty() && !c.state<RowsState>().element_shape.IsCompatibleWith(row.shape()))
      return InvalidArgument("TensorArray was passed element_shape ",
                             c.state<RowsState>().element_shape,
                             " which does not match the Tensor at index 0: ", row.shape());
    if (!rows.empty() && !(rows[0].shape() == row.shape()))
      return InvalidArgument(
          "TensorArray has inconsistent shapes.  Index 0 has shape: ", rows[0].shape(),
          " but index ", rows.size(), " has shape: ", row.shape());
    rows.push_back(std::move(row));
  }
  TENSH_ASSIGN(Shape shape, RowsShape(static_cast<int64_t>(rows.size()), rows[0].shape()));
  TENSH_OUTPUT(out, c.Output(0, shape));
  const int64_t size = rows[0].num_elements();
  for (size_t i = 0; i < rows.size() && size; ++i)
    TENSH_RETURN_IF_ERROR(CopyRow(c, *out, static_cast<int64_t>(i) * size, rows[i]));
  return {};
}

Status GatherRows(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  if (!IsVector(c.in(1)))
    return InvalidArgument("Expected indices to be a vector, but received shape: ",
                           c.in(1).shape());
  return GatherIndices(c, array.get(), IndexValues(c.in(1)));
}

Status PackRows(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  return GatherIndices(c, array.get(), AllIndices(array->size()));
}

// Returns a copy of elements [at, at + n) of `value`.
Result<Tensor> Piece(KernelCtx& c, const Tensor& value, const Shape& shape, int64_t at, int64_t n) {
  TENSH_ASSIGN(Tensor piece, Tensor::Make(value.dtype(), shape, c.allocator()));
  if (n) CopyElements(c, value.dtype(), piece.raw(), At(value, at), n);
  return piece;
}

Status ScatterIndices(KernelCtx& c, TensorArray* array, const Tensor& value,
                      const std::vector<int64_t>& indices) {
  Shape row;
  for (int i = 1; i < value.rank(); ++i) row.Append(value.dim(i));
  const int64_t size = value.dim(0) ? value.num_elements() / value.dim(0) : 0;
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < value.dim(0); ++i) {
    TENSH_ASSIGN(Tensor piece, Piece(c, value, row, i * size, size));
    rows.push_back(std::move(piece));
  }
  return array->WriteRows(c, indices, rows);
}

Status NoRows(const Tensor& value) {
  return InvalidArgument("Input value for unpack must be at least a vector but received shape: ",
                         value.shape());
}

Status ScatterRows(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  const Tensor &indices = c.in(1), &value = c.in(2);
  if (!IsVector(indices))
    return InvalidArgument("Expected indices to be a vector, but received shape: ",
                           indices.shape());
  if (value.rank() == 0) return NoRows(value);
  if (indices.num_elements() != value.dim(0))
    return InvalidArgument("Expected len(indices) == values.shape[0], but saw: ",
                           indices.num_elements(), " vs. ", value.dim(0));
  TENSH_RETURN_IF_ERROR(ScatterIndices(c, array.get(), value, IndexValues(indices)));
  c.SetOutput(0, c.in(3));
  return {};
}

Status UnpackRows(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  const Tensor& value = c.in(1);
  if (value.rank() == 0) return NoRows(value);
  TENSH_RETURN_IF_ERROR(ScatterIndices(c, array.get(), value, AllIndices(value.dim(0))));
  c.SetOutput(0, c.in(2));
  return {};
}

Status ConcatRows(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  TENSH_RETURN_IF_ERROR(CheckArrayType(c, *array, c.out_dtype(0)));
  std::vector<Tensor> rows;
  int64_t total = 0;
  for (int64_t i = 0, n = array->concat_size(); i < n; ++i) {
    TENSH_ASSIGN(Tensor row, array->Read(i));
    if (row.rank() == 0)
      return InvalidArgument("Concat saw a scalar shape at index ", i,
                             " but requires at least vectors.  Did you mean to call pack?");
    const Shape inner(row.shape().dims().subspan(1));
    if (rows.empty() && !c.state<RowsState>().element_shape.IsCompatibleWith(inner))
      return InvalidArgument(
          "TensorArray was passed element_shape_except0 ", c.state<RowsState>().element_shape,
          " but index 0 has (excepting dimension 0) shape: ", inner, " which does not match.");
    Shape rest = row.shape();
    if (!rows.empty()) rest.set_dim(0, rows[0].dim(0));
    if (!rows.empty() && !(rest == rows[0].shape()))
      return InvalidArgument(
          "TensorArray has inconsistent shapes.  Index 0 has (excepting "
          "dimension 0) shape: ",
          rows[0].shape(), " but index ", i, " has (excepting dimension 0) shape: ", row.shape());
    total += row.dim(0);
    rows.push_back(std::move(row));
  }
  Shape shape = Shape::Unknown();
  if (!rows.empty()) {
    shape = rows[0].shape();
    shape.set_dim(0, total);
  } else {
    const Shape& rest = c.state<RowsState>().element_shape;
    if (!rest.IsFullyKnown())
      return Unimplemented("TensorArray has size zero, but element_shape_except0 ", rest,
                           " is not fully defined. Currently only static shapes are supported when "
                           "concatenating zero-size TensorArrays.");
    TENSH_ASSIGN(shape, RowsShape(0, rest));
  }
  TENSH_OUTPUT(out, c.Output(0, shape));
  TENSH_OUTPUT(lengths, c.Output(1, Shape({static_cast<int64_t>(rows.size())})));
  int64_t at = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    lengths->data<int64_t>()[i] = rows[i].dim(0);
    const int64_t n = rows[i].num_elements();
    TENSH_RETURN_IF_ERROR(CopyRow(c, *out, at, rows[i]));
    at += n;
  }
  return {};
}

Status SplitRows(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  const Tensor &value = c.in(1), &lengths = c.in(2);
  if (!IsVector(lengths))
    return InvalidArgument("Expected lengths to be a vector, received shape: ", lengths.shape());
  if (value.rank() == 0)
    return InvalidArgument("Expected value to be at least a vector, but received shape: ",
                           value.shape());
  std::vector<int64_t> indices;
  int64_t total = 0;
  for (int64_t n : IndexValues(lengths)) {
    if (n < 0) return InvalidArgument("Invalid value in lengths: ", n);
    if (__builtin_add_overflow(total, n, &total)) return InvalidArgument("lengths overflow");
    indices.push_back(static_cast<int64_t>(indices.size()));
  }
  if (total != value.dim(0))
    return InvalidArgument(
        "Expected sum of lengths to be equal to values.shape[0], but sum of "
        "lengths is ",
        total, " and value's shape is: ", value.shape());
  if (!array->dynamic_size() && array->size() != static_cast<int64_t>(indices.size()))
    return InvalidArgument("TensorArray's size is not equal to the size of lengths (",
                           array->size(), " vs. ", indices.size(),
                           "), and the TensorArray is not marked as dynamically resizeable");
  const int64_t size = value.dim(0) ? value.num_elements() / value.dim(0) : 0;
  std::vector<Tensor> rows;
  int64_t at = 0;
  for (int64_t n : IndexValues(lengths)) {
    Shape shape = value.shape();
    shape.set_dim(0, n);
    TENSH_ASSIGN(Tensor piece, Piece(c, value, shape, at * size, n * size));
    rows.push_back(std::move(piece));
    at += n;
  }
  TENSH_RETURN_IF_ERROR(array->WriteRows(c, indices, rows));
  array->SetSplitSize(static_cast<int64_t>(rows.size()));
  c.SetOutput(0, c.in(3));
  return {};
}

Status FlowShape(ShapeCtx& c) {
  c.Set(0, Shape());
  return {};
}

Status GatherShape(ShapeCtx& c) {
  const Shape& row = c.attrs().Get<Shape>("element_shape");
  if (!row.has_rank() || row.rank() >= Shape::kMaxRank) return {};
  Shape out = Shape::UnknownOfRank(1);
  if (c.num_inputs() > 2 && c.in(1).rank() == 1) out.set_dim(0, c.in(1)[0]);
  for (int64_t d : row.dims()) out.Append(d);
  c.Set(0, out);
  return {};
}

Status ConcatShape(ShapeCtx& c) {
  const Shape& rest = c.attrs().Get<Shape>("element_shape_except0");
  if (rest.has_rank() && rest.rank() < Shape::kMaxRank) {
    Shape out = Shape::UnknownOfRank(1);
    for (int64_t d : rest.dims()) out.Append(d);
    c.Set(0, out);
  }
  c.Set(1, Shape::UnknownOfRank(1));
  return {};
}

Status GatherGrad(GradScope& g) {
  const GradientArray array = GradientOf(g, g.x(2));
  return g.Return({Out(), Out(),
                   g.Op("TensorArrayScatterV3", {array.handle, g.x(1), g.dy(0), array.flow}, {},
                        "TensorArrayScatter/TensorArrayScatterV3")});
}

Status ScatterGrad(GradScope& g) {
  const GradientArray array = GradientOf(g, g.dy(0));
  Out value = g.Op("TensorArrayGatherV3", {array.handle, g.x(1), array.flow},
                   {{"dtype", g.attrs().Type("T")}});
  return g.Return({Out(), Out(), value, g.dy(0)});
}

Status ConcatGrad(GradScope& g) {
  const GradientArray array = GradientOf(g, g.x(1));
  return g.Return({Out(), g.Op("TensorArraySplitV3", {array.handle, g.dy(0), g.y(1), array.flow},
                               {}, "TensorArraySplit/TensorArraySplitV3")});
}

Status SplitGrad(GradScope& g) {
  const GradientArray array = GradientOf(g, g.dy(0));
  Out value =
      g.Op("TensorArrayConcatV3", {array.handle, array.flow}, {{"dtype", g.attrs().Type("T")}});
  return g.Return({Out(), value, Out(), g.dy(0)});
}

constexpr char kPackExample[] =
    "tf.raw_ops.TensorArrayPack(handle=(h := tf.raw_ops.TensorArray(size=2, dtype=tf.float32)), "
    "flow_in=tf.raw_ops.TensorArrayUnpack(handle=h, value=[5., 7.], flow_in=0.), "
    "dtype=tf.float32)";

void AddGather(OpRegistry& r, const ArrayVersion& v, const Example& newest, auto old) {
  const bool now = v.kind == HandleKind::kResource;
  r.Op({.name = StrCat("TensorArrayGather", v.suffix),
        .inputs = StrCat("handle: ", v.type, ", indices: int32, flow_in: float"),
        .outputs = "value: dtype",
        .attrs = "dtype: type, element_shape: shape = {unknown}",
        .doc = "The tensors at indices of the array of handle, of type dtype, as the rows of one "
               "tensor. element_shape is the known part of a row's shape. flow_in orders the "
               "operation.",
        .shape = GatherShape,
        .grad = now ? GatherGrad : nullptr,
        .stateful = now,
        .examples = {now ? newest
                         : old("Scatter", "indices=[0, 1], value=[5., 7.]", "Gather",
                               ", indices=[1, 0]", "[7. 5.]")}})
      .CpuAny(GatherRows, PrepareFrom<RowsOf<kElementShape>>);
}

void AddScatter(OpRegistry& r, const ArrayVersion& v, const Example& newest, auto old) {
  const bool now = v.kind == HandleKind::kResource;
  r.Op({.name = StrCat("TensorArrayScatter", v.suffix),
        .inputs = StrCat("handle: ", v.type, ", indices: int32, value: T, flow_in: float"),
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .doc = "Stores the rows of value at indices of the array of handle. flow_in orders the "
               "operation; flow_out is flow_in. T is value's type.",
        .shape = FlowShape,
        .grad = now ? ScatterGrad : nullptr,
        .stateful = now,
        .examples = {now ? newest
                         : old("Scatter", "indices=[1, 0], value=[5., 7.]", "Read", ", index=0",
                               "7.0")}})
      .CpuAny(ScatterRows);
}

void AddConcat(OpRegistry& r, const ArrayVersion& v, const Example& newest, auto old) {
  const bool now = v.kind == HandleKind::kResource;
  r.Op({.name = StrCat("TensorArrayConcat", v.suffix),
        .inputs = StrCat("handle: ", v.type, ", flow_in: float"),
        .outputs = "value: dtype, lengths: int64",
        .attrs = "dtype: type, element_shape_except0: shape = {unknown}",
        .doc = "All tensors of the array of handle, of type dtype, concatenated along dimension 0, "
               "and their lengths in it. element_shape_except0 is the known part of their other "
               "dimensions. flow_in orders the operation.",
        .shape = ConcatShape,
        .grad = now ? ConcatGrad : nullptr,
        .stateful = now,
        .examples = {now ? newest
                         : old("Split", "value=[5., 6., 7.], lengths=[1, 2]", "Concat", "",
                               StrCat("TensorArrayConcat", v.suffix,
                                      "(value=array([5., 6., 7.], dtype=float32), "
                                      "lengths=array([1, 2]))"))}})
      .CpuAny(ConcatRows, PrepareFrom<RowsOf<kElementShapeExcept0>>);
}

void AddSplit(OpRegistry& r, const ArrayVersion& v, const Example& newest, auto old) {
  const bool now = v.kind == HandleKind::kResource;
  r.Op({.name = StrCat("TensorArraySplit", v.suffix),
        .inputs = StrCat("handle: ", v.type, ", value: T, lengths: int64, flow_in: float"),
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .doc = "Splits value along dimension 0 into pieces of the given lengths, which become the "
               "tensors of the array of handle. flow_in orders the operation; flow_out is flow_in. "
               "T is value's type.",
        .shape = FlowShape,
        .grad = now ? SplitGrad : nullptr,
        .stateful = now,
        .examples = {now ? newest
                         : old("Split", "value=[5., 6., 7.], lengths=[1, 2]", "Read", ", index=1",
                               "[6. 7.]")}})
      .CpuAny(SplitRows);
}

void AddPack(OpRegistry& r) {
  r.Op({.name = "TensorArrayPack",
        .inputs = "handle: Ref(string), flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type, element_shape: shape = {unknown}",
        .doc = "All tensors of the array of handle, of type dtype, as the rows of one tensor. "
               "element_shape is the known part of a row's shape. flow_in orders the operation.",
        .shape = GatherShape,
        .examples = {{kPackExample, "[5. 7.]"}}})
      .CpuAny(PackRows, PrepareFrom<RowsOf<kElementShape>>);
  r.Op({.name = "TensorArrayUnpack",
        .inputs = "handle: Ref(string), value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .doc = "Stores the rows of value as the tensors of the array of handle. flow_in orders the "
               "operation; flow_out is flow_in. T is value's type.",
        .shape = FlowShape,
        .examples = {{kPackExample, "[5. 7.]"}}})
      .CpuAny(UnpackRows);
}

}  // namespace

TENSH_OPS(control_tensor_array_rows) {
  for (const ArrayVersion& v : kArrayVersions) {
    // Reads, by `take`, what `put` stored in an array.
    const auto old = [&v](const char* put, const char* with, const char* take, const char* how,
                          const std::string& result) {
      return Example{
          StrCat("tf.raw_ops.TensorArray", take, v.suffix, "(handle=(h := tf.raw_ops.TensorArray",
                 v.suffix, "(size=2, dtype=tf.float32)), flow_in=tf.raw_ops.TensorArray", put,
                 v.suffix, "(handle=h, flow_in=0., ", with, "), dtype=tf.float32", how, ")"),
          result};
    };
    AddGather(r, v, {"tf.TensorArray(tf.int32, 2).unstack([5, 7]).gather([1, 0])", "[7 5]"}, old);
    AddScatter(r, v, {"tf.TensorArray(tf.int32, 2).scatter([1, 0], [5, 7]).stack()", "[7 5]"}, old);
    AddConcat(r, v, {"tf.TensorArray(tf.int32, 2).unstack([[5], [7]]).concat()", "[5 7]"}, old);
    AddSplit(r, v,
             {"tf.TensorArray(tf.int32, 2, infer_shape=False).split([5, 6, 7], [1, 2]).read(1)",
              "[6 7]"},
             old);
  }
  AddPack(r);
}

}  // namespace tensh::ops
