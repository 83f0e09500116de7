#include "shell/numpy/ndarray.h"

#include "shell/numpy/convert.h"
#include "shell/numpy/index.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {

using np::Array;

namespace {

const Array& Self(const Value& v) { return static_cast<NdArray*>(v.object())->array; }

std::string ArrayRepr(const Value& v) { return TensorRepr(np::MakeView(Self(v)), np::Options()); }

std::string ArrayStr(const Value& v) {
  const Array& a = Self(v);
  // A 0-d array is printed like its element.
  if (a.rank == 0 && !np::HasBytes(a.dtype)) return Str(np::PythonElement(a, a.offset));
  return TensorStr(np::MakeView(a), np::Options());
}

Value OnlyElement(const Value& v) {
  const Array& a = Self(v);
  if (a.size() != 1) throw TypeError("only length-1 arrays can be converted to Python scalars");
  Value element;
  np::ForEachOffset(a, [&](int64_t at) { element = np::PythonElement(a, at); });
  return element;
}

std::string ArrayFormat(const Value& v, std::string_view spec) {
  if (spec.empty()) return ArrayStr(v);
  if (Self(v).rank == 0) return Format(OnlyElement(v), spec);
  throw TypeError("unsupported format string passed to numpy.ndarray.__format__");
}

bool ArrayTruth(const Value& v) {
  const Array& a = Self(v);
  if (a.size() == 0) return false;
  if (a.size() > 1) {
    throw ValueError(
        "The truth value of an array with more than one element is ambiguous. Use a.any() or "
        "a.all()");
  }
  return Truth(OnlyElement(v));
}

int64_t ArrayLen(const Value& v) {
  if (Self(v).rank == 0) throw TypeError("len() of unsized object");
  return Self(v).dim(0);
}

// Returns true if numpy would convert the operand to an array. Any other operand, such as a
// tf.Tensor, implements the operation itself.
bool IsOperand(const Value& v) {
  if (!v.is_object()) return !v.is_not_implemented();
  return As<NdArray>(v) || AsScalar(v) || Sequence(v) || IsStr(v) || As<RangeObject>(v) ||
         np::ElementType(v) != kDTypeObject;
}

Value ArrayCompare(CompareOp op, const Value& a, const Value& b) {
  if (!IsOperand(b)) {
    if (op != CompareOp::kEq && op != CompareOp::kNe) return Value::NotImplemented();
    if (FindSlot(TypeOf(b), &TypeInfo::compare)) return Value::NotImplemented();
    Array same = np::Empty(TSH_BOOL, Self(a).dims());
    np::Assign(same, ToArray(Value::Bool(op == CompareOp::kNe)));
    return ArrayOrScalar(same);
  }
  return ArrayOrScalar(np::Apply(np::UfuncOf(op), ToArray(a), ToArray(b)));
}

Value ArrayBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  if (!IsOperand(a) || !IsOperand(b)) return Value::NotImplemented();
  return np::BinaryValues(op, a, b);
}

Value ArrayInplace(BinaryOp op, const Value& a, const Value& b) {
  if (!IsOperand(b)) return Value::NotImplemented();
  if (op == BinaryOp::kMatMul) return np::BinaryValues(op, a, b);
  np::ApplyInplace(np::UfuncOf(op), Self(a), ToArray(b));
  return a;
}

Value ArrayUnary(UnaryOp op, const Value& v) { return np::UnaryValues(op, v); }

Value ArrayIndex(const Value& v) {
  const Array& a = Self(v);
  if (a.rank != 0 || np::Category(a.dtype) != 1)
    throw TypeError("only integer scalar arrays can be converted to a scalar index");
  return OnlyElement(v);
}

Value ArrayToInt(const Value& v) { return Call(TypeValue(kIntType), {OnlyElement(v)}); }
Value ArrayToFloat(const Value& v) { return Call(TypeValue(kFloatType), {OnlyElement(v)}); }

Value ArrayGetItem(const Value& v, const Value& key) { return np::GetItem(Self(v), key); }
void ArraySetItem(const Value& v, const Value& key, const Value& item) {
  np::SetItem(Self(v), key, item);
}

bool ArrayContains(const Value& v, const Value& item) {
  const Array same = np::Apply(np::UfuncOf(CompareOp::kEq), Self(v), ToArray(item));
  return Truth(ArrayOrScalar(np::Reduce(np::Reduction::kAny, same, {}, {})));
}

class ArrayIterator : public Object {
 public:
  static const TypeInfo kType;
  explicit ArrayIterator(const Array& a) : Object(kType), array(a) {}
  const Array array;
  int64_t next = 0;
};

Value ArrayIter(const Value& v) {
  if (Self(v).rank == 0) throw TypeError("iteration over a 0-d array");
  return New<ArrayIterator>(Self(v));
}

bool IteratorNext(const Value& v, Value* out) {
  auto* it = static_cast<ArrayIterator*>(v.object());
  if (it->next >= it->array.dim(0)) return false;
  *out = np::GetItem(it->array, Value::Int(it->next++));
  return true;
}

const TypeInfo ArrayIterator::kType = {
    .name = "iterator", .iter = [](const Value& v) { return v; }, .next = IteratorNext};

Value ConstructArray(Args& a) {
  return MakeArray(np::Zeros(np::DTypeArgument(a[1]) ? np::DTypeArgument(a[1]) : +TSH_DOUBLE,
                             np::ShapeArgument(a[0])));
}
constexpr FunctionRow kConstruct = {"ndarray", "shape, dtype=None", ConstructArray,
                                    "An array of zeros."};

}  // namespace

const TypeInfo NdArray::kType = {
    .name = "ndarray",
    .module = "numpy",
    .doc = "Numbers of one type in any number of dimensions.",
    .methods = np::kArrayMethods,
    .properties = np::kArrayProperties,
    .construct = &kConstruct,
    .repr = ArrayRepr,
    .str = ArrayStr,
    .format = ArrayFormat,
    .truth = ArrayTruth,
    .unhashable = true,
    .compare = ArrayCompare,
    .binary = ArrayBinary,
    .inplace = ArrayInplace,
    .unary = ArrayUnary,
    .index = ArrayIndex,
    .to_int = ArrayToInt,
    .to_float = ArrayToFloat,
    .len = ArrayLen,
    .getitem = ArrayGetItem,
    .setitem = ArraySetItem,
    .contains = ArrayContains,
    .iter = ArrayIter,
};

}  // namespace tensh::shell
