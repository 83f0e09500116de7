// tf.Tensor: its operators, methods and printed forms.
#include "shell/tensorflow/graph/tensor.h"

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/abs.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

// ---- operators ----

struct OperatorRow {
  const char* scope;  // name of the node
  const char* op;     // null if it consists of several nodes
};

const OperatorRow& RowOf(BinaryOp op) {
  static constexpr OperatorRow kRows[] = {
      {"add", "AddV2"},     {"sub", "Sub"},           {"mul", "Mul"},        {"matmul", "MatMul"},
      {"truediv", nullptr}, {"floordiv", "FloorDiv"}, {"mod", "FloorMod"},   {"pow", "Pow"},
      {nullptr, nullptr},   {nullptr, nullptr},       {"and", "LogicalAnd"}, {"xor", nullptr},
      {"or", "LogicalOr"}};
  return kRows[static_cast<size_t>(op)];
}

// The operand that is a tensor determines the conversion of the other one: y must have the type of
// x, while x takes the type of y.
Out ConvertOperand(GraphObject& g, const Arg& v, const char* name, Out like, bool strict) {
  if (!v.value) return v.out;
  ConvertOptions options;
  const int dtype = BaseType(g.handle().DType(like));
  (strict ? options.dtype : options.preferred) = dtype;
  return Convert(g, *v.value, name, options);
}

Out Xor(GraphObject& g, Out x, Out y, std::string_view name) {
  const Out either = Op(g, "LogicalOr", {x, y});
  const Out both = Op(g, "LogicalAnd", {x, y});
  return Op(g, "LogicalAnd", {either, Op(g, "LogicalNot", {both})}, name);
}

bool IsString(GraphObject& g, Out o) { return BaseType(g.handle().DType(o)) == TSH_STRING; }

Out Known(GraphObject& g, const Arg& a) { return a.value ? AsOut(g, *a.value) : a.out; }

Out MatMulOperator(GraphObject& g, Out x, Out y, const std::string& scope) {
  const ShapeInfo a = g.handle().Shape(x), b = g.handle().Shape(y);
  const bool batched = (a.rank < 0 || a.rank > 2) && (b.rank < 0 || b.rank > 2);
  return Op(g, batched ? "BatchMatMulV2" : "MatMul", {x, y}, scope);
}

bool IsTensorLike(const Value& v) { return As<TensorObject>(v) || As<VariableObject>(v); }

// Returns true for values that can be operands of a tensor: numbers, strings, lists, arrays and
// shapes. Other objects may implement the operator themselves.
bool Convertible(const Value& v) {
  if (IsTensorLike(v)) return true;
  if (v.is_bool() || v.is_int() || v.is_float() || Sequence(v)) return true;
  return v.is_object() &&
         (As<StrObject>(v) || As<BytesObject>(v) || As<ComplexObject>(v) || IsArray(v) ||
          As<DimensionObject>(v) || As<ShapeObject>(v) || IsConvertedByUser(v));
}

// ---- indexing ----

struct SliceParts {
  std::vector<Value> begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;

  void Push(const Value& b, const Value& e, const Value& s) {
    begin.push_back(b);
    end.push_back(e);
    strides.push_back(s);
  }
};

Value PlusOne(const Value& v) {
  if (v.is_int()) return Value::Int(v.as_int() + 1);
  if (IsTensorLike(v)) return TensorBinary(BinaryOp::kAdd, v, Value::Int(1), false);
  return Value::Int(ToIndex(v) + 1);
}

PyError BadIndex(const Value& key) {
  return TypeError(
      "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
      "tf.int32/tf.int64 tensors are valid indices, got " +
      Repr(key));
}

Value IndexValue(const Value& v) {
  if (IsTensorLike(v) || v.is_int()) return v;
  if (v.is_float() || !IsIndex(v)) throw BadIndex(v);
  return Value::Int(ToIndex(v));
}

void AddIndex(SliceParts* parts, const Value& key) {
  constexpr size_t kMaxParts = 32;  // bits of a mask of StridedSlice
  if (parts->begin.size() >= kMaxParts) throw IndexError("too many indices");
  const int64_t bit = int64_t{1} << parts->begin.size();
  const Value zero = Value::Int(0), one = Value::Int(1);
  if (auto* slice = As<SliceObject>(key)) {
    if (slice->start.is_none()) parts->begin_mask |= bit;
    if (slice->stop.is_none()) parts->end_mask |= bit;
    parts->Push(slice->start.is_none() ? zero : IndexValue(slice->start),
                slice->stop.is_none() ? zero : IndexValue(slice->stop),
                slice->step.is_none() ? one : IndexValue(slice->step));
  } else if (key.is_ellipsis()) {
    parts->ellipsis_mask |= bit;
    parts->Push(zero, zero, one);
  } else if (key.is_none()) {
    parts->new_axis_mask |= bit;
    parts->Push(zero, zero, one);
  } else {
    if (key.is_bool()) throw BadIndex(key);
    const Value at = IndexValue(key);
    parts->shrink_axis_mask |= bit;
    parts->Push(at, PlusOne(at), one);
  }
}

Out StackIndices(GraphObject& g, const std::vector<Value>& items) {
  if (items.empty()) return Constant(g, TensorHandle::Int32s({}), "Const");
  return Convert(g, MakeList(items), "stack");
}

Out Int32OrInt64(GraphObject& g, Out o, bool wide) { return wide ? Cast(g, o, TSH_INT64) : o; }

}  // namespace

Out Operator(GraphObject& g, BinaryOp op, const Arg& a, const Arg& b) {
  const OperatorRow& row = RowOf(op);
  NameScope scope(g, row.scope);
  Out x = Known(g, a), y = Known(g, b);
  if (Exists(x)) {
    if (!Exists(y)) y = ConvertOperand(g, b, "y", x, false);
  } else if (Exists(y)) {
    x = ConvertOperand(g, a, "x", y, true);
  }
  switch (op) {
    case BinaryOp::kTrueDiv:
      return TrueDiv(g, x, y, g.scope);
    case BinaryOp::kXor:
      return Xor(g, x, y, g.scope);
    case BinaryOp::kMatMul:
      return MatMulOperator(g, x, y, g.scope);
    case BinaryOp::kAdd:
      return Op(g, IsString(g, x) ? "Add" : row.op, {x, y}, g.scope);
    default:
      return Op(g, row.op, {x, y}, g.scope);
  }
}

Value TensorBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  if (!RowOf(op).scope || !Convertible(a) || !Convertible(b)) return Value::NotImplemented();
  GraphObject& g = GraphOf({&a, &b});
  return g.Tensor(Operator(g, op, a, b));
}

Value TensorUnary(UnaryOp op, const Value& v) {
  GraphObject& g = GraphOf({&v});
  switch (op) {
    case UnaryOp::kNeg:
      return g.Tensor(Op(g, "Neg", {v}));
    case UnaryOp::kAbs:
      return g.Tensor(AbsOf(g, v, "Abs"));
    case UnaryOp::kInvert:
      return g.Tensor(Op(g, "LogicalNot", {v}));
    case UnaryOp::kPos:
      break;
  }
  throw TypeError("bad operand type for unary +: '" + TypeName(v) + "'");
}

Value TensorCompare(CompareOp op, const Value& a, const Value& b) {
  static constexpr const char* kOps[] = {"Less",  "LessEqual", nullptr,
                                         nullptr, "Greater",   "GreaterEqual"};
  const char* name = kOps[static_cast<size_t>(op)];
  if (!name || !Convertible(b)) return Value::NotImplemented();  // == and != are identity in TF 1.x
  GraphObject& g = GraphOf({&a, &b});
  return g.Tensor(Op(g, name, {a, b}));
}

Value TensorGetItem(const Value& v, const Value& key) {
  GraphObject& g = GraphOf({&v});
  SliceParts parts;
  if (auto* keys = As<TupleObject>(key)) {
    for (const Value& item : keys->items) AddIndex(&parts, item);
  } else if (const auto* list = Sequence(key)) {
    for (const Value& item : *list) AddIndex(&parts, item);
  } else {
    AddIndex(&parts, key);
  }
  NameScope scope(
      // the scope begins here, because the nodes for a tensor index are outside of it
      g, "strided_slice");
  Out begin = StackIndices(g, parts.begin);
  Out end = parts.begin.empty() ? begin : StackIndices(g, parts.end);
  Out strides = parts.begin.empty() ? begin : StackIndices(g, parts.strides);
  bool wide = false;
  for (Out o : {begin, end, strides}) wide |= g.handle().DType(o) == TSH_INT64;
  OpCall call(g, "StridedSlice", g.scope);
  call.In(v).In(Int32OrInt64(g, begin, wide)).In(Int32OrInt64(g, end, wide));
  call.In(Int32OrInt64(g, strides, wide));
  call.attrs().Int("begin_mask", parts.begin_mask).Int("end_mask", parts.end_mask);
  call.attrs().Int("ellipsis_mask", parts.ellipsis_mask).Int("new_axis_mask", parts.new_axis_mask);
  call.attrs().Int("shrink_axis_mask", parts.shrink_axis_mask);
  return call.AddValue();
}

void SetTensorShape(GraphObject& g, Out out, const Value& shape) {
  Ref<ShapeObject> s = ToShape(shape);
  if (!s->known_rank()) return;
  g.handle().SetShape(out, s->dims());
}

namespace {

// ---- the Python class ----

TensorObject& Self(const Value& v) { return *As<TensorObject>(v); }
TensorObject& Self(Args& a) { return Self(a.self()); }

ShapeInfo ShapeOfTensor(const Value& v) { return Self(v).graph().handle().Shape(Self(v).out()); }
std::string DeviceOf(const Value& v) { return Self(v).graph().DeviceText(Self(v).out().node); }

std::string TensorStr(const Value& v) {
  std::string out = "Tensor(\"" + Self(v).Name() + "\"";
  const ShapeInfo shape = ShapeOfTensor(v);
  if (shape.rank >= 0) out += ", shape=" + ShapeText(shape);
  out += ", dtype=" + DTypeName(Self(v).DType());
  if (!DeviceOf(v).empty()) out += ", device=" + DeviceOf(v);
  return out + ")";
}

std::string TensorRepr(const Value& v) {
  return "<tf.Tensor '" + Self(v).Name() + "' shape=" + ShapeText(ShapeOfTensor(v)) +
         " dtype=" + DTypeName(Self(v).DType()) + ">";
}

bool TensorTruth(const Value&) {
  throw OperatorNotAllowed(
      "Using a `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not None:` instead of "
      "`if t:` to test if a tensor is defined, and use TensorFlow ops such as tf.cond to execute "
      "subgraphs conditioned on the value of a tensor.");
}

Value TensorIter(const Value&) {
  throw OperatorNotAllowed(
      "Tensor objects are only iterable when eager execution is enabled. To iterate over "
      "this tensor use tf.map_fn.");
}

int64_t TensorLen(const Value&) { throw TypeError("object of type 'Tensor' has no len()"); }

Value Eval(Args& a) { return EvalTensor(a.self(), a[0], a[1]); }

Value SetShape(Args& a) {
  SetTensorShape(Self(a).graph(), Self(a).out(), a[0]);
  return Value::None();
}

Value Consumers(Args& a) {
  GraphObject& g = Self(a).graph();
  std::vector<Value> found;
  const size_t size = g.handle().size();
  for (Node n = 0; n < size; ++n) {
    for (const tsh_output in : g.handle().Inputs(n)) {
      if (in.node != Self(a).out().node || in.index != Self(a).out().index) continue;
      found.push_back(g.Operation(n));
    }
  }
  return MakeList(std::move(found));
}

// Returns the variable of which `node` is a slice v[…], or kNoOut.
Out SlicedVariable(GraphObject& g, Node node) {
  const GraphHandle& graph = g.handle();
  if (graph.NodeOp(node) != std::string_view("StridedSlice")) return kNoOut;
  Out from = graph.Input(node, 0);
  const std::string_view read = graph.NodeOp(from.node);
  if (read == "Identity" || read == "ReadVariableOp") from = graph.Input(from.node, 0);
  const std::string_view source = graph.NodeOp(from.node);
  const bool variable = source == "VariableV2" || source == "Variable" || source == "VarHandleOp";
  return variable ? from : kNoOut;
}

// v[…].assign(value) assigns to the slice of the variable itself.
Value AssignSlice(GraphObject& g, Node slice, Out variable, const Value& value,
                  std::string_view name) {
  const bool resource = g.handle().DType(variable) == TSH_RESOURCE;
  OpCall call(g, resource ? "ResourceStridedSliceAssign" : "StridedSliceAssign", name);
  call.In(variable);
  for (size_t i = 1; i < 4; ++i) call.In(g.handle().Input(slice, i));
  const int dtype = BaseType(g.handle().DType({slice, 0}));
  call.In(Convert(g, value, "value", {.dtype = dtype}));
  for (const char* mask :
       {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    const Value bits = CallMethod(g.Operation(slice), "get_attr", {MakeStr(mask)});
    call.attrs().Int(mask, ToIndex(bits));
  }
  const Node made = call.AddNode();
  return resource ? g.Operation(made) : g.Tensor({made, 0});
}

// Updates of reference tensors, as in tf.assign(v, …).assign_add, and of slices of variables.
Value RefUpdate(Args& a) {
  GraphObject& g = Self(a).graph();
  if (static_cast<const char*>(a.row().data) == std::string_view("Assign")) {
    const Node node = Self(a).out().node;
    const Out variable = SlicedVariable(g, node);
    if (Exists(variable)) return AssignSlice(g, node, variable, a[0], NameText(a[2]));
  }
  OpCall call(g, static_cast<const char*>(a.row().data), NameText(a[2]));
  return call.In(a.self()).In(a[0]).AddValue();
}

// numpy calls this for a tensor among its arguments.
Value NoArray(Args& a) {
  throw NotImplementedError("Cannot convert a symbolic Tensor (" + Str(GetAttr(a.self(), "name")) +
                            ") to a numpy array.")
      .Hint("Functions of numpy take values: use the function of tf, or sess.run of the tensor");
}

const FunctionRow kMethods[] = {
    {"__array__", "dtype=None", NoArray, "Fails, because a tensor has no value outside of a step."},
    {"eval", "feed_dict=None, session=None", Eval, "Evaluates the tensor in a session."},
    {"get_shape", "", [](Args& a) { return ShapeValue(ShapeOfTensor(a.self())); },
     "Returns the static shape."},
    {"set_shape", "shape", SetShape, "Adds information to the static shape."},
    {"consumers", "", Consumers, "The operations that use this tensor."},
    {"assign", "value, use_locking=None, name=None", RefUpdate, "Only for reference tensors.",
     "Assign"},
    {"assign_add", "value, use_locking=None, name=None", RefUpdate, "Only for reference tensors.",
     "AssignAdd"},
    {"assign_sub", "value, use_locking=None, name=None", RefUpdate, "Only for reference tensors.",
     "AssignSub"},
};

const PropertyRow kProperties[] = {
    {"name", [](const Value& v) { return MakeStr(Self(v).Name()); }},
    {"op", [](const Value& v) { return Self(v).graph().Operation(Self(v).out().node); }},
    {"dtype", [](const Value& v) { return DTypeValue(Self(v).DType()); }},
    {"shape", [](const Value& v) { return ShapeValue(ShapeOfTensor(v)); }},
    {"graph", [](const Value& v) { return Value(&Self(v).graph()); }},
    {"device", [](const Value& v) { return MakeStr(DeviceOf(v)); }},
    {"value_index", [](const Value& v) { return Value::Int(Self(v).out().index); }},
};

}  // namespace

const TypeInfo TensorObject::kType = {.name = "Tensor",
                                      .module = "tensorflow.python.framework.ops",
                                      .doc = "A value of a graph: an output of an operation.",
                                      .methods = kMethods,
                                      .properties = kProperties,
                                      .repr = TensorRepr,
                                      .str = TensorStr,
                                      .truth = TensorTruth,
                                      .compare = TensorCompare,
                                      .binary = TensorBinary,
                                      .unary = TensorUnary,
                                      .len = TensorLen,
                                      .getitem = TensorGetItem,
                                      .iter = TensorIter,
                                      .setattr = OpenObject::SetAttribute};

}  // namespace tensh::shell::tf
