// numpy's scalars: one Python class for each number type, one C++ class for all. They are declared
// in shell/numpy/ndarray.h.
#include <algorithm>
#include <cmath>

#include "shell/numpy/convert.h"
#include "shell/numpy/dtype_value.h"
#include "shell/numpy/element.h"
#include "shell/numpy/index.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/ndarray.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/virtual_base.h"

namespace tensh::shell {

using np::Array;

namespace {

const NpScalar& Self(const Value& v) { return *static_cast<NpScalar*>(v.object()); }

Value ToPython(const Value& v) {
  const Array a = Self(v).ToArray();
  return np::PythonElement(a, 0);
}

std::string ScalarText(const Value& v) { return NumberText(Self(v).dtype(), Self(v).data()); }

std::string ScalarFormat(const Value& v, std::string_view spec) {
  // As in numpy, formats the Python number, so that '{}' shows a float32 with the digits of a
  // double.
  return Format(ToPython(v), spec);
}

// Returns true for numbers and containers of numbers. Other operands implement the operation
// themselves.
bool IsOperand(const Value& v) {
  return v.is_int() || v.is_float() || v.is_bool() || AsScalar(v) || As<NdArray>(v) ||
         Sequence(v) || As<ComplexObject>(v);
}

bool BothReal(const Value& a, const Value& b) {
  const auto real = [](const Value& v) {
    if (v.is_int() || v.is_float() || v.is_bool()) return true;
    const NpScalar* s = AsScalar(v);
    return s && !np::IsComplexKind(s->dtype());
  };
  return real(a) && real(b);
}

Value CompareScalars(CompareOp op, const Value& a, const Value& b) {
  if (BothReal(a, b)) {
    const Value x = AsScalar(a) ? ToPython(a) : a, y = AsScalar(b) ? ToPython(b) : b;
    const bool result = CompareTruth(op, x, y);
    return MakeScalar(TSH_BOOL, &result);
  }
  if (!IsOperand(b)) return Value::NotImplemented();
  return ArrayOrScalar(np::Apply(np::UfuncOf(op), ToArray(a), ToArray(b)));
}

// Fast path for float arithmetic of one width, the common case.
template <class T>
Value FloatArithmetic(BinaryOp op, int dtype, T a, T b) {
  T r;
  switch (op) {
    case BinaryOp::kAdd:
      r = a + b;
      break;
    case BinaryOp::kSub:
      r = a - b;
      break;
    case BinaryOp::kMul:
      r = a * b;
      break;
    case BinaryOp::kTrueDiv:
      r = a / b;
      break;
    default:
      return Value();
  }
  return MakeScalar(dtype, &r);
}

bool AsDouble(const Value& v, double* out) {
  if (v.is_float()) return *out = v.as_float(), true;
  if (v.is_int()) return *out = static_cast<double>(v.as_int()), true;
  const NpScalar* s = AsScalar(v);
  if (s && s->dtype() == TSH_DOUBLE) return *out = s->get<double>(), true;
  if (s && s->dtype() == TSH_FLOAT) return *out = s->get<float>(), true;
  if (s && s->dtype() == TSH_INT64) return *out = static_cast<double>(s->get<int64_t>()), true;
  return false;
}

// Returns null if the general path must be taken. Two float32 give a float32; a float and a Python
// number give a float64.
Value FastArithmetic(BinaryOp op, const Value& a, const Value& b) {
  const NpScalar* x = AsScalar(a);
  const NpScalar* y = AsScalar(b);
  if (x && y && x->dtype() == TSH_FLOAT && y->dtype() == TSH_FLOAT)
    return FloatArithmetic(op, TSH_FLOAT, x->get<float>(), y->get<float>());
  const auto floating = [](const NpScalar* s) {
    return s && (s->dtype() == TSH_DOUBLE || s->dtype() == TSH_FLOAT);
  };
  double p, q;
  if ((floating(x) || floating(y)) && AsDouble(a, &p) && AsDouble(b, &q))
    return FloatArithmetic(op, TSH_DOUBLE, p, q);
  return Value();
}

bool IsIntegerScalar(const Value& v) {
  const NpScalar* s = AsScalar(v);
  return s && np::Category(s->dtype()) == 1;
}

Value ScalarBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  if (const Value fast = FastArithmetic(op, a, b); !fast.is_null()) return fast;
  if (!IsOperand(a) || !IsOperand(b)) return Value::NotImplemented();
  const auto is_array = [](const Value& v) { return As<NdArray>(v) || Sequence(v); };
  if (op == BinaryOp::kMatMul && !is_array(a) && !is_array(b)) return Value::NotImplemented();
  // np.int64(2) * [1] repeats the list, as for an int.
  if (op == BinaryOp::kMul &&
      ((IsIntegerScalar(a) && Sequence(b)) || (IsIntegerScalar(b) && Sequence(a))))
    return Value::NotImplemented();
  return np::BinaryValues(op, a, b);
}

Value ScalarUnary(UnaryOp op, const Value& v) { return np::UnaryValues(op, v); }

Value ScalarIndex(const Value& v) {
  const Value i = ToPython(v);
  return i.is_bool() ? Value::Int(i.as_bool() ? 1 : 0) : i;
}

Value ScalarToInt(const Value& v) {
  const Value p = ToPython(v);
  // As in numpy, drops the imaginary part; numpy also prints a warning.
  if (As<ComplexObject>(p)) return Call(TypeValue(kIntType), {GetAttr(p, "real")});
  return Call(TypeValue(kIntType), {p});
}

Value ScalarToFloat(const Value& v) {
  const Value p = ToPython(v);
  if (As<ComplexObject>(p)) return GetAttr(p, "real");
  return Value::Float(ToDouble(p));
}

Value ScalarGetItem(const Value& v, const Value& key) {
  auto* tuple = As<TupleObject>(key);
  if (tuple && tuple->items.empty()) return v;
  if (tuple && std::all_of(tuple->items.begin(), tuple->items.end(),
                           [](const Value& i) { return i.is_none() || i.is_ellipsis(); }))
    return np::GetItem(Self(v).ToArray(), key);
  // None, ... and boolean masks index a scalar like a 0-d array.
  const NpScalar* mask = AsScalar(key);
  if (key.is_ellipsis() || key.is_none() || key.is_bool() || (mask && mask->dtype() == TSH_BOOL))
    return np::GetItem(Self(v).ToArray(), key);
  throw IndexError("invalid index to scalar variable.");
}

Value NotIterable(const Value& v) {
  throw TypeError("'" + TypeName(v) + "' object is not iterable");
}

uint64_t ScalarHash(const Value& v) { return Hash(ToPython(v)); }

Value ConstructScalar(Args& a) {
  const int dtype = *static_cast<const int*>(a.row().data);
  if (a[0].is_null()) return ArrayOrScalar(np::Zeros(dtype, {}));
  if (IsStr(a[0]) || !Sequence(a[0])) {
    const Array to = np::Empty(dtype, {});
    if (auto* array = As<NdArray>(a[0])) return ArrayOrScalar(np::Cast(array->array, dtype));
    if (NpScalar* s = AsScalar(a[0])) return ArrayOrScalar(np::Cast(s->ToArray(), dtype));
    if (dtype == TSH_BOOL) {
      const bool truth = Truth(a[0]);
      return MakeScalar(dtype, &truth);
    }
    np::StoreElement(to, 0, a[0]);
    return ArrayOrScalar(to);
  }
  return ArrayOrScalar(ToArray(a[0], dtype));
}

constexpr TypeInfo Abstract(const char* name, const TypeInfo* base) {
  TypeInfo t;
  t.name = name;
  t.base = base;
  t.module = "numpy";
  return t;
}

TypeInfo ScalarType(const char* name, const TypeInfo* base, const FunctionRow* construct) {
  TypeInfo t = Abstract(name, base);
  t.doc = "A scalar of numpy.";
  t.methods = np::kArrayMethods;
  t.properties = np::kArrayProperties;
  t.construct = construct;
  t.repr = t.str = ScalarText;
  t.format = ScalarFormat;
  t.truth = [](const Value& v) { return Truth(ToPython(v)); };
  t.hash = ScalarHash;
  t.compare = CompareScalars;
  t.binary = ScalarBinary;
  t.unary = ScalarUnary;
  t.iter = NotIterable;
  t.to_int = ScalarToInt;
  t.to_float = ScalarToFloat;
  t.getitem = ScalarGetItem;
  return t;
}

}  // namespace

const TypeInfo NpScalar::kType = Abstract("generic", nullptr);
namespace np {
const TypeInfo kNumberType = Abstract("number", &NpScalar::kType);
const TypeInfo kIntegerType = Abstract("integer", &kNumberType);
const TypeInfo kSignedType = Abstract("signedinteger", &kIntegerType);
const TypeInfo kUnsignedType = Abstract("unsignedinteger", &kIntegerType);
const TypeInfo kInexactType = Abstract("inexact", &kNumberType);
const TypeInfo kFloatingType = Abstract("floating", &kInexactType);
const TypeInfo kComplexFloatingType = Abstract("complexfloating", &kInexactType);
}  // namespace np

namespace {

constexpr int kCodes[] = {TSH_BOOL,  TSH_INT8,   TSH_INT16,     TSH_INT32,      TSH_INT64,
                          TSH_UINT8, TSH_UINT16, TSH_UINT32,    TSH_UINT64,     TSH_HALF,
                          TSH_FLOAT, TSH_DOUBLE, TSH_COMPLEX64, TSH_COMPLEX128, TSH_BFLOAT16};
constexpr size_t kCount = std::size(kCodes);

const TypeInfo* BaseOf(int dtype) {
  // float64 derives from Python's float, so that isinstance(x, float) is true.
  if (dtype == TSH_DOUBLE) return &kFloatType;
  switch (np::KindOf(dtype)) {
    case np::Kind::kUnsigned:
      return &np::kUnsignedType;
    case np::Kind::kSigned:
      return &np::kSignedType;
    case np::Kind::kFloat:
      return &np::kFloatingType;
    case np::Kind::kComplex:
      return &np::kComplexFloatingType;
    default:
      return &NpScalar::kType;
  }
}

// Made at the first use, so that start-up does no work.
struct ScalarTypes {
  FunctionRow constructs[kCount];
  TypeInfo types[kCount];
  ScalarTypes() {
    for (size_t i = 0; i < kCount; ++i) {
      const char* name = kCodes[i] == TSH_BOOL ? "bool_" : np::GetType(kCodes[i]).name;
      constructs[i] = {name, "x=..., /", ConstructScalar, "A number of this type.", &kCodes[i]};
      types[i] = ScalarType(name, BaseOf(kCodes[i]), &constructs[i]);
      if (np::Category(kCodes[i]) < 2) types[i].index = ScalarIndex;
      if (kCodes[i] == TSH_DOUBLE) AddVirtualBase(types[i], np::kFloatingType);
    }
  }
};

}  // namespace

const TypeInfo& ScalarTypeInfo(int dtype) {
  static const ScalarTypes types;
  for (size_t i = 0; i < kCount; ++i)
    if (kCodes[i] == dtype) return types.types[i];
  return NpScalar::kType;
}

NpScalar::NpScalar(int dtype, const void* element) : Object(ScalarTypeInfo(dtype)), dtype_(dtype) {
  // A handle (TSH_RESOURCE, TSH_VARIANT) has no bytes, and its `element` is null, which memcpy does not accept.
  if (np::HasBytes(dtype)) std::memcpy(bytes_, element, static_cast<size_t>(np::ItemSize(dtype)));
}

Array NpScalar::ToArray() const {
  Array a = np::Empty(dtype_, {});
  std::memcpy(a.buffer->data(), bytes_, static_cast<size_t>(np::ItemSize(dtype_)));
  return a;
}

NpScalar* AsScalar(const Value& v) {
  // The getitem slot identifies the type, because only scalar classes use it.
  if (!v.is_object() || v.object()->type().getitem != ScalarGetItem) return nullptr;
  return static_cast<NpScalar*>(v.object());
}

Value MakeScalar(int dtype, const void* element) { return New<NpScalar>(dtype, element); }

Value ArrayOrScalar(const Array& a) {
  return a.rank == 0 ? np::ScalarElement(a, a.offset) : MakeArray(a);
}

}  // namespace tensh::shell
