// TensorLists: creation, length, resizing, and adding and removing elements at the end.
#include "ops/op_file.h"
#include "ops/support/list_variant.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 26;
constexpr char kMake[] =
    "tf.raw_ops.TensorListFromTensor(tensor=[1., 2., 3.], element_shape=tf.constant([], tf.int32))";

Status CheckSize(int64_t n) {
  if (n < 0) return InvalidArgument("The num_elements of a list must be non-negative: ", n);
  if (n > kMostElements) return ResourceExhausted("a list of ", n, " tensors is too large");
  return {};
}

Status MakeEmpty(KernelCtx& c) {
  TENSH_ASSIGN(const Shape shape, ElementShape(c.in(0)));
  TENSH_ASSIGN(const int64_t max, ScalarIn(c, 1, "max_num_elements"));
  auto list = std::make_shared<TensorListValue>(c.state<ListState>().dtype, shape);
  list->max_size = max;
  GiveList(c, std::move(list));
  return {};
}

Status Reserve(KernelCtx& c) {
  TENSH_ASSIGN(const Shape shape, ElementShape(c.in(0)));
  TENSH_ASSIGN(const int64_t n, ScalarIn(c, 1, "num_elements"));
  TENSH_RETURN_IF_ERROR(CheckSize(n));
  auto list = std::make_shared<TensorListValue>(c.state<ListState>().dtype, shape);
  list->items.resize(static_cast<size_t>(n));
  GiveList(c, std::move(list));
  return {};
}

Status Length(KernelCtx& c) {
  TENSH_ASSIGN(const TensorListValue* list, ListIn(c, 0, false));
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int32_t>() = static_cast<int32_t>(list->items.size());
  return {};
}

Status GiveElementShape(KernelCtx& c) {
  TENSH_ASSIGN(const TensorListValue* list, ListIn(c, 0, false));
  const Shape& shape = list->element_shape;
  c.SetOutput(0, shape.has_rank() ? IndexVector(c.out_dtype(0), shape.dims())
                                  : IndexScalar(c.out_dtype(0), -1));
  return {};
}

Status Resize(KernelCtx& c) {
  TENSH_ASSIGN(const int64_t size, ScalarIn(c, 1, "size"));
  if (size < 0)
    return InvalidArgument("TensorListSlice expects size to be non-negative. Got: ", size);
  TENSH_RETURN_IF_ERROR(CheckSize(size));
  TENSH_ASSIGN(OwnedList list, OwnedList::Take(c, 0, false));
  list->items.resize(static_cast<size_t>(size));
  list.Give(c, 0);
  return {};
}

Status PushBack(KernelCtx& c) {
  const Tensor item = c.in(1);
  TENSH_ASSIGN(OwnedList list, OwnedList::Take(c, 0));
  if (!list->element_shape.IsCompatibleWith(item.shape()))
    return InvalidArgument(
        "Tried to append a tensor with incompatible shape to a list. Op element shape: ",
        item.shape(), " list shape: ", list->element_shape);
  if (list->max_size >= 0 && static_cast<int64_t>(list->items.size()) >= list->max_size)
    return InvalidArgument("Tried to push item into a full list. list size: ", list->items.size(),
                           " max_num_elements: ", list->max_size);
  TENSH_RETURN_IF_ERROR(CheckSize(static_cast<int64_t>(list->items.size()) + 1));
  list->items.push_back(item);
  list.Give(c, 0);
  return {};
}

Status PopBack(KernelCtx& c) {
  TENSH_ASSIGN(const TensorListValue* held, ListIn(c, 0));
  if (held->items.empty()) return InvalidArgument("Trying to pop from an empty list.");
  TENSH_ASSIGN(Shape shape, ElementShape(c.in(1), *held));
  if (!held->items.back() && !shape.IsFullyKnown()) {
    TENSH_ASSIGN(shape, ShapeOfItems(*held, shape));
  }
  TENSH_ASSIGN(Tensor item, ItemOrZeros(*held, held->items.size() - 1, shape));
  TENSH_ASSIGN(item, UsableBy(c, item));
  TENSH_ASSIGN(OwnedList list, OwnedList::Take(c, 0));
  list->items.pop_back();
  list.Give(c, 0);
  c.SetOutput(1, std::move(item));
  return {};
}

// Appends one row to each of the lists.
Status PushBackBatch(KernelCtx& c) {
  const Tensor &handles = c.in(0), &rows = c.in(1);
  if (rows.rank() < 1 || handles.rank() != 1 || rows.dim(0) != handles.dim(0))
    return InvalidArgument("Expected one row of tensor for each of input_handles, but shapes are ",
                           rows.shape(), " and ", handles.shape());
  TENSH_ASSIGN(Tensor out, Tensor::Make(DType::kVariant, handles.shape()));
  for (int64_t i = 0; i < rows.dim(0); ++i) {
    const auto& value = handles.data<Variant>()[i].value;
    const auto* list = dynamic_cast<const TensorListValue*>(value.get());
    if (!list) return InvalidArgument("Input handle ", i, " is not a list");
    if (list->dtype != rows.dtype())
      return InvalidArgument("Invalid data types; op elements ", Name(rows.dtype()),
                             " but list elements ", Name(list->dtype));
    const Tensor row = RowOf(rows, i);
    if (!list->element_shape.IsCompatibleWith(row.shape()))
      return InvalidArgument(
          "Tried to append a tensor with incompatible shape to a list. Op "
          "element shape: ",
          row.shape(), " list shape: ", list->element_shape);
    auto longer = std::make_shared<TensorListValue>(*list);
    longer->items.push_back(row);
    out.data<Variant>()[i].value = std::move(longer);
  }
  c.SetOutput(0, std::move(out));
  return {};
}

Status PushBackGrad(GradScope& g) {
  const Out back = g.Op("TensorListPopBack", {g.dy(0), ShapeOf(g, g.x(1))},
                        {{"element_dtype", g.attrs().Type("element_dtype")}});
  return g.Return({back, g.Output(back, 1)});
}

Status PopBackGrad(GradScope& g) {
  const DType dtype = g.attrs().Type("element_dtype");
  Out item = g.dy(1);
  if (!item) item = g.Op("ZerosLike", {g.y(1)}, {}, "zeros_like");
  return g.Return({g.Op("TensorListPushBack", {g.dy(0), item}, {{"element_dtype", dtype}}), {}});
}

Status ResizeGrad(GradScope& g) {
  const Out size = g.Op("TensorListLength", {g.x(0)});
  return g.Return({g.Op("TensorListResize", {g.dy(0), size}), {}});
}

Status LengthShape(ShapeCtx& c) { return ScalarOutput(c); }

Status PopShape(ShapeCtx& c) {
  c.Set(0, Shape());
  c.Set(1, c.ConstantAsShape(1));
  return {};
}

Status BatchShape(ShapeCtx& c) {
  c.Set(0, c.in(0));
  return {};
}

void AddEnds(OpRegistry& r) {
  r.Op({.name = "TensorListPushBack",
        .inputs = "input_handle: variant, tensor: element_dtype",
        .outputs = "output_handle: variant",
        .attrs = "element_dtype: type",
        .doc = "The list input_handle with tensor appended. element_dtype is the type of the "
               "elements.",
        .shape = HandleShape,
        .grad = PushBackGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListLength(input_handle=tf.raw_ops."
                             "TensorListPushBack(input_handle=",
                             kMake, ", tensor=4.))"),
                      "4"}}})
      .CpuAny(PushBack, PrepareFrom<ListState>);
  r.Op({.name = "TensorListPopBack",
        .inputs = "input_handle: variant, element_shape: int32",
        .outputs = "output_handle: variant, tensor: element_dtype",
        .attrs = "element_dtype: type",
        .doc = "The last element of the list input_handle, and the list without it. element_dtype "
               "is the type of the elements, element_shape the known part of their shape.",
        .shape = PopShape,
        .grad = PopBackGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListPopBack(input_handle=", kMake,
                             ", element_shape=-1, element_dtype=tf.float32)[1]"),
                      "3.0"}}})
      .CpuAny(PopBack, PrepareFrom<ListState>);
  r.Op({.name = "TensorListPushBackBatch",
        .inputs = "input_handles: variant, tensor: element_dtype",
        .outputs = "output_handles: variant",
        .attrs = "element_dtype: type",
        .doc = "The lists in input_handles, each with a row of tensor appended. element_dtype is "
               "the type of the elements.",
        .shape = BatchShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.TensorListLength(input_handle=tf.raw_ops."
                             "TensorListPushBackBatch(input_handles=tf.stack([",
                             kMake, "]), tensor=[4.])[0])"),
                      "4"}}})
      .CpuAny(PushBackBatch, PrepareFrom<ListState>);
}

}  // namespace

TENSH_OPS(control_list_make) {
  AddVariantReader(TensorListValue::kTypeName, TensorListValue::Read);
  r.Op({.name = "EmptyTensorList",
        .inputs = "element_shape: shape_type, max_num_elements: int32",
        .outputs = "handle: variant",
        .attrs = "element_dtype: type, shape_type: {int32, int64}",
        .doc = "An empty list. Its elements will have type element_dtype and the shape "
               "element_shape, of type shape_type, in which -1 is an unknown dimension, or, alone, "
               "an unknown shape. max_num_elements limits the number of elements unless it is -1.",
        .shape = HandleShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.TensorListLength(input_handle=tf.raw_ops.EmptyTensorList("
                      "element_shape=[2], max_num_elements=-1, element_dtype=tf.float32))",
                      "0"}}})
      .CpuAny(MakeEmpty, PrepareFrom<ListState>);
  r.Op({.name = "TensorListReserve",
        .inputs = "element_shape: shape_type, num_elements: int32",
        .outputs = "handle: variant",
        .attrs = "element_dtype: type, shape_type: {int32, int64}",
        .doc = "A list of num_elements elements that are not set yet. They will have type "
               "element_dtype and the shape element_shape, of type shape_type.",
        .shape = HandleShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.TensorListLength(input_handle=tf.raw_ops.TensorListReserve("
                      "element_shape=[2], num_elements=5, element_dtype=tf.float32))",
                      "5"}}})
      .CpuAny(Reserve, PrepareFrom<ListState>);
  r.Op({.name = "TensorListLength",
        .inputs = "input_handle: variant",
        .outputs = "length: int32",
        .doc = "The number of elements of the list input_handle.",
        .shape = LengthShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.TensorListLength(input_handle=", kMake, ")"), "3"}}})
      .CpuAny(Length);
  r.Op({.name = "TensorListElementShape",
        .inputs = "input_handle: variant",
        .outputs = "element_shape: shape_type",
        .attrs = "shape_type: {int32, int64}",
        .doc = "The shape of the elements of the list input_handle, as shape_type. -1 is an "
               "unknown dimension or, alone, an unknown shape.",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.TensorListElementShape(input_handle=tf.raw_ops.EmptyTensorList("
                      "element_shape=[2, -1], max_num_elements=-1, element_dtype=tf.float32), "
                      "shape_type=tf.int32)",
                      "[ 2 -1]"}}})
      .CpuAny(GiveElementShape);
  r.Op({.name = "TensorListResize",
        .inputs = "input_handle: variant, size: int32",
        .outputs = "output_handle: variant",
        .doc = "The first size elements of the list input_handle. If it has fewer, elements that "
               "are not set are appended.",
        .shape = HandleShape,
        .grad = ResizeGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListLength(input_handle=tf.raw_ops.TensorListResize("
                             "input_handle=",
                             kMake, ", size=7))"),
                      "7"}}})
      .CpuAny(Resize);
  AddEnds(r);
}

}  // namespace tensh::ops
