// TensorLists: access to single elements, and conversion of a list from and to one tensor.
#include "ops/op_file.h"
#include "ops/support/list_variant.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

constexpr char kMake[] =
    "tf.raw_ops.TensorListFromTensor(tensor=[1., 2., 3.], element_shape=tf.constant([], tf.int32))";

Status GetItem(KernelCtx& c) {
  TENSH_ASSIGN(const TensorListValue* list, ListIn(c, 0));
  TENSH_ASSIGN(const int64_t index, ScalarIn(c, 1, "index"));
  if (index < 0 || index >= static_cast<int64_t>(list->items.size()))
    return InvalidArgument("Trying to access element ", index, " in a list with ",
                           list->items.size(), " elements.");
  const size_t i = static_cast<size_t>(index);
  if (list->items[i]) {
    TENSH_ASSIGN(Tensor item, UsableBy(c, list->items[i]));
    c.SetOutput(0, std::move(item));
    return {};
  }
  TENSH_ASSIGN(Shape shape, ElementShape(c.in(2), *list));
  if (!shape.IsFullyKnown()) {
    TENSH_ASSIGN(shape, ShapeOfItems(*list, shape));
  }
  TENSH_ASSIGN(Tensor zeros, ItemOrZeros(*list, i, shape));
  c.SetOutput(0, std::move(zeros));
  return {};
}

Status SetItem(KernelCtx& c) {
  constexpr int64_t kMostElements = int64_t{1} << 26;
  TENSH_ASSIGN(const int64_t index, ScalarIn(c, 1, "index"));
  const Tensor item = c.in(2);
  TENSH_ASSIGN(const TensorListValue* held, ListIn(c, 0));
  const bool grows = c.state<ListState>().resizes && index < kMostElements;
  if (index < 0 || (!grows && index >= static_cast<int64_t>(held->items.size())))
    return InvalidArgument("Trying to modify element ", index, " in a list with ",
                           held->items.size(), " elements.");
  if (!held->element_shape.IsCompatibleWith(item.shape()))
    return InvalidArgument(
        "Tried to set a tensor with incompatible shape at a list index. Item element shape: ",
        item.shape(), " list shape: ", held->element_shape);
  TENSH_ASSIGN(OwnedList list, OwnedList::Take(c, 0));
  const size_t i = static_cast<size_t>(index);
  if (i >= list->items.size()) list->items.resize(i + 1);
  list->items[i] = item;
  list.Give(c, 0);
  return {};
}

Status FromTensor(KernelCtx& c) {
  const Tensor& t = c.in(0);
  TENSH_ASSIGN(const Shape shape, ElementShape(c.in(1)));
  if (t.rank() < 1)
    return InvalidArgument("Tensor must be at least a vector, but saw shape: ", t.shape());
  const Shape row(t.shape().dims().subspan(1));
  if (!shape.IsCompatibleWith(row))
    return InvalidArgument("Specified a list with shape ", shape, " from a tensor with shape ",
                           row);
  TENSH_ASSIGN(const Shape merged, Shape::Merge(shape, row));
  auto list = std::make_shared<TensorListValue>(c.state<ListState>().dtype, merged);
  for (int64_t i = 0; i < t.dim(0); ++i) list->items.push_back(RowOf(t, i));
  GiveList(c, std::move(list));
  return {};
}

Status Stack(KernelCtx& c) {
  TENSH_ASSIGN(const TensorListValue* list, ListIn(c, 0));
  const int64_t n = static_cast<int64_t>(list->items.size()), wanted = c.state<ListState>().number;
  if (wanted != -1 && wanted != n)
    return InvalidArgument("Operation expected a list with ", wanted,
                           " elements but got a list with ", n, " elements.");
  TENSH_ASSIGN(Shape shape, ElementShape(c.in(1), *list));
  TENSH_ASSIGN(shape, ShapeOfItems(*list, shape));
  if (!shape.IsFullyKnown())
    return InvalidArgument(n == 0 ? "Tried to stack elements of an empty list with "
                                    "non-fully-defined element_shape: "
                                  : "Tried to stack list which only contains uninitialized tensors "
                                    "and has a non-fully-defined element_shape: ",
                           shape);
  TENSH_ASSIGN(const Shape stacked, StackedShape(n, shape));
  std::vector<Tensor> rows;
  Tensor zeros;  // shared by all elements that are not set
  for (size_t i = 0; i < list->items.size(); ++i) {
    if (!list->items[i] && !zeros) {
      TENSH_ASSIGN(zeros, ItemOrZeros(*list, i, shape));
    }
    rows.push_back(list->items[i] ? list->items[i] : zeros);
  }
  return GiveRows(c, 0, stacked, rows);
}

// Returns the shape of a tensor without its first dimension, with the nodes of TensorFlow's
// gradients.
Out RowShape(GradScope& g, Out t) {
  const Shape shape = g.shape(t);
  if (shape.IsFullyKnown() && shape.rank() > 0)
    return g.Const(IndexVector(DType::kInt32, shape.dims().subspan(1)), "Const");
  const Out begin = ConstInts(g, {1}, "Slice/begin"), size = ConstInts(g, {-1}, "Slice/size");
  return g.Op("Slice", {ShapeOf(g, t), begin, size}, {}, "Slice");
}

Status GetItemGrad(GradScope& g) {
  const DType dtype = g.attrs().Type("element_dtype");
  const Out size = g.Op("TensorListLength", {g.x(0)});
  const Out shape = g.Op("TensorListElementShape", {g.x(0)}, {{"shape_type", DType::kInt32}});
  const Out zeros = g.Op("TensorListReserve", {shape, size}, {{"element_dtype", dtype}});
  return g.Return({g.Op("TensorListSetItem", {zeros, g.x(1), g.dy(0)}), {}, {}});
}

Status SetItemGrad(GradScope& g) {
  const DType dtype = g.attrs().Type("element_dtype");
  const Out zeros = g.Op("ZerosLike", {g.x(2)}, {}, "zeros_like");
  const Out list = g.Op("TensorListSetItem", {g.dy(0), g.x(1), zeros});
  const Out item =
      g.Op("TensorListGetItem", {g.dy(0), g.x(1), ShapeOf(g, g.x(2))}, {{"element_dtype", dtype}});
  return g.Return({list, {}, item});
}

Status FromTensorGrad(GradScope& g) {
  const Shape shape = g.shape(g.x(0));
  const int64_t rows = shape.rank() > 0 ? shape[0] : -1;
  return g.Return(
      {g.Op("TensorListStack", {g.dy(0), RowShape(g, g.x(0))},
            {{"element_dtype", g.attrs().Type("element_dtype")}, {"num_elements", rows}}),
       {}});
}

Status StackGrad(GradScope& g) {
  return g.Return({g.Op("TensorListFromTensor", {g.dy(0), RowShape(g, g.dy(0))}), {}});
}

Status ItemShape(ShapeCtx& c) {
  c.Set(0, c.ConstantAsShape(2));
  return {};
}

Status StackShape(ShapeCtx& c) {
  const Shape row = c.ConstantAsShape(1);
  if (!row.has_rank() || row.rank() >= Shape::kMaxRank) return {};
  Shape out({c.attrs().Int("num_elements")});
  if (out[0] < -1) return InvalidArgument("num_elements must be -1 or more, got ", out[0]);
  for (int64_t d : row.dims()) out.Append(d);
  c.Set(0, out);
  return {};
}

}  // namespace

TENSH_OPS(control_list_items) {
  r.Op({.name = "TensorListGetItem",
        .inputs = "input_handle: variant, index: int32, element_shape: Tshape",
        .outputs = "item: element_dtype",
        .attrs = "element_dtype: type, Tshape: {int32, int64} = int32",
        .doc = "The element at index of the list input_handle, or zeros if it is not set. "
               "element_dtype is its type; element_shape, of type Tshape, is the known part of its "
               "shape.",
        .shape = ItemShape,
        .grad = GetItemGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListGetItem(input_handle=", kMake,
                             ", index=1, element_shape=[], element_dtype=tf.float32)"),
                      "2.0"}}})
      .CpuAny(GetItem, PrepareFrom<ListState>);
  r.Op({.name = "TensorListSetItem",
        .inputs = "input_handle: variant, index: int32, item: element_dtype",
        .outputs = "output_handle: variant",
        .attrs = "element_dtype: type, resize_if_index_out_of_bounds: bool = false",
        .doc = "The list input_handle with item stored at index. element_dtype is the type of the "
               "elements. resize_if_index_out_of_bounds extends a list that is too short.",
        .shape = HandleShape,
        .grad = SetItemGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListStack(input_handle=tf.raw_ops.TensorListSetItem("
                             "input_handle=",
                             kMake,
                             ", index=0, item=9.), element_shape=[], "
                             "element_dtype=tf.float32)"),
                      "[9. 2. 3.]"}}})
      .CpuAny(SetItem, PrepareFrom<ListState>);
  r.Op({.name = "TensorListFromTensor",
        .inputs = "tensor: element_dtype, element_shape: shape_type",
        .outputs = "output_handle: variant",
        .attrs = "element_dtype: type, shape_type: {int32, int64}",
        .doc = "A list of the rows of tensor. element_dtype is their type; element_shape, of type "
               "shape_type, is their shape.",
        .shape = HandleShape,
        .grad = FromTensorGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListLength(input_handle=", kMake, ")"), "3"}}})
      .CpuAny(FromTensor, PrepareFrom<ListState>);
  r.Op({.name = "TensorListStack",
        .inputs = "input_handle: variant, element_shape: int32",
        .outputs = "tensor: element_dtype",
        .attrs = "element_dtype: type, num_elements: int = -1",
        .doc = "Stacks the elements of the list input_handle, which have equal shapes, as the rows "
               "of a tensor. Elements that are not set are zeros. element_dtype is their type, "
               "element_shape the known part of their shape, and num_elements their number, or -1 "
               "if it is not known.",
        .shape = StackShape,
        .grad = StackGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListStack(input_handle=", kMake,
                             ", element_shape=[], element_dtype=tf.float32)"),
                      "[1. 2. 3.]"}}})
      .CpuAny(Stack, PrepareFrom<ListState>);
}

}  // namespace tensh::ops
