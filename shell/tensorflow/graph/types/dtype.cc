// tf.DType, and the values that convert to one.
#include <limits>
#include <unordered_map>

#include "shell/numpy/quantized.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/shape.h"

namespace tensh::shell::tf {
namespace {

int Self(const Value& v) { return As<DTypeObject>(v)->dtype; }

std::string DTypeRepr(const Value& v) { return "tf." + DTypeName(Self(v)); }
std::string DTypeStr(const Value& v) { return "<dtype: '" + DTypeName(Self(v)) + "'>"; }
uint64_t DTypeHash(const Value& v) { return static_cast<uint64_t>(Self(v)); }

Value DTypeCompare(CompareOp op, const Value& a, const Value& b) {
  if (op != CompareOp::kEq && op != CompareOp::kNe) return Value::NotImplemented();
  const bool same = !b.is_none() && FindDType(b) == Self(a);
  return Value::Bool(same == (op == CompareOp::kEq));
}

// A numpy scalar, as in np.finfo.
Value FloatLimit(int dtype, double max, bool largest) {
  return Call(NumpyDTypeValue(dtype), {Value::Float(largest ? max : -max)});
}

Value Limit(const Value& v, bool largest) {
  switch (Self(v)) {
    case TSH_FLOAT:
      return FloatLimit(Self(v), std::numeric_limits<float>::max(), largest);
    case TSH_DOUBLE:
      return FloatLimit(Self(v), std::numeric_limits<double>::max(), largest);
    case TSH_HALF:
      return FloatLimit(Self(v), 65504.0, largest);
    case TSH_BOOL:
      return Value::Bool(largest);
    case np::kFloat8E5m2:
      return FloatLimit(Self(v), 57344, largest);
    case np::kFloat8E4m3fn:
      return FloatLimit(Self(v), 448, largest);
    case np::kInt4:
      return Value::Int(largest ? 7 : -8);
    case np::kUint4:
      return Value::Int(largest ? 15 : 0);
    default:
      break;
  }
  if (!IsInteger(Self(v)) || Self(v) == TSH_UINT64) {
    throw TypeError(std::string("Cannot find ") + (largest ? "maximum" : "minimum") + " value of " +
                    DTypeStr(v) +
                    (np::IsQuantized(Self(v)) ? " with quantized type " + DTypeStr(v) : "") + ".");
  }
  const int bits = static_cast<int>(tsh_dtype_size(Self(v))) * 8;
  const bool is_unsigned = DTypeName(Self(v))[0] == 'u';
  if (is_unsigned) return Value::Int(largest ? (int64_t{1} << bits) - 1 : 0);
  const int64_t top = bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
  return Value::Int(largest ? top : -top - 1);
}

Value IsCompatible(Args& a) {
  return Value::Bool(BaseType(ToDType(a[0])) == BaseType(Self(a.self())));
}

const PropertyRow kProperties[] = {
    {"name", [](const Value& v) { return MakeStr(DTypeName(Self(v))); }},
    {"base_dtype", [](const Value& v) { return DTypeValue(BaseType(Self(v))); }},
    {"real_dtype",
     [](const Value& v) {
       const int d = BaseType(Self(v));
       return DTypeValue(d == TSH_COMPLEX64 ? TSH_FLOAT : d == TSH_COMPLEX128 ? TSH_DOUBLE : d);
     }},
    {"as_numpy_dtype", [](const Value& v) { return NumpyDTypeValue(BaseType(Self(v))); }},
    {"as_datatype_enum", [](const Value& v) { return Value::Int(Self(v)); }},
    {"is_floating",
     [](const Value& v) {
       return Value::Bool(IsFloating(BaseType(Self(v))) || np::IsFloat8(BaseType(Self(v))));
     }},
    {"is_integer",
     [](const Value& v) {
       return Value::Bool(IsInteger(BaseType(Self(v))) || BaseType(Self(v)) == np::kInt4 ||
                          BaseType(Self(v)) == np::kUint4);
     }},
    {"is_quantized",
     [](const Value& v) { return Value::Bool(np::IsQuantized(BaseType(Self(v)))); }},
    {"is_bool", [](const Value& v) { return Value::Bool(BaseType(Self(v)) == TSH_BOOL); }},
    {"is_complex",
     [](const Value& v) {
       const int d = BaseType(Self(v));
       return Value::Bool(d == TSH_COMPLEX64 || d == TSH_COMPLEX128);
     }},
    {"is_unsigned", [](const Value& v) { return Value::Bool(DTypeName(Self(v))[0] == 'u'); }},
    {"is_numpy_compatible", [](const Value& v) { return Value::Bool(Self(v) != TSH_RESOURCE); }},
    {"size",
     [](const Value& v) {
       return Value::Int(static_cast<int64_t>(tsh_dtype_size(BaseType(Self(v)))));
     }},
    {"max", [](const Value& v) { return Limit(v, true); }},
    {"min", [](const Value& v) { return Limit(v, false); }},
};
const FunctionRow kMethods[] = {{"is_compatible_with", "other", IsCompatible,
                                 "Returns true if the types are equal apart from references."}};
const FunctionRow kNew = {"DType", "type_enum", [](Args& a) { return DTypeValue(ToDType(a[0])); },
                          "An element type."};

// Returns true for the enum value of a dtype, which tf.as_dtype accepts.
bool IsDTypeNumber(int64_t n) {
  return n > 0 && n < 200 && tsh_dtype_name(static_cast<int>(n)) != nullptr &&
         tsh_dtype_parse(tsh_dtype_name(static_cast<int>(n))) == n;
}

int FromPythonType(const Value& v) {
  auto* type = As<Type>(v);
  if (!type) return 0;
  if (&type->info() == &kFloatType) return TSH_FLOAT;
  if (&type->info() == &kBoolType) return TSH_BOOL;
  if (&type->info() == &kIntType) return TSH_INT64;
  if (&type->info() == &StrObject::kType || &type->info() == &BytesObject::kType) return TSH_STRING;
  return 0;
}

int FromText(std::string_view text) {
  std::string name(text);
  if (name == "str" || name == "object") return TSH_STRING;
  return tsh_dtype_parse(name.c_str());
}

}  // namespace

const TypeInfo DTypeObject::kType = {.name = "DType",
                                     .module = "tensorflow.python.framework.dtypes",
                                     .methods = kMethods,
                                     .properties = kProperties,
                                     .construct = &kNew,
                                     .repr = DTypeRepr,
                                     .str = DTypeStr,
                                     .hash = DTypeHash,
                                     .compare = DTypeCompare};

Value DTypeValue(int dtype) {
  static auto* made = new std::unordered_map<int, Value>();  // lives for the process
  Value& slot = (*made)[dtype];
  if (slot.is_null()) slot = New<DTypeObject>(dtype);
  return slot;
}

int FindDType(const Value& v) {
  if (auto* d = As<DTypeObject>(v)) return d->dtype;
  if (v.is_int() && !v.is_bool())
    return IsDTypeNumber(v.as_int()) ? static_cast<int>(v.as_int()) : 0;
  if (IsStr(v)) return FromText(StrView(v));
  if (int dtype = FromPythonType(v)) return dtype;
  return v.is_object() ? NumpyDType(v) : 0;
}

int ToDType(const Value& v, int fallback) {
  if (v.is_none() || v.is_null()) {
    if (fallback) return fallback;
    throw TypeError("Cannot convert value None to a TensorFlow DType.");
  }
  const int dtype = FindDType(v);
  if (dtype) return dtype;
  throw TypeError("Cannot convert value " + Repr(v) + " to a TensorFlow DType.")
      .Hint("Element types are tf.float32, tf.int32, tf.string, …");
}

}  // namespace tensh::shell::tf
