// StridedSlice, its gradient op, and TensorStridedSliceUpdate.
#include "ops/array/index/slice_ranges.h"

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct MaskState : KernelState {
  SliceMasks masks;
  void Read(PrepareCtx& c) { masks = SliceMasks::From(c.attrs()); }
};

// Builds the box of a slice and returns the offset of its first element in the whole tensor.
// The other side of the copy is the dense piece.
enum class WholeIs : uint8_t { kSource, kDestination };
int64_t SliceBox(const ResolvedSlice& slice, const Shape& whole_shape, WholeIs side, BoxCopy& box) {
  const Strides whole_strides(whole_shape), part_strides(slice.sizes);
  int64_t offset = 0;
  for (int i = 0; i < slice.sizes.rank(); ++i) {
    const int64_t whole = slice.stride[i] * whole_strides[i], part = part_strides[i];
    const bool is_source = side == WholeIs::kSource;
    box.Add(slice.sizes[i], is_source ? whole : part, is_source ? part : whole);
    offset += slice.begin[i] * whole_strides[i];
  }
  return offset;
}

Status StridedSlice(KernelCtx& c) {
  const Tensor& input = c.in(0);
  TENSH_ASSIGN(ResolvedSlice slice, ResolveSlice(input.shape(), &c.in(1), &c.in(2), c.in(3),
                                                 c.state<MaskState>().masks));
  bool whole = slice.sizes == input.shape();
  for (int i = 0; whole && i < input.rank(); ++i)
    whole = slice.begin[i] == 0 && slice.stride[i] == 1;
  if (whole) {
    c.SetOutput(0, slice.final_shape == input.shape() ? input : input.Reshaped(slice.final_shape));
    return {};
  }
  TENSH_OUTPUT(out, c.Output(0, slice.final_shape));
  if (!out->num_elements()) return {};
  BoxCopy box;
  int64_t offset = SliceBox(slice, input.shape(), WholeIs::kSource, box);
  CopyBox(c, input.dtype(), out->raw(), At(input, offset), box);
  return {};
}

Status StridedSliceShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape parts, MergeShapes(c.in(1), c.in(2)));
  TENSH_RETURN_IF_ERROR(MergeShapes(parts, c.in(3)).status());
  const Tensor *begin = c.constant(1), *end = c.constant(2), *strides = c.constant(3);
  if (!c.in(0).has_rank() || !strides) return {};
  bool known = begin && end;
  TENSH_ASSIGN(ResolvedSlice slice,
               ResolveSlice(c.in(0), known ? begin : nullptr, known ? end : nullptr, *strides,
                            SliceMasks::From(c.attrs())));
  c.Set(0, slice.final_shape);
  return {};
}

Status StridedSliceGradient(GradScope& g) {
  Out begin = g.x(1), end = g.x(2), strides = g.x(3);
  Out shape = ShapeOf(g, g.x(0), g.dtype(begin));
  return g.Return({g.Op("StridedSliceGrad", {shape, begin, end, strides, g.dy(0)},
                        SliceMasks::From(g.attrs()).ToAttrs()),
                   {},
                   {},
                   {}});
}

Status StridedSliceGrad(KernelCtx& c) {
  const Tensor& dy = c.in(4);
  TENSH_ASSIGN(Shape shape, ShapeFromTensor(c.in(0)));
  TENSH_ASSIGN(ResolvedSlice slice,
               ResolveSlice(shape, &c.in(1), &c.in(2), c.in(3), c.state<MaskState>().masks));
  if (!(dy.shape() == slice.final_shape))
    return InvalidArgument("shape of dy was ", dy.shape(), " instead of ", slice.final_shape);
  TENSH_OUTPUT(out, c.Output(0, shape));
  ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
  if (!dy.num_elements()) return {};
  BoxCopy box;
  int64_t offset = SliceBox(slice, shape, WholeIs::kDestination, box);
  CopyBox(c, dy.dtype(), At(*out, offset), dy.raw(), box);
  return {};
}

Status StridedSliceGradShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape shape, ShapeInput(c, 0));
  c.Set(0, shape);
  return {};
}

Status StridedSliceGradGradient(GradScope& g) {
  return g.Return({{},
                   {},
                   {},
                   {},
                   g.Op("StridedSlice", {g.dy(0), g.x(1), g.x(2), g.x(3)},
                        SliceMasks::From(g.attrs()).ToAttrs())});
}

// The inputs are input, begin, end, strides and value. Returns a copy of input with value assigned
// to the slice; value broadcasts to the slice's shape, as in numpy.
Status StridedSliceUpdate(KernelCtx& c) {
  const Tensor& input = c.in(0);
  Tensor value = c.in(4);
  TENSH_ASSIGN(ResolvedSlice slice, ResolveSlice(input.shape(), &c.in(1), &c.in(2), c.in(3),
                                                 c.state<MaskState>().masks));
  while (value.rank() > slice.final_shape.rank() && value.dim(0) == 1)
    value = value.Reshaped(Shape(value.shape().dims().subspan(1)));
  const Result<Shape> wide = BroadcastShapes(slice.final_shape, value.shape());
  if (!wide.ok() || !(*wide == slice.final_shape))
    return InvalidArgument("Cannot broadcast a value of shape ", value.shape(),
                           " to a slice of shape ", slice.final_shape);
  TENSH_OUTPUT(out, c.Output(0, input.shape()));
  CopyElements(input.dtype(), out->raw(), input.raw(), input.num_elements());
  if (!slice.final_shape.num_elements()) return {};
  // First broadcasts value to a dense piece. The dimensions of the slice differ from those of the
  // input if some were shrunk or added.
  TENSH_ASSIGN(Tensor piece, Tensor::Make(value.dtype(), slice.final_shape));
  const Strides from(value.shape()), to(slice.final_shape);
  BoxCopy spread, box;
  const int more = slice.final_shape.rank() - value.rank();
  for (int d = 0; d < slice.final_shape.rank(); ++d)
    spread.Add(slice.final_shape[d], d < more || value.dim(d - more) == 1 ? 0 : from[d - more],
               to[d]);
  CopyBox(c, value.dtype(), piece.raw(), value.raw(), spread);
  const int64_t offset = SliceBox(slice, input.shape(), WholeIs::kDestination, box);
  CopyBox(c, value.dtype(), At(*out, offset), piece.raw(), box);
  return {};
}

Status StridedSliceUpdateShape(ShapeCtx& c) {
  c.Set(0, c.in(0));
  return {};
}

// The gradient of input is dy outside of the slice. The gradient of value is the slice of dy,
// summed over the dimensions that were broadcast.
Status StridedSliceUpdateGradient(GradScope& g) {
  const std::vector<NamedAttr> masks = SliceMasks::From(g.attrs()).ToAttrs();
  Out begin = g.x(1), end = g.x(2), strides = g.x(3), value = g.x(4);
  Out dvalue = g.Op("StridedSlice", {g.dy(0), begin, end, strides}, masks);
  Out zeros = g.Op("ZerosLike", {value}, {}, "zeros_like");
  Out dinput = g.Op("TensorStridedSliceUpdate", {g.dy(0), begin, end, strides, zeros}, masks);
  const Shape have = g.shape(dvalue), want = g.shape(value);
  if (!(have.IsFullyKnown() && have == want)) {
    Out shape = ShapeOf(g, value);
    Out axes = g.Output(
        g.Op("BroadcastGradientArgs", {ShapeOf(g, dvalue, DType::kInt32, "Shape_1"), shape}), 1);
    dvalue = g.Op("Reshape", {g.Op("Sum", {dvalue, axes}), shape});
  }
  return g.Return({dinput, {}, {}, {}, dvalue});
}

constexpr char kMaskAttrs[] =
    ", begin_mask: int = 0, end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, "
    "shrink_axis_mask: int = 0";
constexpr char kMaskDoc[] =
    " Bit i of a mask refers to entry i: begin_mask and end_mask ignore begin[i] or end[i] and "
    "extend to that side; ellipsis_mask marks the entry that stands for all other dimensions; "
    "new_axis_mask inserts a dimension of extent 1; shrink_axis_mask takes the single index "
    "begin[i] and drops the dimension.";

}  // namespace

TENSH_OPS(array_index_strided_slice) {
  r.Op({.name = "StridedSlice",
        .inputs = "input: T, begin: Index, end: Index, strides: Index",
        .outputs = "output: T",
        .attrs = StrCat("T: type, Index: {int16, int32, int64}", kMaskAttrs),
        .doc = StrCat("numpy's input[begin:end:strides, …]. input has any type T. begin, end and "
                      "strides are vectors of type Index with one entry for each part of the "
                      "subscript. output is the piece.",
                      kMaskDoc),
        .contract = "begin: vector, end: vector, strides: vector",
        .shape = StridedSliceShape,
        .grad = StridedSliceGradient,
        .examples = {{"tf.constant([1, 2, 3, 4])[1:3]", "[2 3]"},
                     {"tf.constant([[1, 2], [3, 4]])[:, 1]", "[2 4]"},
                     {"tf.constant([1, 2, 3, 4])[::-2]", "[4 2]"}}})
      .CpuAny(StridedSlice, PrepareFrom<MaskState>);
  r.Op({.name = "StridedSliceGrad",
        .inputs = "shape: Index, begin: Index, end: Index, strides: Index, dy: T",
        .outputs = "output: T",
        .attrs = StrCat("T: type, Index: {int32, int64}", kMaskAttrs),
        .doc = StrCat("Zeros with a piece where StridedSlice took it from. shape, a vector of type "
                      "Index, is the shape of output. begin, end and strides are those of "
                      "StridedSlice. dy is the piece, of type T.",
                      kMaskDoc),
        .contract = "shape: vector",
        .shape = StridedSliceGradShape,
        .grad = StridedSliceGradGradient,
        .examples = {{"strided_slice_grad([5], [1], [4], [2], [7, 8])", "[0 7 0 8 0]"}}})
      .CpuAny(StridedSliceGrad, PrepareFrom<MaskState>);
  r.Op({.name = "TensorStridedSliceUpdate",
        .inputs = "input: T, begin: Index, end: Index, strides: Index, value: T",
        .outputs = "output: T",
        .attrs = StrCat("T: type, Index: {int32, int64}", kMaskAttrs),
        .doc = StrCat("Returns input, of type T, with value assigned to the piece that "
                      "StridedSlice would take. begin, end and strides, of type Index, are those "
                      "of StridedSlice. value broadcasts to the piece.",
                      kMaskDoc),
        .contract = "begin: vector, end: vector, strides: vector",
        .shape = StridedSliceUpdateShape,
        .grad = StridedSliceUpdateGradient,
        .examples = {{"tf.raw_ops.TensorStridedSliceUpdate(input=[1, 2, 3], begin=[1], end=[3], "
                      "strides=[1], value=[8, 9])",
                      "[1 8 9]"}}})
      .CpuAny(StridedSliceUpdate, PrepareFrom<MaskState>);
}

}  // namespace tensh::ops
