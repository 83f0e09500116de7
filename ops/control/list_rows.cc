// TensorLists: gather, scatter, concat and split.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/list_variant.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 26;
constexpr char kMake[] =
    "tf.raw_ops.TensorListFromTensor(tensor=[1., 2., 3.], element_shape=tf.constant([], tf.int32))";

Status Gather(KernelCtx& c) {
  TENSH_ASSIGN(const TensorListValue* list, ListIn(c, 0));
  const std::vector<int64_t> indices = IndexValues(c.in(1));
  TENSH_ASSIGN(Shape shape, ElementShape(c.in(2), *list));
  TENSH_ASSIGN(shape, ShapeOfItems(*list, shape));
  if (!shape.IsFullyKnown())
    return InvalidArgument("Tried to gather elements with a non-fully-defined element_shape: ",
                           shape);
  TENSH_ASSIGN(const Shape stacked, StackedShape(static_cast<int64_t>(indices.size()), shape));
  std::vector<Tensor> rows;
  Tensor zeros;  // shared by all elements that are not set
  for (int64_t index : indices) {
    if (index < 0 || index >= static_cast<int64_t>(list->items.size()))
      return InvalidArgument("Trying to gather element ", index, " in a list with ",
                             list->items.size(), " elements.");
    const Tensor& item = list->items[static_cast<size_t>(index)];
    if (!item && !zeros) {
      TENSH_ASSIGN(zeros, ItemOrZeros(*list, static_cast<size_t>(index), shape));
    }
    rows.push_back(item ? item : zeros);
  }
  return GiveRows(c, 0, stacked, rows);
}

// Stores the rows of `t` at the indices in input 1.
Status ScatterRows(KernelCtx& c, const Tensor& t, const Tensor& where, TensorListValue* list) {
  if (t.rank() < 1)
    return InvalidArgument("Tensor must be at least a vector, but saw shape: ", t.shape());
  const std::vector<int64_t> indices = IndexValues(where);
  if (static_cast<int64_t>(indices.size()) != t.dim(0))
    return InvalidArgument("Specified number of indices (", indices.size(),
                           ") is not the number of rows: ", t.shape());
  const Shape row(t.shape().dims().subspan(1));
  if (!list->element_shape.IsCompatibleWith(row))
    return InvalidArgument("Specified a list with shape ", list->element_shape,
                           " from a tensor with shape ", row);
  int64_t highest = -1;
  for (int64_t index : indices) {
    if (index < 0) return InvalidArgument("Indices in TensorListScatter must all be non-negative.");
    highest = std::max(highest, index);
  }
  if (highest >= kMostElements)
    return ResourceExhausted("a list of ", highest + 1, " tensors is too large");
  if (highest >= static_cast<int64_t>(list->items.size()))
    list->items.resize(static_cast<size_t>(highest) + 1);
  for (size_t i = 0; i < indices.size(); ++i)
    list->items[static_cast<size_t>(indices[i])] = RowOf(t, static_cast<int64_t>(i));
  (void)c;
  return {};
}

Status Scatter(KernelCtx& c) {
  TENSH_ASSIGN(const Shape shape, ElementShape(c.in(2)));
  auto list = std::make_shared<TensorListValue>(c.state<ListState>().dtype, shape);
  if (c.num_inputs() > 3) {
    TENSH_ASSIGN(const int64_t n, ScalarIn(c, 3, "num_elements"));
    if (n < -1) return InvalidArgument("TensorListScatter expects num_elements >= -1, found: ", n);
    if (n > kMostElements) return ResourceExhausted("a list of ", n, " tensors is too large");
    list->items.resize(static_cast<size_t>(std::max<int64_t>(n, 0)));
    for (int64_t index : IndexValues(c.in(1)))
      if (n >= 0 && index >= n)
        return InvalidArgument("TensorListScatter: Trying to scatter at index ", index,
                               " in list with size ", n);
  }
  TENSH_RETURN_IF_ERROR(ScatterRows(c, c.in(0), c.in(1), list.get()));
  GiveList(c, std::move(list));
  return {};
}

Status ScatterInto(KernelCtx& c) {
  const Tensor rows = c.in(1), indices = c.in(2);
  TENSH_ASSIGN(OwnedList list, OwnedList::Take(c, 0));
  TENSH_RETURN_IF_ERROR(ScatterRows(c, rows, indices, list.operator->()));
  list.Give(c, 0);
  return {};
}

struct ConcatState : ListState {
  Shape element_shape = Shape::Unknown();
  void Read(PrepareCtx& c) {
    dtype = c.attrs().Type("element_dtype");
    if (const AttrValue* v = c.attrs().Find("element_shape"))
      if (const Shape* shape = v->Find<Shape>()) element_shape = *shape;
  }
};

// Splits the known element shape into its first extent and the rest.
Status SplitShape(const TensorListValue& list, const Shape& given, Shape* rest, int64_t* first) {
  if (!given.IsCompatibleWith(list.element_shape))
    return InvalidArgument("Incompatible shapes: the list's elements have shape ",
                           list.element_shape, ", the op's ", given);
  TENSH_ASSIGN(const Shape shape, Shape::Merge(given, list.element_shape));
  *rest = Shape::Unknown();
  *first = -1;
  if (shape.has_rank()) {
    if (shape.rank() < 1)
      return InvalidArgument(
          "Concat requires elements to be at least vectors, found scalars "
          "instead.");
    *rest = Shape(shape.dims().subspan(1));
    *first = shape[0];
  }
  for (const Tensor& t : list.items) {
    if (!t) continue;
    if (t.rank() < 1)
      return InvalidArgument("Concat saw a scalar shape. Expected elements to be vectors.");
    TENSH_ASSIGN(*rest, Shape::Merge(*rest, Shape(t.shape().dims().subspan(1))));
  }
  return {};
}

Status ConcatAll(KernelCtx& c) {
  TENSH_ASSIGN(const TensorListValue* list, ListIn(c, 0));
  Shape given = c.state<ConcatState>().element_shape, rest;
  if (c.num_inputs() > 1) {
    TENSH_ASSIGN(given, ElementShape(c.in(1)));
  }
  // As in TensorFlow, the attribute of the older op must be fully defined if the list is empty.
  const bool unknown =
      !given.has_rank() || (given.rank() > 0 && !Shape(given.dims().subspan(1)).IsFullyKnown());
  if (c.num_inputs() == 1 && list->items.empty() && unknown)
    return InvalidArgument(
        "All except the first dimension must be fully defined when concating an empty tensor list. "
        "element_shape: ",
        given);
  int64_t first = -1;
  TENSH_RETURN_IF_ERROR(SplitShape(*list, given, &rest, &first));
  if (!rest.IsFullyKnown())
    return InvalidArgument(
        "All except the first dimension must be fully defined when concating a "
        "list with no set elements. element_shape: ",
        given);
  const std::vector<int64_t> leading =
      c.num_inputs() > 2 ? IndexValues(c.in(2)) : std::vector<int64_t>();
  std::vector<Tensor> rows;
  std::vector<int64_t> lengths;
  int64_t total = 0;
  Tensor zeros;  // the zeros for the last element that is not set
  for (size_t i = 0; i < list->items.size(); ++i) {
    Tensor row = list->items[i];
    if (!row) {
      const int64_t length = i < leading.size() ? leading[i] : first;
      if (length < 0)
        return InvalidArgument(
            "Concating lists with uninitialized tensors is not supported in "
            "this version of TensorListConcat: the length of element ",
            i, " is not known");
      TENSH_ASSIGN(const Shape shape, StackedShape(length, rest));
      if (!zeros || !(zeros.shape() == shape)) {
        TENSH_ASSIGN(zeros, ItemOrZeros(*list, i, shape));
      }
      row = zeros;
    } else if (i < leading.size() && leading[i] != row.dim(0)) {
      return InvalidArgument("leading_dims is ", leading[i], " for element ", i,
                             ", which has shape ", row.shape());
    }
    lengths.push_back(row.dim(0));
    if (__builtin_add_overflow(total, row.dim(0), &total))
      return InvalidArgument("the concatenated tensor is too large");
    rows.push_back(std::move(row));
  }
  TENSH_ASSIGN(const Shape shape, StackedShape(total, rest));
  TENSH_RETURN_IF_ERROR(GiveRows(c, 0, shape, rows));
  c.SetOutput(1, Tensor::Vector<int64_t>(lengths));
  return {};
}

Status Split(KernelCtx& c) {
  const Tensor& t = c.in(0);
  TENSH_ASSIGN(const Shape shape, ElementShape(c.in(1)));
  if (t.rank() < 1)
    return InvalidArgument("Tensor must be at least a vector, but saw shape: ", t.shape());
  if (!IsVector(c.in(2)))
    return InvalidArgument("Expected lengths to be a vector, received shape: ", c.in(2).shape());
  // Pieces may differ in their first extent.
  Shape element = t.shape();
  element.set_dim(0, Shape::kUnknownDim);
  if (!shape.IsCompatibleWith(element))
    return InvalidArgument("tensor shape ", t.shape(), " is not compatible with element_shape ",
                           shape);
  auto list = std::make_shared<TensorListValue>(c.state<ListState>().dtype, shape);
  int64_t at = 0;
  for (int64_t length : IndexValues(c.in(2))) {
    if (length < 0) return InvalidArgument("Invalid value in lengths: ", length);
    if (length > t.dim(0) - at)
      return InvalidArgument("Attempting to slice [", at, ", ", at + length,
                             "] from tensor with length ", t.dim(0));
    list->items.push_back(t.SliceRows(at, at + length));
    if (!shape.IsCompatibleWith(list->items.back().shape()))
      return InvalidArgument("a piece of shape ", list->items.back().shape(),
                             " is not compatible with element_shape ", shape);
    at += length;
  }
  if (at != t.dim(0))
    return InvalidArgument("Unused values in tensor. Length of tensor: ", t.dim(0),
                           " Values used: ", at);
  GiveList(c, std::move(list));
  return {};
}

Status ConcatLists(KernelCtx& c) {
  const Tensor &a = c.in(0), &b = c.in(1);
  if (!(a.shape() == b.shape()))
    return InvalidArgument("input_a and input_b must have the same shape. Saw: ", a.shape(),
                           " vs. ", b.shape());
  TENSH_ASSIGN(Tensor out, Tensor::Make(DType::kVariant, a.shape()));
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const auto* x = dynamic_cast<const TensorListValue*>(a.data<Variant>()[i].value.get());
    const auto* y = dynamic_cast<const TensorListValue*>(b.data<Variant>()[i].value.get());
    if (!x || !y) return InvalidArgument("an element is not a list at index ", i);
    if (x->dtype != y->dtype || x->dtype != c.state<ListState>().dtype)
      return InvalidArgument("input_a.dtype != input_b.dtype: ", Name(x->dtype), " vs. ",
                             Name(y->dtype));
    TENSH_ASSIGN(const Shape shape, Shape::Merge(x->element_shape, y->element_shape));
    auto both = std::make_shared<TensorListValue>(x->dtype, shape);
    both->items = x->items;
    both->items.insert(both->items.end(), y->items.begin(), y->items.end());
    out.data<Variant>()[i].value = std::move(both);
  }
  c.SetOutput(0, std::move(out));
  return {};
}

// ---- gradients ----

DType ElementType(GradScope& g) { return g.attrs().Type("element_dtype"); }

Out RowShape(GradScope& g, Out t) {
  const Out begin = ConstInts(g, {1}, "Slice/begin"), size = ConstInts(g, {-1}, "Slice/size");
  return g.Op("Slice", {ShapeOf(g, t), begin, size}, {}, "Slice");
}

Out ShapeOfElements(GradScope& g) {
  return g.Op("TensorListElementShape", {g.x(0)}, {{"shape_type", DType::kInt32}});
}

Status GatherGrad(GradScope& g) {
  const Out size = g.Op("TensorListLength", {g.x(0)});
  return g.Return(
      {g.Op("TensorListScatterV2", {g.dy(0), g.x(1), ShapeOfElements(g), size}), {}, {}});
}

Status ScatterGrad(GradScope& g) {
  std::vector<Out> dxs(static_cast<size_t>(g.num_inputs()));
  dxs[0] = g.Op("TensorListGather", {g.dy(0), g.x(1), RowShape(g, g.x(0))},
                {{"element_dtype", ElementType(g)}});
  return g.Return(std::move(dxs));
}

Status ScatterIntoGrad(GradScope& g) {
  const Out zeros = g.Op("ZerosLike", {g.x(1)}, {}, "zeros_like");
  const Out list = g.Op("TensorListScatterIntoExistingList", {g.dy(0), zeros, g.x(2)});
  const Out rows = g.Op("TensorListGather", {g.dy(0), g.x(2), RowShape(g, g.x(1))},
                        {{"element_dtype", ElementType(g)}});
  return g.Return({list, rows, {}});
}

Status ConcatGrad(GradScope& g) {
  std::vector<Out> dxs(static_cast<size_t>(g.num_inputs()));
  dxs[0] = g.Op("TensorListSplit", {g.dy(0), ShapeOfElements(g), g.y(1)});
  return g.Return(std::move(dxs));
}

Status SplitGrad(GradScope& g) {
  const Out any = ConstInts(g, {-1}, "concat/values_0"), axis = ConstInt(g, 0, "concat/axis");
  const Out shape = Concat(g, {any, RowShape(g, g.x(0))}, axis);
  const Out tensor =
      g.Op("TensorListConcatV2", {g.dy(0), shape, g.x(2)}, {{"element_dtype", ElementType(g)}});
  return g.Return({tensor, {}, {}});
}

// ---- shapes ----

Status GatherShape(ShapeCtx& c) {
  const Shape row = c.ConstantAsShape(2);
  if (!row.has_rank() || row.rank() >= Shape::kMaxRank) return {};
  Shape out({c.in(1).rank() == 1 ? c.in(1)[0] : -1});
  for (int64_t d : row.dims()) out.Append(d);
  c.Set(0, out);
  return {};
}

Status ConcatShape(ShapeCtx& c) {
  Shape shape = Shape::Unknown();
  if (c.num_inputs() > 1)
    shape = c.ConstantAsShape(1);
  else if (const AttrValue* v = c.attrs().Find("element_shape"))
    shape = *v->Find<Shape>();
  if (shape.rank() > 0) {
    shape.set_dim(0, Shape::kUnknownDim);
    c.Set(0, shape);
  }
  c.Set(1, Shape({-1}));
  return {};
}

Status SameAsFirst(ShapeCtx& c) {
  c.Set(0, c.in(0));
  return {};
}

void AddScatters(OpRegistry& r) {
  for (const char* name : {"TensorListScatter", "TensorListScatterV2"}) {
    const bool sized = std::string_view(name).ends_with("V2");
    r.Op({.name = name,
          .inputs =
              std::string("tensor: element_dtype, indices: int32, element_shape: shape_type") +
              (sized ? ", num_elements: int32" : ""),
          .outputs = "output_handle: variant",
          .attrs = "element_dtype: type, shape_type: {int32, int64}",
          .doc =
              std::string("A list with the rows of tensor stored at indices. element_dtype is "
                          "their type; element_shape, of type shape_type, is their shape.") +
              (sized ? " It has num_elements elements or, if that is -1, as many as needed." : ""),
          .shape = HandleShape,
          .grad = ScatterGrad,
          .examples = {{StrCat("tf.raw_ops.TensorListLength(input_handle=tf.raw_ops.", name,
                               "(tensor=[1., 2.], indices=[3, 0], "
                               "element_shape=tf.constant([], tf.int32)",
                               sized ? ", num_elements=-1" : "", "))"),
                        "4"}}})
        .CpuAny(Scatter, PrepareFrom<ListState>);
  }
  r.Op({.name = "TensorListScatterIntoExistingList",
        .inputs = "input_handle: variant, tensor: element_dtype, indices: int32",
        .outputs = "output_handle: variant",
        .attrs = "element_dtype: type",
        .doc = "The list input_handle with the rows of tensor, of type element_dtype, stored at "
               "indices.",
        .shape = HandleShape,
        .grad = ScatterIntoGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListStack(input_handle=tf.raw_ops."
                             "TensorListScatterIntoExistingList(input_handle=",
                             kMake,
                             ", tensor=[8., 9.], indices=[2, 0]), element_shape=[], "
                             "element_dtype=tf.float32)"),
                      "[9. 2. 8.]"}}})
      .CpuAny(ScatterInto, PrepareFrom<ListState>);
}

void AddConcats(OpRegistry& r) {
  const std::string pieces =
      "tf.raw_ops.TensorListSplit(tensor=[1., 2., 3.], element_shape=[-1], lengths=[1, 2])";
  r.Op({.name = "TensorListConcat",
        .inputs = "input_handle: variant",
        .outputs = "tensor: element_dtype, lengths: int64",
        .attrs = "element_dtype: type, element_shape: shape = {unknown}",
        .doc = "The elements of the list input_handle, of type element_dtype, concatenated along "
               "their first dimension, and their lengths in it. element_shape is the known part of "
               "their shape.",
        .shape = ConcatShape,
        .grad = ConcatGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListConcat(input_handle=", pieces,
                             ", element_dtype=tf.float32)[1]"),
                      "[1 2]"}}})
      .CpuAny(ConcatAll, PrepareFrom<ConcatState>);
  r.Op({.name = "TensorListConcatV2",
        .inputs = "input_handle: variant, element_shape: shape_type, leading_dims: int64",
        .outputs = "tensor: element_dtype, lengths: int64",
        .attrs = "element_dtype: type, shape_type: {int32, int64}",
        .doc = "TensorListConcat of input_handle, with elements of type element_dtype, where "
               "element_shape, of type shape_type, is an input. leading_dims are the lengths of "
               "elements that are not set.",
        .shape = ConcatShape,
        .grad = ConcatGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListConcatV2(input_handle=", pieces,
                             ", element_shape=[-1], leading_dims=[], element_dtype=tf.float32)[0]"),
                      "[1. 2. 3.]"}}})
      .CpuAny(ConcatAll, PrepareFrom<ConcatState>);
  r.Op({.name = "TensorListSplit",
        .inputs = "tensor: element_dtype, element_shape: shape_type, lengths: int64",
        .outputs = "output_handle: variant",
        .attrs = "element_dtype: type, shape_type: {int32, int64}",
        .doc = "A list of the pieces of tensor, of type element_dtype, that have these lengths "
               "along its first dimension. element_shape, of type shape_type, is the part of the "
               "shape that they have in common.",
        .shape = HandleShape,
        .grad = SplitGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListLength(input_handle=", pieces, ")"), "2"}}})
      .CpuAny(Split, PrepareFrom<ListState>);
}

}  // namespace

TENSH_OPS(control_list_rows) {
  r.Op({.name = "TensorListGather",
        .inputs = "input_handle: variant, indices: int32, element_shape: int32",
        .outputs = "values: element_dtype",
        .attrs = "element_dtype: type",
        .doc = "The elements at indices of the list input_handle, as the rows of a tensor. "
               "element_dtype is their type, element_shape the known part of their shape.",
        .shape = GatherShape,
        .grad = GatherGrad,
        .examples = {{StrCat("tf.raw_ops.TensorListGather(input_handle=", kMake,
                             ", indices=[2, 0], element_shape=[], element_dtype=tf.float32)"),
                      "[3. 1.]"}}})
      .CpuAny(Gather, PrepareFrom<ListState>);
  r.Op({.name = "TensorListConcatLists",
        .inputs = "input_a: variant, input_b: variant",
        .outputs = "output: variant",
        .attrs = "element_dtype: type",
        .doc = "Concatenates lists in pairs: the elements of each list in input_a are followed by "
               "those of the corresponding list in input_b. element_dtype is their type.",
        .shape = SameAsFirst,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.TensorListLength(input_handle=tf.raw_ops."
                             "TensorListConcatLists(input_a=",
                             kMake, ", input_b=", kMake, ", element_dtype=tf.float32))"),
                      "6"}}})
      .CpuAny(ConcatLists, PrepareFrom<ListState>);
  AddScatters(r);
  AddConcats(r);
}

}  // namespace tensh::ops
