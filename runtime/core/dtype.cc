#include "runtime/core/dtype.h"

#include "runtime/core/quantized.h"
#include "runtime/core/resource.h"
#include "runtime/core/small_types.h"
#include "runtime/core/variant.h"

namespace tensh {
namespace {

struct Row {
  DType type;
  const char* name;
  const char* signature;
  const char* shorthand;
  int size;
};

constexpr Row kRows[] = {
    {DType::kFloat, "float32", "float", "f32", 4},
    {DType::kDouble, "float64", "double", "f64", 8},
    {DType::kInt32, "int32", "int32", "i32", 4},
    {DType::kUint8, "uint8", "uint8", "u8", 1},
    {DType::kInt16, "int16", "int16", "i16", 2},
    {DType::kInt8, "int8", "int8", "i8", 1},
    {DType::kString, "string", "string", "str", sizeof(std::string)},
    {DType::kComplex64, "complex64", "complex64", "c64", 8},
    {DType::kInt64, "int64", "int64", "i64", 8},
    {DType::kBool, "bool", "bool", "bool", 1},
    {kQint8, "qint8", "qint8", "qi8", 1},
    {kQuint8, "quint8", "quint8", "qu8", 1},
    {kQint32, "qint32", "qint32", "qi32", 4},
    {DType::kBfloat16, "bfloat16", "bfloat16", "bf16", 2},
    {kQint16, "qint16", "qint16", "qi16", 2},
    {kQuint16, "quint16", "quint16", "qu16", 2},
    {DType::kUint16, "uint16", "uint16", "u16", 2},
    {DType::kComplex128, "complex128", "complex128", "c128", 16},
    {DType::kHalf, "float16", "half", "f16", 2},
    {DType::kResource, "resource", "resource", "res", sizeof(ResourceHandle)},
    {DType::kVariant, "variant", "variant", "var", sizeof(Variant)},
    {DType::kUint32, "uint32", "uint32", "u32", 4},
    {DType::kUint64, "uint64", "uint64", "u64", 8},
    {kFloat8E5m2, "float8_e5m2", "float8_e5m2", "f8e5", 1},
    {kFloat8E4m3fn, "float8_e4m3fn", "float8_e4m3fn", "f8e4", 1},
    {kInt4, "int4", "int4", "i4", 1},
    {kUint4, "uint4", "uint4", "u4", 1},
};

const Row* FindRow(DType t) {
  for (const Row& row : kRows)
    if (row.type == t) return &row;
  return nullptr;
}

}  // namespace

int64_t SizeOf(DType t) {
  const Row* row = FindRow(BaseType(t));
  return row ? row->size : 0;
}

std::string Name(DType t) {
  const Row* row = FindRow(BaseType(t));
  std::string name = row ? row->name : "invalid";
  return IsRef(t) ? name + "_ref" : name;
}

std::string_view SignatureName(DType t) {
  const Row* row = FindRow(BaseType(t));
  return row ? row->signature : "invalid";
}

std::string_view ShortName(DType t) {
  const Row* row = FindRow(BaseType(t));
  return row ? row->shorthand : "?";
}

DType ParseDType(std::string_view text) {
  bool ref = text.size() > 4 && text.substr(text.size() - 4) == "_ref";
  if (ref) text.remove_suffix(4);
  for (const Row& row : kRows)
    if (text == row.name || text == row.signature || text == row.shorthand)
      return ref ? RefType(row.type) : row.type;
  return DType::kInvalid;
}

bool IsFloating(DType t) {
  t = BaseType(t);
  return t == DType::kFloat || t == DType::kDouble || t == DType::kHalf || t == DType::kBfloat16;
}

bool IsInteger(DType t) {
  switch (BaseType(t)) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUint8:
    case DType::kUint16:
    case DType::kUint32:
    case DType::kUint64:
      return true;
    default:
      return false;
  }
}

bool IsComplex(DType t) {
  t = BaseType(t);
  return t == DType::kComplex64 || t == DType::kComplex128;
}

bool IsPod(DType t) {
  t = BaseType(t);
  return t != DType::kString && t != DType::kResource && t != DType::kVariant &&
         t != DType::kInvalid;
}

}  // namespace tensh
