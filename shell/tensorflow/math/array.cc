// Constants, placeholders and array functions of tf.
#include "runtime/base/text.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/scatter.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/tensor.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

GraphObject& GraphOfList(const Value& v) {
  GraphObject* g = FindGraphOf(v);
  return g ? *g : DefaultGraph();
}

// ---- constants and placeholders ----

// verify_shape=True: throws if the value does not have exactly this shape, instead of broadcasting
// it.
void CheckGivenShape(const TensorHandle& value, const ShapeObject& wanted) {
  const Ref<ShapeObject> have =
      New<ShapeObject>(std::vector<int64_t>(value.dims().begin(), value.dims().end()));
  if (have->dims() == wanted.dims()) return;
  throw TypeError("Expected Tensor's shape: " + wanted.Text() + ", got " + have->Text() + ".");
}

Value ConstantFn(Args& a) {
  GraphObject& g = DefaultGraph();
  const int dtype = a[1].is_none() ? 0 : BaseType(ToDType(a[1]));
  if (a[0].is_object() && HoldsTensor(a[0])) {
    throw TypeError("List of Tensors when single Tensor expected")
        .Hint("tf.stack makes one of several");
  }
  TensorHandle t;
  if (a[2].is_none()) {
    t = ToConstant(a[0], dtype);
  } else {
    Ref<ShapeObject> shape = ToShape(a[2]);
    shape->CheckFullyDefined();
    t = ToConstant(a[0], dtype, shape->dims());
    if (Truth(a[4])) CheckGivenShape(ToConstant(a[0], dtype), *shape);
  }
  return g.Tensor(Constant(g, t, NameOr(a[3], "Const")));
}

Value Placeholder(Args& a) {
  GraphObject& g = DefaultGraph();
  Attrs attrs;
  attrs.Type("dtype", BaseType(ToDType(a[0])));
  Ref<ShapeObject> shape = ToShape(a[1]);
  shape->known_rank() ? attrs.Shape("shape", shape->dims()) : attrs.UnknownShape("shape");
  return g.Tensor({g.Add("Placeholder", NameOr(a[2], "Placeholder"), {}, attrs), 0});
}

Value PlaceholderWithDefault(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, "PlaceholderWithDefault", NameText(a[2]));
  call.In(a[0]);
  Ref<ShapeObject> shape = ToShape(a[1]);
  shape->known_rank() ? call.attrs().Shape("shape", shape->dims())
                      : call.attrs().UnknownShape("shape");
  return call.AddValue();
}

Value ZerosFn(Args& a) {
  GraphObject& g = GraphOfList(a[0]);
  return g.Tensor(Filled(g, a[0], 0, BaseType(ToDType(a[1])), NameOr(a[2], "zeros")));
}

Value OnesFn(Args& a) {
  GraphObject& g = GraphOfList(a[0]);
  return g.Tensor(Filled(g, a[0], 1, BaseType(ToDType(a[1])), NameOr(a[2], "ones")));
}

Value LikeFn(Args& a) {
  const bool ones = a.row().data != nullptr;
  const char* name = ones ? "ones_like" : "zeros_like";
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[2], name));
  const Out x = Convert(g, a[0], "tensor");
  if (ones && a[1].is_none() && BaseType(g.handle().DType(x)) == TSH_STRING)
    throw TypeError("Expected string, got 1 of type 'int' instead.");
  return g.Tensor(
      FilledLike(g, x, ones ? 1 : 0, a[1].is_none() ? 0 : BaseType(ToDType(a[1])), g.scope));
}

Value RegisterConversion(Args& a) {
  if (!IsCallable(a[1])) throw TypeError("conversion_func must be callable.");
  const int64_t priority = ToIndex(a[2]);
  auto& all = State().conversions;
  const auto behind =
      std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.priority > priority; });
  all.insert(behind, {a[0], a[1], priority});
  return Value::None();
}

Value ConvertToTensor(Args& a) {
  GraphObject& g = GraphOfList(a[0]);
  ConvertOptions options;
  options.dtype = a[1].is_none() ? 0 : BaseType(ToDType(a[1]));
  options.preferred = a[3].is_none() ? 0 : BaseType(ToDType(a[3]));
  return g.Tensor(Convert(g, a[0], NameOr(a[2], HoldsTensor(a[0]) ? "packed" : "Const"), options));
}

// ---- shapes ----

Value ShapeFn(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[1], "Shape"));
  const Out x = Convert(g, a[0], "input");
  return g.Tensor(ShapeOf(g, x, g.scope, ToDType(a[2])));
}

Value SizeFn(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[1], "Size"));
  const Out x = Convert(g, a[0], "input");
  Ref<ShapeObject> shape(As<ShapeObject>(ShapeValue(g.handle().Shape(x))));
  const int dtype = ToDType(a[2]);
  if (shape->IsFullyDefined()) {
    int64_t n = 1;
    for (int64_t d : shape->dims()) n *= d;
    return g.Tensor(Constant(g, ToConstant(Value::Int(n), dtype), g.scope));
  }
  OpCall call(g, "Size", g.scope);
  return call.In(x).Type("out_type", dtype).AddValue();
}

Value RankFn(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[1], "Rank"));
  return g.Tensor(RankOf(g, Convert(g, a[0], "input"), g.scope));
}

Value ExpandDims(Args& a) {
  if (!a[1].is_none() && !a[3].is_none()) throw ValueError("Cannot specify both 'dim' and 'axis'.");
  const Value& axis = a[1].is_none() ? a[3] : a[1];
  if (axis.is_none()) throw ValueError("Must specify an axis argument to tf.expand_dims()");
  GraphObject& g = GraphOf({&a[0], &axis});
  return g.Tensor(Op(g, "ExpandDims", {a[0], axis}, NameText(a[2])));
}

Value Squeeze(Args& a) {
  const Value& axis = a[1].is_none() ? a[3] : a[1];
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, "Squeeze", NameText(a[2]));
  call.In(a[0]);
  return call.Attr("squeeze_dims", axis).AddValue();
}

Value Transpose(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[2], "transpose"));
  if (!a[1].is_none()) return g.Tensor(Op(g, "Transpose", {a[0], a[1]}, g.scope));
  const Out x = Convert(g, a[0], "a");
  const int rank = g.handle().Shape(x).rank;
  Out perm;
  if (rank > 0) {
    std::vector<int64_t> order;
    for (int64_t i = rank; i-- > 0;) order.push_back(i);
    perm = Constant(g, TensorHandle::Int32s(order), "perm");
  } else {
    const Out r = Op(g, "Rank", {x});
    const Out top = SubOp(g, r, Value::Int(1));
    const Out up = Op(g, "Range", {Arg(Value::Int(0)), r, Arg(Value::Int(1))});
    perm = SubOp(g, top, up);
  }
  return g.Tensor(Op(g, "Transpose", {x, perm}, g.scope));
}

// ---- concatenation and splitting ----

Value Concat(Args& a) {
  // Before TensorFlow 1.0, the axis was the first argument.
  if (a[0].is_int() && Sequence(a[1])) std::swap(a[0], a[1]);
  Value values = a[0];
  if (!Sequence(values)) {
    values = MakeList({values});
  }
  GraphObject& g = GraphOfList(values);
  const auto& items = *Sequence(values);
  if (items.size() == 1) {
    NameScope scope(g, NameOr(a[2], "concat"));
    Convert(g, a[1], "concat_dim", {.dtype = TSH_INT32});
    return g.Tensor(Op(g, "Identity", {items[0]}, g.scope));
  }
  OpCall call(g, GetOp("ConcatV2"), NameText(a[2]), "concat");
  return call.In(values).In(a[1]).AddValue();
}

// As in TensorFlow, a list that mixes numbers and tensors is converted as a whole, which determines
// the names of its nodes.
bool HoldsNumber(const Value& v) {
  const auto* items = Sequence(v);
  if (!items) return false;
  for (const Value& item : *items)
    if (item.is_int() || item.is_float()) return true;
  return false;
}

Value Stack(Args& a) {
  GraphObject& g = GraphOfList(a[0]);
  const int64_t axis = ToIndex(a[1]);
  const std::string_view name = NameOr(a[2], "stack");
  if (axis == 0 && (!HoldsTensor(a[0]) || HoldsNumber(a[0])))
    return g.Tensor(Convert(g, a[0], name));
  OpCall call(g, GetOp("Pack"), name, "stack");
  call.In(a[0]).attrs().Int("axis", axis);
  return call.AddValue();
}

Value ListOfOutputs(GraphObject& g, Node node) {
  std::vector<Value> outputs;
  const size_t n = g.handle().NumOutputs(node);
  for (uint32_t i = 0; i < n; ++i) outputs.push_back(g.Tensor({node, i}));
  return MakeList(std::move(outputs));
}

Value Unstack(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  const Out x = Convert(g, a[0], "value");
  const int64_t axis = ToIndex(a[2]);
  int64_t num = a[1].is_none() ? -1 : ToIndex(a[1]);
  if (a[1].is_none()) {
    const ShapeInfo shape = g.handle().Shape(x);
    if (shape.rank >= 0 && (axis < -shape.rank || axis >= shape.rank)) {
      throw ValueError("axis = " + std::to_string(axis) + " not in [" +
                       std::to_string(-shape.rank) + ", " + std::to_string(shape.rank) + ")");
    }
    if (shape.rank >= 0)
      num = shape.extents[static_cast<size_t>(axis < 0 ? axis + shape.rank : axis)];
    if (num < 0) throw ValueError("Cannot infer num from shape " + ShapeText(shape));
  }
  OpCall call(g, GetOp("Unpack"), NameText(a[3]), "unstack");
  call.In(x).attrs().Int("num", num).Int("axis", axis);
  return ListOfOutputs(g, call.AddNode());
}

Value Split(Args& a) {
  // Before TensorFlow 1.0, the axis and the number of parts preceded the value.
  if (a[0].is_int() && a[1].is_int() && !a[2].is_int()) {
    std::swap(a[0], a[2]);
  }
  GraphObject& g = GraphOf({&a[0], &a[1]});
  const Out sizes = Convert(g, a[1], "Const");
  const bool equal = a[1].is_int() || As<DimensionObject>(a[1]);
  OpCall call(g, GetOp(equal ? "Split" : "SplitV"), NameText(a[4]), "split");
  if (equal) {
    call.In(a[2]).In(a[0]).attrs().Int("num_split", ToIndex(a[1]));
  } else {
    const ShapeInfo shape = g.handle().Shape(sizes);
    if (shape.rank == 0) {
      throw ValueError(
          "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
          "Argument provided: " +
          Repr(a[1]));
    }
    const int64_t num = !a[3].is_none() ? ToIndex(a[3]) : shape.rank == 1 ? shape.extents[0] : -1;
    if (num < 0) throw ValueError("Cannot infer num from shape " + ShapeText(shape));
    call.In(a[0]).In(sizes).In(a[2]).attrs().Int("num_split", num);
  }
  return ListOfOutputs(g, call.AddNode());
}

// ---- selection ----

Value Where(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  if (a[1].is_none() != a[2].is_none())
    throw ValueError("x and y must both be non-None or both be None.");
  if (!a[1].is_none()) return g.Tensor(Op(g, "Select", {a[0], a[1], a[2]}, NameText(a[3])));
  NameScope scope(g, NameOr(a[3], "Where"));
  return g.Tensor(
      Op(g, "Where", {Convert(g, a[0], "condition", {.preferred = TSH_BOOL})}, g.scope));
}

Value WhereV2(Args& a) {
  if (a[1].is_none() || a[2].is_none()) return Where(a);
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  NameScope scope(g, NameOr(a[3], "SelectV2"));
  return g.Tensor(Op(g, "SelectV2", {a[0], a[1], a[2]}, g.scope));
}

Value BroadcastStaticShape(Args& a) {
  Ref<ShapeObject> x = ToShape(a[0]), y = ToShape(a[1]);
  if (!x->known_rank() || !y->known_rank()) return New<ShapeObject>();
  std::vector<int64_t> dims(std::max(x->dims().size(), y->dims().size()));
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t p = i < x->dims().size() ? x->dims()[x->dims().size() - 1 - i] : 1;
    const int64_t q = i < y->dims().size() ? y->dims()[y->dims().size() - 1 - i] : 1;
    if (p > 1 && q > 1 && p != q) {
      throw ValueError("Incompatible shapes for broadcasting: " + x->Text() + " and " + y->Text());
    }
    dims[dims.size() - 1 - i] = p == 1 ? q : q == 1 ? p : p < 0 ? q : p;
  }
  return New<ShapeObject>(std::move(dims));
}

Value Gather(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  const Value axis = a[4].is_none() ? a[5] : a[4];
  auto* var = As<VariableObject>(a[0]);
  const bool first = axis.is_int() && axis.as_int() == 0 && a[5].is_int() && a[5].as_int() == 0;
  if (var && var->is_resource() && first)
    return g.Tensor(GatherResource(*var, a[1], NameText(a[3])));
  OpCall call(g, "GatherV2", NameText(a[3]));
  call.In(a[0]).In(a[1]).In(axis);
  if (!(a[5].is_int() && a[5].as_int() == 0)) call.attrs().Int("batch_dims", ToIndex(a[5]));
  return call.AddValue();
}

Value OneHot(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2], &a[3]});
  NameScope scope(g, NameOr(a[6], "one_hot"));
  int dtype = a[5].is_none() ? 0 : BaseType(ToDType(a[5]));
  if (dtype == 0 && a[2].is_none() && a[3].is_none()) dtype = TSH_FLOAT;
  const Value on_value = a[2].is_none() ? Value::Int(1) : a[2];
  const Value off_value = a[3].is_none() ? Value::Int(0) : a[3];
  const Out on = Convert(g, on_value, "on_value", {.dtype = dtype});
  const int on_type = BaseType(g.handle().DType(on));
  const Out off = Convert(g, off_value, "off_value", {.dtype = dtype ? dtype : on_type});
  OpCall call(g, "OneHot", g.scope);
  call.In(a[0]).In(a[1]).In(on).In(off).attrs().Int("axis", a[4].is_none() ? -1 : ToIndex(a[4]));
  return call.AddValue();
}

Value Pad(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  const std::string mode = AsciiUpper(ToText(a[2], "mode"));
  if (mode == "CONSTANT") {
    const bool zero = a[4].is_int() && a[4].as_int() == 0;
    OpCall call(g, zero ? "Pad" : "PadV2", NameText(a[3]));
    call.In(a[0]).In(a[1]);
    if (!zero) call.In(a[4]);
    return call.AddValue();
  }
  if (mode != "REFLECT" && mode != "SYMMETRIC") throw ValueError("Unknown padding mode: " + mode);
  OpCall call(g, "MirrorPad", NameText(a[3]));
  call.In(a[0]).In(a[1]).attrs().String("mode", mode);
  return call.AddValue();
}

Value BooleanMask(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[2], "boolean_mask"));
  const Out x = Convert(g, a[0], "tensor"), mask = Convert(g, a[1], "mask");
  const ShapeInfo shape = g.handle().Shape(x), mask_shape = g.handle().Shape(mask);
  if (mask_shape.rank == 0) throw ValueError("mask cannot be scalar.");
  if (mask_shape.rank < 0) {
    throw ValueError(
        "Number of mask dimensions must be specified, even if some dimensions are None.");
  }
  const int64_t flat[] = {-1};
  std::vector<int64_t> dims = {-1};
  for (int i = mask_shape.rank; i < shape.rank; ++i)
    dims.push_back(shape.extents[static_cast<size_t>(i)]);
  const Out rows = mask_shape.rank == 1 ? x : ReshapeTo(g, x, dims);
  const Out chosen = Op(g, "Where", {ReshapeTo(g, mask, flat)});
  const int64_t last[] = {1};
  OpCall squeeze(g, "Squeeze");
  squeeze.In(chosen).attrs().Ints("squeeze_dims", last);
  return g.Tensor(Op(g, "GatherV2", {rows, squeeze.Add(), Arg(Value::Int(0))}));
}

Value SliceFn(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  return g.Tensor(Op(g, "Slice", {a[0], a[1], a[2]}, NameText(a[3])));
}

Value StridedSlice(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2], &a[3]});
  OpCall call(g, "StridedSlice", NameText(a[10]));
  const Out begin = Convert(g, a[1], "begin"), end = Convert(g, a[2], "end");
  call.In(a[0]).In(begin).In(end);
  call.In(a[3].is_none() ? FilledLike(g, begin, 1, 0, "ones_like") : Convert(g, a[3], "strides"));
  static constexpr const char* kMasks[] = {"begin_mask", "end_mask", "ellipsis_mask",
                                           "new_axis_mask", "shrink_axis_mask"};
  for (size_t i = 0; i < std::size(kMasks); ++i) call.attrs().Int(kMasks[i], ToIndex(a[4 + i]));
  return call.AddValue();
}

Value Identity(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  return g.Tensor(Op(g, "Identity", {a[0]}, NameText(a[1])));
}

const FunctionRow kRows[] = {
    {"constant", "value, dtype=None, shape=None, name='Const', verify_shape=False", ConstantFn,
     "A tensor with a constant value."},
    {"placeholder", "dtype, shape=None, name=None", Placeholder,
     "A tensor whose value must be fed in every run."},
    {"placeholder_with_default", "input, shape, name=None", PlaceholderWithDefault,
     "A tensor whose value may be fed in a run."},
    {"zeros", "shape, dtype='float32', name=None", ZerosFn, "All zeros."},
    {"ones", "shape, dtype='float32', name=None", OnesFn, "All ones."},
    {"zeros_like", "tensor, dtype=None, name=None, optimize=True", LikeFn,
     "Zeros with a tensor's shape."},
    {"ones_like", "tensor, dtype=None, name=None, optimize=True", LikeFn,
     "Ones with a tensor's shape.", "ones"},
    {"fill", "dims, value, name=None", CallOp, "A tensor filled with one value.", "Fill"},
    {"convert_to_tensor", "value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None",
     ConvertToTensor, "Converts a value to a tensor."},
    {"register_tensor_conversion_function", "base_type, conversion_func, priority=100",
     RegisterConversion, "Registers a conversion to tensors for objects of a class."},
    {"identity", "input, name=None", Identity, "Returns the same value under a new name."},
    {"stop_gradient", "input, name=None", CallOp, "Returns the same value, but stops gradients.",
     "StopGradient"},
    {"shape", "input, name=None, out_type='int32'", ShapeFn, "The shape as a tensor."},
    {"size", "input, name=None, out_type='int32'", SizeFn, "The number of elements as a tensor."},
    {"rank", "input, name=None", RankFn, "The number of dimensions as a tensor."},
    {"reshape", "tensor, shape, name=None", CallOp, "Changes the shape and keeps the elements.",
     "Reshape"},
    {"expand_dims", "input, axis=None, name=None, dim=None", ExpandDims,
     "Adds a dimension of size 1."},
    {"squeeze", "input, axis=None, name=None, squeeze_dims=None", Squeeze,
     "Removes dimensions of size 1."},
    {"transpose", "a, perm=None, name='transpose', conjugate=False", Transpose,
     "Permutes the dimensions."},
    {"matrix_transpose", "a, name='matrix_transpose', conjugate=False",
     [](Args& a) -> Value {
       GraphObject& g = GraphOf({&a[0]});
       NameScope scope(g, NameOr(a[1], "matrix_transpose"));
       const Out x = Convert(g, a[0], "a");
       const int rank = g.handle().Shape(x).rank;
       if (rank < 2) throw ValueError("Argument 'a' should be a (batch) matrix, with rank >= 2.");
       std::vector<int64_t> order;
       for (int64_t i = 0; i < rank - 2; ++i) order.push_back(i);
       order.insert(order.end(), {rank - 1, rank - 2});
       return g.Tensor(
           Op(g, "Transpose", {x, Constant(g, TensorHandle::Int32s(order), "perm")}, g.scope));
     },
     "Swaps the last two dimensions."},
    {"concat", "values, axis, name='concat'", Concat, "Concatenates tensors along an axis."},
    {"stack", "values, axis=0, name='stack'", Stack, "Stacks tensors along a new axis."},
    {"pack", "values, axis=0, name='pack'", Stack, "Stacks tensors along a new axis."},
    {"unstack", "value, num=None, axis=0, name='unstack'", Unstack,
     "Splits a tensor into its slices along an axis."},
    {"unpack", "value, num=None, axis=0, name='unpack'", Unstack,
     "Splits a tensor into its slices along an axis."},
    {"split", "value, num_or_size_splits, axis=0, num=None, name='split'", Split,
     "Splits a tensor into parts along an axis."},
    {"slice", "input_, begin, size, name=None", SliceFn, "Cuts a box out of a tensor."},
    {"strided_slice",
     "input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, "
     "new_axis_mask=0, "
     "shrink_axis_mask=0, var=None, name=None",
     StridedSlice, "Returns x[begin:end:stride] over all dimensions."},
    {"tile", "input, multiples, name=None", CallOp, "Repeats a tensor along its dimensions.",
     "Tile"},
    {"pad", "tensor, paddings, mode='CONSTANT', name=None, constant_values=0", Pad,
     "Adds a border to a tensor."},
    {"where", "condition, x=None, y=None, name=None", Where,
     "Selects x where true and y elsewhere, or returns the indices of true elements."},
    {"where_v2", "condition, x=None, y=None, name=None", WhereV2,
     "Selects x where true and y elsewhere, with broadcasting."},
    {"broadcast_static_shape", "shape_x, shape_y", BroadcastStaticShape,
     "The static shape of x + y."},
    {"shape_n", "input, out_type='int32', name=None",
     [](Args& a) -> Value {
       GraphObject& g = GraphOfList(a[0]);
       OpCall call(g, "ShapeN", NameText(a[2]));
       call.In(a[0]).Type("out_type", ToDType(a[1]));
       return ListOfOutputs(g, call.AddNode());
     },
     "The shapes of several tensors."},
    {"select", "condition, x, y, name=None", CallOp, "Selects x where true and y elsewhere.",
     "Select"},
    {"gather", "params, indices, validate_indices=None, name=None, axis=None, batch_dims=0", Gather,
     "Slices of params at indices."},
    {"gather_nd", "params, indices, name=None, batch_dims=0",
     [](Args& a) -> Value {
       GraphObject& g = GraphOf({&a[0], &a[1]});
       return g.Tensor(Op(g, "GatherNd", {a[0], a[1]}, NameText(a[2])));
     },
     "Elements of params at index vectors."},
    {"one_hot", "indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None",
     OneHot, "Rows with a one at each index."},
    {"boolean_mask", "tensor, mask, name='boolean_mask', axis=None", BooleanMask,
     "Selects the rows for which mask is true."},
    {"broadcast_to", "input, shape, name=None", CallOp, "Broadcasts to a larger shape.",
     "BroadcastTo"},
    {"reverse", "tensor, axis, name=None", CallOp, "Reverses the order along axes.", "ReverseV2"},
    {"reverse_v2", "tensor, axis, name=None", CallOp, "Reverses the order along axes.",
     "ReverseV2"},
    {"invert_permutation", "x, name=None", CallOp, "The inverse of a permutation.",
     "InvertPermutation"},
    {"dynamic_stitch", "indices, data, name=None", CallOp, "Interleaves tensors by indices.",
     "DynamicStitch"},
};

}  // namespace

std::span<const FunctionRow> ArrayRows() { return kRows; }

}  // namespace tensh::shell::tf
