#include "shell/numpy/ufunc.h"

#include <cmath>

#include "shell/numpy/convert.h"
#include "shell/numpy/element.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {

const TypeInfo kUfuncTypeError =
    ExceptionType("UFuncTypeError", kTypeError, "numpy.core._exceptions");
const TypeInfo kAxisError = ExceptionType("AxisError", kValueError, "numpy");

namespace {

const Ufunc* Search(std::span<const Ufunc> rows, std::string_view name) {
  for (const Ufunc& f : rows)
    if (name == f.name) return &f;
  return nullptr;
}

bool IsValueType(int dtype) { return !HasBytes(dtype); }

int FloatFor(int dtype) {
  switch (dtype) {
    case TSH_BOOL:
    case TSH_INT8:
    case TSH_UINT8:
      return TSH_HALF;
    case TSH_INT16:
    case TSH_UINT16:
      return TSH_FLOAT;
    default:
      return Category(dtype) == 2 ? dtype : TSH_DOUBLE;
  }
}

bool BoolAsInt8(const Ufunc& f) {
  const std::string_view name = f.name;
  return name == "square" || name == "conjugate" || name == "conj" || name == "reciprocal";
}

int ResolveType(const Ufunc& f, int dtype) {
  switch (f.resolve) {
    case Resolve::kFloat:
      return FloatFor(dtype);
    case Resolve::kDivide:
      return Category(dtype) < 2 ? TSH_DOUBLE : dtype;
    case Resolve::kSame:
      // There are no bool loops of floor_divide, remainder, power and square; numpy uses int8.
      return dtype == TSH_BOOL && !f.loop(TSH_BOOL) && f.op != BinaryOp::kSub &&
                     (f.inputs == 2 || BoolAsInt8(f))
                 ? static_cast<int>(TSH_INT8)
                 : dtype;
    default:
      return dtype;
  }
}

[[noreturn]] void NoLoop(const Ufunc& f, int dtype) {
  const std::string_view name = f.name;
  if (dtype == TSH_BOOL && name == "negative") {
    throw TypeError(
        "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or "
        "the logical_not function instead.");
  }
  if (dtype == TSH_BOOL && name == "subtract") {
    throw TypeError(
        "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` "
        "operator, or the logical_xor function instead.");
  }
  if (dtype == TSH_BOOL && (name == "positive" || name == "sign")) {
    throw MakeError(kUfuncTypeError, "ufunc '" + std::string(name) +
                                         "' did not contain a loop with signature matching types "
                                         "<class 'numpy.dtype[bool_]'> -> None");
  }
  throw TypeError("ufunc '" + std::string(name) +
                  "' not supported for the input types, and the inputs could not be safely coerced "
                  "to any supported types according to the casting rule ''safe''");
}

[[noreturn]] void NoTextLoop(const Ufunc& f, const Array& a, const Array& b) {
  std::string text = "(";
  for (const Array* x : {&a, &b}) {
    std::string dtype = DTypeReprName(*x);
    if (!dtype.empty() && dtype[0] != '\'') dtype = "'" + dtype + "'";
    text += "dtype(" + dtype + ")" + (x == &a ? ", " : ")");
  }
  throw MakeError(kUfuncTypeError, "ufunc '" + std::string(f.name) +
                                       "' did not contain a loop with signature matching types " +
                                       text + " -> None");
}

// Returns the type in which the loop computes. 16-bit floats are computed as float.
int ComputeType(int dtype) {
  return dtype == TSH_HALF || dtype == TSH_BFLOAT16 ? TSH_FLOAT : dtype;
}

int OutputType(const Ufunc& f, int dtype) {
  if (f.resolve == Resolve::kTest) return TSH_BOOL;
  const bool magnitude = std::string_view(f.name).substr(0, 3) == "abs";
  if (magnitude && dtype == TSH_COMPLEX64) return TSH_FLOAT;
  if (magnitude && dtype == TSH_COMPLEX128) return TSH_DOUBLE;
  return dtype;
}

InnerLoop FindLoop(const Ufunc& f, int dtype) {
  if (f.resolve == Resolve::kBits && Category(dtype) > 1) NoLoop(f, dtype);
  InnerLoop loop = f.loop(ComputeType(dtype));
  if (!loop) NoLoop(f, dtype);
  return loop;
}

Value ApplyValues(const Ufunc& f, const Value& a, const Value& b) {
  const std::string_view name = f.name;
  if (f.is_compare) return Compare(f.compare, a, b);
  if (name == "logical_and") return Value::Bool(Truth(a) && Truth(b));
  if (name == "logical_or") return Value::Bool(Truth(a) || Truth(b));
  if (name == "logical_xor") return Value::Bool(Truth(a) != Truth(b));
  if (name == "maximum") return CompareTruth(CompareOp::kGe, a, b) ? a : b;
  if (name == "minimum") return CompareTruth(CompareOp::kLe, a, b) ? a : b;
  return Binary(f.op, a, b);
}

// Applies Python's operators to text and objects, element by element.
Array ApplyObjects(const Ufunc& f, const Array& a, const Array& b, Dims dims) {
  const bool text = a.dtype != kDTypeObject && b.dtype != kDTypeObject && a.dtype != TSH_STRING &&
                    b.dtype != TSH_STRING;
  const bool test = f.resolve == Resolve::kTest;
  if (text && (!test || IsText(a.dtype) != IsText(b.dtype))) NoTextLoop(f, a, b);
  Array x, y;
  BroadcastTo(a, dims, &x);
  BroadcastTo(b, dims, &y);
  Array out = Empty(test ? static_cast<int>(TSH_BOOL) : kDTypeObject, dims);
  std::vector<int64_t> right;
  ForEachOffset(y, [&](int64_t at) { right.push_back(at); });
  size_t next = 0;
  ForEachOffset(x, [&](int64_t at) {
    const Value v = ApplyValues(f, PythonElement(x, at), PythonElement(y, right[next]));
    if (test)
      out.writable<bool>()[next] = Truth(v);
    else
      out.objects->items[next] = v;
    ++next;
  });
  return out;
}

Array ApplyObjects(const Ufunc& f, const Array& a) {
  const std::string_view name = f.name;
  Array out = Empty(kDTypeObject, a.dims());
  size_t next = 0;
  ForEachOffset(a, [&](int64_t at) {
    const Value v = PythonElement(a, at);
    Value& to = out.objects->items[next++];
    if (name == "negative")
      to = Unary(UnaryOp::kNeg, v);
    else if (name == "absolute" || name == "abs")
      to = Unary(UnaryOp::kAbs, v);
    else if (name == "invert")
      to = Unary(UnaryOp::kInvert, v);
    else if (name == "square")
      to = Binary(BinaryOp::kMul, v, v);
    else if (name == "positive")
      to = Unary(UnaryOp::kPos, v);
    else
      NoLoop(f, a.dtype);
  });
  return out;
}

Extents CommonDims(const Array& a, const Array& b) {
  Extents dims;
  if (!BroadcastDims(a.dims(), b.dims(), &dims)) {
    throw ValueError("operands could not be broadcast together with shapes " + ShapeText(a.dims()) +
                     " " + ShapeText(b.dims()) + " ");
  }
  return dims;
}

Operand OperandOf(const Array& a) {
  return {a.dtype, a.rank == 0, a.rank == 0 ? a.data() : nullptr};
}

bool HasNegative(const Array& a) {
  const Array wide = Cast(a, TSH_INT64);
  bool found = false;
  ForEachOffset(wide, [&](int64_t at) {
    found |= *reinterpret_cast<const int64_t*>(wide.buffer->data() + at) < 0;
  });
  return found;
}

}  // namespace

const Ufunc* FindUfunc(std::string_view name) {
  for (std::span<const Ufunc> rows : {ArithmeticUfuncs(), CompareUfuncs(), UnaryUfuncs()})
    if (const Ufunc* f = Search(rows, name)) return f;
  return nullptr;
}

const Ufunc& UfuncOf(BinaryOp op) {
  static constexpr const char* kNames[] = {
      "add",          "subtract",    "multiply",  "matmul",     "divide",
      "floor_divide", "remainder",   "power",     "left_shift", "right_shift",
      "bitwise_and",  "bitwise_xor", "bitwise_or"};
  static const Ufunc* rows[std::size(kNames)] = {};
  const Ufunc*& row = rows[static_cast<size_t>(op)];
  if (!row) row = FindUfunc(kNames[static_cast<size_t>(op)]);
  return *row;
}

const Ufunc& UfuncOf(CompareOp op) {
  for (const Ufunc& f : CompareUfuncs())
    if (f.is_compare && f.compare == op) return f;
  return CompareUfuncs()[0];
}

Array Apply(const Ufunc& f, const Array& a) {
  if (IsValueType(a.dtype)) return ApplyObjects(f, a);
  const int dtype = ResolveType(f, a.dtype);
  const InnerLoop loop = FindLoop(f, dtype);
  const Array x = Cast(a, ComputeType(dtype));
  Array out = Empty(OutputType(f, ComputeType(dtype)), a.dims());
  char* p[] = {const_cast<char*>(x.data()), out.buffer->data()};
  const Array* operands[] = {&x, &out};
  RunLoop(loop, out.dims(), p, operands);
  return Cast(out, OutputType(f, dtype));
}

namespace {

// Returns true for functions that use the first type in numpy's list that holds both operands. A
// signed type precedes the unsigned one of its size: np.uint8(7) // 300 is an int16, whereas +
// gives a uint16.
bool TakesFirstType(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "floor_divide", "remainder",   "mod",         "power",      "fmod",
      "left_shift",   "right_shift", "bitwise_and", "bitwise_or", "bitwise_xor"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

int FirstType(const Ufunc& f, const Array& a, const Array& b) {
  const int dtype = ResultType(OperandOf(a), OperandOf(b));
  if (KindOf(dtype) != Kind::kUnsigned || (a.rank == 0) == (b.rank == 0) || !TakesFirstType(f.name))
    return dtype;
  const Array &scalar = a.rank == 0 ? a : b, &array = a.rank == 0 ? b : a;
  const int narrower = array.dtype;
  const int signed_type = dtype == TSH_UINT16   ? TSH_INT16
                          : dtype == TSH_UINT32 ? TSH_INT32
                                                : TSH_INT64;
  if (narrower == dtype || KindOf(narrower) != Kind::kUnsigned) return dtype;
  const Array wide = Cast(scalar, TSH_UINT64);
  const uint64_t value = *wide.as<uint64_t>();
  const int bits = static_cast<int>(tsh_dtype_size(signed_type)) * 8;
  return value < uint64_t{1} << (bits - 1) ? signed_type : dtype;
}

}  // namespace

Array Apply(const Ufunc& f, const Array& a, const Array& b) {
  if (IsValueType(a.dtype) || IsValueType(b.dtype)) return ApplyObjects(f, a, b, CommonDims(a, b));
  const int dtype = ResolveType(f, FirstType(f, a, b));
  const InnerLoop loop = FindLoop(f, dtype);
  const Extents dims = CommonDims(a, b);
  if (f.op == BinaryOp::kPow && std::string_view(f.name) == "power" && Category(dtype) == 1 &&
      HasNegative(b)) {
    throw ValueError("Integers to negative integer powers are not allowed.");
  }
  Array x, y;
  BroadcastTo(Cast(a, ComputeType(dtype)), dims, &x);
  BroadcastTo(Cast(b, ComputeType(dtype)), dims, &y);
  Array out = Empty(OutputType(f, ComputeType(dtype)), dims);
  char* p[] = {const_cast<char*>(x.data()), const_cast<char*>(y.data()), out.buffer->data()};
  const Array* operands[] = {&x, &y, &out};
  RunLoop(loop, dims, p, operands);
  return Cast(out, OutputType(f, dtype));
}

bool CanCastSameKind(int from, int to) {
  if (KindOf(to) == Kind::kObject || from == to) return true;
  const Kind a = KindOf(from), b = KindOf(to);
  if (a == Kind::kSigned && b == Kind::kUnsigned) return false;
  if (a == Kind::kUnsigned && b == Kind::kSigned) return true;
  return a <= b;
}

void ApplyInplace(const Ufunc& f, const Array& a, const Array& b) {
  const Array result = f.op == BinaryOp::kPow ? Power(a, b) : Apply(f, a, b);
  if (!CanCastSameKind(result.dtype, a.dtype)) {
    throw MakeError(kUfuncTypeError, "Cannot cast ufunc '" + std::string(f.name) +
                                         "' output from dtype('" + GetType(result.dtype).name +
                                         "') to dtype('" + GetType(a.dtype).name +
                                         "') with casting rule 'same_kind'");
  }
  if (!SameDims(a.dims(), result.dims())) {
    throw ValueError("non-broadcastable output operand with shape " + ShapeText(a.dims()) +
                     " doesn't match the broadcast shape " + ShapeText(result.dims()));
  }
  Assign(a, result);
}

Array Power(const Array& a, const Array& b) {
  const Ufunc& power = UfuncOf(BinaryOp::kPow);
  if (b.rank != 0 || a.rank == 0 || !HasBytes(b.dtype) || Category(a.dtype) != 2)
    return Apply(power, a, b);
  const bool fits = ResultType(OperandOf(a), OperandOf(b)) == a.dtype;
  if (!fits || IsComplexKind(b.dtype)) return Apply(power, a, b);
  const double e = *Cast(b, TSH_DOUBLE).as<double>();
  const struct {
    double exponent;
    const char* name;
  } rows[] = {{1, "positive"}, {2, "square"}, {0.5, "sqrt"}, {-1, "reciprocal"}};
  for (const auto& row : rows)
    if (e == row.exponent) return Apply(*FindUfunc(row.name), a);
  return Apply(power, a, b);
}

}  // namespace tensh::shell::np
