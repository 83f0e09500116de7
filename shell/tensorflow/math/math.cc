// Arithmetic, comparisons and matrix products of tf.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/abs.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/indexed_slices.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/tensor.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

Value Divide(Args& a) {
  GraphObject* g = FindGraphOf(a[0]);
  if (!g) g = FindGraphOf(a[1]);
  if (a[2].is_none()) {
    if (g) return g->Tensor(Operator(*g, BinaryOp::kTrueDiv, a[0], a[1]));
    return Binary(BinaryOp::kTrueDiv, a[0], a[1]);
  }
  GraphObject& graph = g ? *g : DefaultGraph();
  NameScope scope(graph, NameText(a[2]));
  const Out x = Convert(graph, a[0], "x");
  const Out y = Convert(graph, a[1], "y", {.preferred = BaseType(graph.handle().DType(x))});
  return graph.Tensor(TrueDiv(graph, x, y, graph.scope));
}

Value TrueDivide(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[2], "truediv"));
  const Out x = Convert(g, a[0], "x");
  const Out y = Convert(g, a[1], "y", {.preferred = BaseType(g.handle().DType(x))});
  return g.Tensor(TrueDiv(g, x, y, g.scope));
}

// tf.div has the division of Python 2.
Value Div(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[2], "div"));
  const Out x = Convert(g, a[0], "x");
  const int dtype = BaseType(g.handle().DType(x));
  const Out y = Convert(g, a[1], "y", {.dtype = dtype});
  return g.Tensor(Op(g, IsFloating(dtype) ? "RealDiv" : "FloorDiv", {x, y}, g.scope));
}

Value Round(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  const Out x = Convert(g, a[0], "x");
  if (IsInteger(BaseType(g.handle().DType(x)))) return g.Tensor(x);
  return g.Tensor(Op(g, "Round", {x}, NameText(a[1])));
}

Value LogicalXor(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  const Out either = Op(g, "LogicalOr", {a[0], a[1]});
  const Out both = Op(g, "LogicalAnd", {a[0], a[1]});
  return g.Tensor(
      Op(g, "LogicalAnd", {either, Op(g, "LogicalNot", {both})}, NameOr(a[2], "LogicalXor")));
}

Value CastTo(GraphObject& g, const Value& v, int dtype, std::string_view name) {
  if (auto* t = As<TensorObject>(v); t && t->DType() == dtype) return v;
  NameScope scope(g, name);
  const Out x = Convert(g, v, "x");
  if (BaseType(g.handle().DType(x)) == dtype) return g.Tensor(x);
  OpCall call(g, "Cast", g.scope);
  return call.In(x).Type("DstT", dtype).AddValue();
}

bool IsSparse(const Value& v) { return TypeOf(v).name == std::string_view("SparseTensor"); }

Value CastFn(Args& a) {
  if (IsSparse(a[0])) return Call(FromLibrary("sparse", Intern("_cast")), {a[0], a[1], a[2]});
  return CastTo(GraphOf({&a[0]}), a[0], BaseType(ToDType(a[1])), NameOr(a[2], "Cast"));
}

// to_float and similar functions. The row's data is the dtype.
Value ToType(Args& a) {
  const int dtype = tsh_dtype_parse(static_cast<const char*>(a.row().data));
  return CastTo(GraphOf({&a[0]}), a[0], dtype, NameText(a[1]));
}

Value AddN(Args& a) {
  const auto* items = Sequence(a[0]);
  if (!items || items->empty()) {
    throw ValueError(
        "inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape");
  }
  GraphObject* found = FindGraphOf(a[0]);
  GraphObject& g = found ? *found : DefaultGraph();
  if (items->size() == 1) {
    const Out only = Convert(g, (*items)[0], "inputs");
    return a[1].is_none() ? g.Tensor(only) : g.Tensor(Op(g, "Identity", {only}, NameText(a[1])));
  }
  OpCall call(g, "AddN", NameText(a[1]));
  return call.In(a[0]).AddValue();
}

Value ScalarMul(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  const Out x = Convert(g, a[1], "x");
  const Out scalar = Convert(g, a[0], "scalar", {.dtype = BaseType(g.handle().DType(x))});
  const ShapeInfo shape = g.handle().Shape(scalar);
  if (shape.rank > 0) throw ValueError("Only scalar multiply works, got shape " + ShapeText(shape));
  return g.Tensor(Op(g, "Mul", {scalar, x}, NameText(a[2])));
}

Value ClipByValue(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  NameScope scope(g, NameOr(a[3], "clip_by_value"));
  const Out low = Op(g, "Minimum", {ValuesOf(g, a[0], "t"), a[2]});
  return LikeRows(g, a[0], Op(g, "Maximum", {low, a[1]}, g.scope));
}

// clip_by_norm(t, n): t * n / max(|t|, n).
Value ClipByNorm(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[3], "clip_by_norm"));
  const Out t = ValuesOf(g, a[0], "t");
  const Out squares = ReduceOut(g, "Sum", MulOp(g, t, t), a[2], true);
  const Out positive = Op(g, "Greater", {squares, Arg(Value::Int(0))});
  const Out safe = Op(g, "Select", {positive, squares, FilledLike(g, squares, 1, 0, "ones_like")});
  const Out norm = Op(g, "Select", {positive, Op(g, "Sqrt", {safe}), squares});
  const Out scaled = MulOp(g, t, a[1]);
  const Out biggest = Op(g, "Maximum", {norm, a[1]});
  const Out ratio = Operator(g, BinaryOp::kTrueDiv, scaled, biggest);
  return LikeRows(g, a[0], Op(g, "Identity", {ratio}, g.scope));
}

// ---- matrix products ----

bool HighRank(GraphObject& g, Out x) {
  const int rank = g.handle().Shape(x).rank;
  return rank < 0 || rank > 2;
}

Value MatMul(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[8], "MatMul"));
  const bool transpose_a = Truth(a[2]), transpose_b = Truth(a[3]);
  const bool adjoint_a = Truth(a[4]), adjoint_b = Truth(a[5]);
  if (transpose_a && adjoint_a)
    throw ValueError("Only one of transpose_a and adjoint_a can be True.");
  if (transpose_b && adjoint_b)
    throw ValueError("Only one of transpose_b and adjoint_b can be True.");
  const Out x = Convert(g, a[0], "a");
  const Out y = Convert(g, a[1], "b", {.preferred = BaseType(g.handle().DType(x))});
  // MatMul cannot conjugate, and BatchMatMulV2 cannot transpose without conjugating. In both cases,
  // Conj makes up for it.
  const bool batched = HighRank(g, x) || HighRank(g, y);
  const auto turned = [&](Out t, bool conjugate) {
    const int dtype = BaseType(g.handle().DType(t));
    const bool complex = dtype == TSH_COMPLEX64 || dtype == TSH_COMPLEX128;
    return conjugate && complex ? Op(g, "Conj", {t}) : t;
  };
  const Out left = turned(x, batched ? transpose_a : adjoint_a);
  const Out right = turned(y, batched ? transpose_b : adjoint_b);
  OpCall call(g, batched ? "BatchMatMulV2" : "MatMul", g.scope);
  call.In(left).In(right);
  call.attrs().Bool(batched ? "adj_x" : "transpose_a", transpose_a || adjoint_a);
  call.attrs().Bool(batched ? "adj_y" : "transpose_b", transpose_b || adjoint_b);
  return call.AddValue();
}

Value MatVec(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  const bool transposed = Truth(a[2]), adjoint = Truth(a[3]);
  if (transposed && adjoint) throw ValueError("Only one of transpose_a and adjoint_a can be True.");
  NameScope scope(g, NameOr(a[6], "MatVec"));
  const Out x = Convert(g, a[0], "a");
  const Out column = Op(g, "ExpandDims", {Convert(g, a[1], "b"), Arg(Value::Int(-1))});
  const bool batched = HighRank(g, x) || HighRank(g, column);
  // a separate statement, so that the name scope ends before the next call begins
  const auto product = [&] {
    OpCall call(g, batched ? "BatchMatMulV2" : "MatMul");
    call.In(x).In(column).attrs().Bool(batched ? "adj_x" : "transpose_a", transposed || adjoint);
    return call.Add();
  };
  const Out matrix = product();
  const int64_t last[] = {-1};
  OpCall squeeze(g, "Squeeze");
  squeeze.In(matrix).attrs().Ints("squeeze_dims", last);
  return squeeze.AddValue();
}

bool IsText(const Value& v) {
  if (auto* t = As<TensorObject>(v)) return BaseType(t->DType()) == TSH_STRING;
  if (auto* variable = As<VariableObject>(v)) return BaseType(variable->DType()) == TSH_STRING;
  if (const auto* items = Sequence(v)) return !items->empty() && IsText(items->front());
  return As<StrObject>(v) || As<BytesObject>(v);
}

// Only the older op joins strings.
Value Add(Args& a) {
  if (!IsText(a[0]) && !IsText(a[1])) return CallOp(a);
  GraphObject& g = GraphOf({&a[0], &a[1]});
  OpCall call(g, "Add", NameText(a[2]));
  return call.In(a[0]).In(a[1]).AddValue();
}

// Functions that keep zeros also accept sparse tensors, of which they change the values.
Value KeepingZeros(Args& a) {
  if (!IsSparse(a[0])) return CallOp(a);
  const Value op = MakeStr(static_cast<const char*>(a.row().data));
  return Call(FromLibrary("sparse", Intern("_with_values")), {a[0], op, a[1]});
}

// Arguments: x, name. Complex numbers have a separate op.
Value Abs(Args& a) {
  if (IsSparse(a[0]))
    return Call(FromLibrary("sparse", Intern("_with_values")), {a[0], MakeStr("Abs"), a[1]});
  GraphObject& g = GraphOf({&a[0]});
  return g.Tensor(AbsOf(g, a[0], NameOr(a[1], "Abs")));
}

// ---- ranges ----

int RangeType(GraphObject& g, std::span<const Out> parts) {
  static constexpr int kOrder[] = {TSH_INT32, TSH_INT64, TSH_FLOAT, TSH_DOUBLE};
  size_t best = 0;
  for (Out o : parts) {
    const int dtype = BaseType(g.handle().DType(o));
    for (size_t i = 0; i < std::size(kOrder); ++i) {
      if (kOrder[i] == dtype) best = std::max(best, i);
    }
  }
  return kOrder[best];
}

Value Range(Args& a) {
  Value start = a[0], limit = a[1];
  if (limit.is_none()) {
    limit = start;
    start = Value::Int(0);
  }
  GraphObject& g = GraphOf({&start, &limit, &a[2]});
  NameScope scope(g, NameOr(a[4], "range"));
  const int wanted = a[3].is_none() ? 0 : BaseType(ToDType(a[3]));
  Out parts[3];
  parts[0] = Convert(g, start, "start", {.dtype = wanted});
  parts[1] = Convert(g, limit, "limit", {.dtype = wanted});
  parts[2] = Convert(g, a[2], "delta", {.dtype = wanted});
  const int dtype = wanted ? wanted : RangeType(g, parts);
  for (Out& part : parts) part = Cast(g, part, dtype);
  return g.Tensor(Op(g, "Range", {parts[0], parts[1], parts[2]}, g.scope));
}

Value ArgMinMax(Args& a) {
  const Value axis = !a[1].is_none() ? a[1] : !a[3].is_none() ? a[3] : Value::Int(0);
  GraphObject& g = GraphOf({&a[0], &axis});
  OpCall call(g, static_cast<const char*>(a.row().data), NameText(a[2]));
  call.In(a[0]).In(axis);
  if (!a[4].is_none()) call.Type("output_type", ToDType(a[4]));
  return call.AddValue();
}

Value ArgAlong(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  OpCall call(g, static_cast<const char*>(a.row().data), NameText(a[3]));
  call.In(a[0]).In(a[1]);
  if (!a[2].is_none()) call.Type("output_type", ToDType(a[2]));
  return call.AddValue();
}

#define TENSH_KEEPING_ZEROS(name, op) \
  { name, "x, name=None", KeepingZeros, "Elementwise " name " of x.", op }

const FunctionRow kRows[] = {
    {"abs", "x, name=None", Abs, "The elementwise absolute value."},
    TENSH_KEEPING_ZEROS("negative", "Neg"),
    TENSH_KEEPING_ZEROS("neg", "Neg"),
    TENSH_KEEPING_ZEROS("square", "Square"),
    TENSH_KEEPING_ZEROS("sqrt", "Sqrt"),
    TENSH_UNARY("rsqrt", "Rsqrt"),
    TENSH_UNARY("exp", "Exp"),
    TENSH_UNARY("expm1", "Expm1"),
    TENSH_UNARY("log", "Log"),
    TENSH_UNARY("log1p", "Log1p"),
    TENSH_UNARY("sin", "Sin"),
    TENSH_UNARY("cos", "Cos"),
    TENSH_UNARY("tan", "Tan"),
    TENSH_UNARY("asin", "Asin"),
    TENSH_UNARY("acos", "Acos"),
    TENSH_UNARY("atan", "Atan"),
    TENSH_UNARY("sinh", "Sinh"),
    TENSH_UNARY("cosh", "Cosh"),
    TENSH_UNARY("sigmoid", "Sigmoid"),
    TENSH_KEEPING_ZEROS("tanh", "Tanh"),
    TENSH_KEEPING_ZEROS("erf", "Erf"),
    TENSH_UNARY("floor", "Floor"),
    TENSH_UNARY("ceil", "Ceil"),
    TENSH_KEEPING_ZEROS("sign", "Sign"),
    TENSH_UNARY("reciprocal", "Reciprocal"),
    TENSH_UNARY("inv", "Reciprocal"),
    TENSH_UNARY("is_nan", "IsNan"),
    TENSH_UNARY("is_inf", "IsInf"),
    TENSH_UNARY("is_finite", "IsFinite"),
    TENSH_UNARY("logical_not", "LogicalNot"),
    {"add", "x, y, name=None", Add, "Elementwise add of x and y.", "AddV2/Add"},
    TENSH_BINARY("subtract", "Sub"),
    TENSH_BINARY("sub", "Sub"),
    TENSH_BINARY("multiply", "Mul"),
    TENSH_BINARY("mul", "Mul"),
    TENSH_BINARY("pow", "Pow"),
    TENSH_BINARY("realdiv", "RealDiv"),
    TENSH_BINARY("floordiv", "FloorDiv/floordiv"),
    TENSH_BINARY("floor_div", "FloorDiv"),
    TENSH_BINARY("mod", "FloorMod"),
    TENSH_BINARY("floormod", "FloorMod"),
    TENSH_BINARY("maximum", "Maximum"),
    TENSH_BINARY("minimum", "Minimum"),
    TENSH_BINARY("squared_difference", "SquaredDifference"),
    TENSH_BINARY("greater", "Greater"),
    TENSH_BINARY("greater_equal", "GreaterEqual"),
    TENSH_BINARY("less", "Less"),
    TENSH_BINARY("less_equal", "LessEqual"),
    TENSH_BINARY("equal", "Equal"),
    TENSH_BINARY("not_equal", "NotEqual"),
    TENSH_BINARY("logical_and", "LogicalAnd"),
    TENSH_BINARY("logical_or", "LogicalOr"),
    {"logical_xor", "x, y, name=None", LogicalXor, "x xor y."},
    {"divide", "x, y, name=None", Divide, "x / y with the division of Python 3."},
    {"truediv", "x, y, name=None", TrueDivide, "x / y; integers become floats."},
    {"div", "x, y, name=None", Div, "x / y; integers stay integers."},
    {"round", "x, name=None", Round, "Rounds to the nearest integer, and halves to even ones."},
    {"cast", "x, dtype, name=None", CastFn, "Converts x to another element type."},
    {"to_float", "x, name='ToFloat'", ToType, "Converts x to float32.", "float32"},
    {"to_double", "x, name='ToDouble'", ToType, "Converts x to float64.", "float64"},
    {"to_int32", "x, name='ToInt32'", ToType, "Converts x to int32.", "int32"},
    {"to_int64", "x, name='ToInt64'", ToType, "Converts x to int64.", "int64"},
    {"add_n", "inputs, name=None", AddN, "The sum of tensors with the same shape."},
    {"accumulate_n", "inputs, shape=None, tensor_dtype=None, name=None",
     [](Args& a) -> Value {
       GraphObject* g = FindGraphOf(a[0]);
       OpCall call(g ? *g : DefaultGraph(), GetOp("AddN"), NameText(a[3]), "AccumulateNV2");
       return call.In(a[0]).AddValue();
     },
     "The sum of tensors with the same shape."},
    {"scalar_mul", "scalar, x, name=None", ScalarMul, "x times a scalar."},
    {"clip_by_value", "t, clip_value_min, clip_value_max, name=None", ClipByValue,
     "Limits t to a range."},
    {"clip_by_norm", "t, clip_norm, axes=None, name=None", ClipByNorm,
     "Scales t to a norm of at most clip_norm."},
    {"matmul",
     "a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, "
     "a_is_sparse=False, b_is_sparse=False, name=None",
     MatMul, "The matrix product of a and b."},
    {"batch_matmul",
     "a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, "
     "a_is_sparse=False, b_is_sparse=False, name=None",
     MatMul, "The matrix product of a and b."},
    {"sparse_matmul",
     "a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False, name=None",
     CallOp, "The product of matrices with many zeros.",
     "SparseMatMul transpose_a transpose_b a_is_sparse b_is_sparse"},
    {"matvec",
     "a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None",
     MatVec, "The product of a matrix and a vector."},
    {"range", "start, limit=None, delta=1, dtype=None, name='range'", Range,
     "The numbers from start up to, but excluding, limit."},
    {"linspace", "start, stop, num, name=None", CallOp,
     "num evenly spaced numbers from start to stop.", "LinSpace"},
    {"lin_space", "start, stop, num, name=None", CallOp,
     "num evenly spaced numbers from start to stop.", "LinSpace"},
    {"argmax", "input, axis=None, name=None, dimension=None, output_type=None", ArgMinMax,
     "The index of the largest element along an axis.", "ArgMax"},
    {"argmin", "input, axis=None, name=None, dimension=None, output_type=None", ArgMinMax,
     "The index of the smallest element along an axis.", "ArgMin"},
    {"arg_max", "input, dimension, output_type=None, name=None", ArgAlong,
     "The index of the largest element along an axis.", "ArgMax"},
    {"arg_min", "input, dimension, output_type=None, name=None", ArgAlong,
     "The index of the smallest element along an axis.", "ArgMin"},
};

}  // namespace

std::span<const FunctionRow> MathRows() { return kRows; }

}  // namespace tensh::shell::tf
