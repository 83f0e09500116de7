#include "shell/numpy/dtype_value.h"

#include <algorithm>

#include "shell/numpy/convert.h"
#include "shell/numpy/ndarray.h"
#include "shell/numpy/types.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

const DTypeObject& Self(const Value& v) { return *static_cast<DTypeObject*>(v.object()); }
const np::TypeRow& RowOf(const Value& v) { return np::GetType(Self(v).dtype); }

// Returns the text of str(): "<U5", "|S3", "float32".
std::string NameText(const Value& v) {
  const DTypeObject& d = Self(v);
  if (d.dtype == kDTypeUnicode) return "<U" + std::to_string(d.width);
  if (d.dtype == kDTypeBytes) return "|S" + std::to_string(d.width);
  if (d.width == kBigEndian) return ">" + std::string(RowOf(v).code).substr(1);
  return RowOf(v).name;
}

std::string DTypeRepr(const Value& v) {
  const DTypeObject& d = Self(v);
  std::string text = NameText(v);
  if (d.dtype == kDTypeBytes) text = text.substr(1);
  if (np::KindOf(d.dtype) == np::Kind::kObject) text = "O";
  return "dtype('" + text + "')";
}

int64_t ItemBytes(const DTypeObject& d) {
  if (d.dtype == kDTypeUnicode) return 4 * d.width;
  if (d.dtype == kDTypeBytes) return d.width;
  return np::HasBytes(d.dtype) ? np::ItemSize(d.dtype) : 8;
}

Value GetName(const Value& v) {
  const DTypeObject& d = Self(v);
  std::string text = RowOf(v).name;
  if (np::KindOf(d.dtype) == np::Kind::kText) text += std::to_string(8 * ItemBytes(d));
  return MakeStr(std::move(text));
}

Value GetStr(const Value& v) {
  const DTypeObject& d = Self(v);
  const bool plain = np::KindOf(d.dtype) != np::Kind::kText && d.width != kBigEndian;
  return MakeStr(plain ? std::string(RowOf(v).code) : NameText(v));
}

Value GetKind(const Value& v) {
  static constexpr const char* kLetters[] = {"b", "u", "i", "f", "c", "", "O"};
  const np::Kind kind = np::KindOf(Self(v).dtype);
  if (kind == np::Kind::kText) return MakeStr(Self(v).dtype == kDTypeUnicode ? "U" : "S");
  return MakeStr(kLetters[static_cast<size_t>(kind)]);
}

Value GetTypeClass(const Value& v) {
  const int dtype = Self(v).dtype;
  if (dtype == kDTypeUnicode) return TypeValue(StrObject::kType);
  if (dtype == kDTypeBytes) return TypeValue(BytesObject::kType);
  if (!np::HasBytes(dtype)) return TypeValue(kObjectType);
  return TypeValue(ScalarTypeInfo(dtype));
}

Value CompareDTypes(CompareOp op, const Value& a, const Value& b) {
  const int other = b.is_none() ? static_cast<int>(TSH_DOUBLE) : DTypeOf(b);
  if (!other || (op != CompareOp::kEq && op != CompareOp::kNe)) return Value::NotImplemented();
  const auto plain = [](int dtype) { return dtype == TSH_STRING ? +kDTypeObject : dtype; };
  bool same = plain(Self(a).dtype) == plain(other);
  if (auto* d = As<DTypeObject>(b))
    same &= d->width == Self(a).width;
  else
    same &= Self(a).width != kBigEndian;
  return Value::Bool(same == (op == CompareOp::kEq));
}

uint64_t HashDType(const Value& v) {
  return static_cast<uint64_t>(Self(v).dtype * 1000003) + static_cast<uint64_t>(Self(v).width);
}

constexpr PropertyRow kProperties[] = {
    {"name", GetName, nullptr, "The name of the type."},
    {"str", GetStr, nullptr, "The code in files: '<f4'."},
    {"kind", GetKind, nullptr, "One letter: b i u f c S U O."},
    {"char", [](const Value& v) { return MakeStr(std::string(1, RowOf(v).letter)); }},
    {"type", GetTypeClass, nullptr, "The class of its scalars."},
    {"itemsize", [](const Value& v) { return Value::Int(ItemBytes(Self(v))); }},
    {"byteorder",
     [](const Value& v) {
       return MakeStr(Self(v).width == kBigEndian ? ">" : ItemBytes(Self(v)) > 1 ? "=" : "|");
     }},
    {"isnative", [](const Value& v) { return Value::Bool(Self(v).width != kBigEndian); }},
    {"shape", [](const Value&) { return MakeTuple(); }},
    {"ndim", [](const Value&) { return Value::Int(0); }},
    {"num", [](const Value& v) { return Value::Int(Self(v).dtype); }},
    {"fields", [](const Value&) { return Value::None(); }},
    {"names", [](const Value&) { return Value::None(); }},
};

// Returns the dtype with this byte order: '>', '<', '=' or 'S' for the other one.
Value WithOrder(const Value& dtype, char order) {
  const DTypeObject& d = Self(dtype);
  const bool number = np::HasBytes(d.dtype) && np::ItemSize(d.dtype) > 1;
  const bool big = order == '>' || order == 'B' || (order == 'S' && d.width != kBigEndian);
  return number ? DTypeValueOf(d.dtype, big ? kBigEndian : 0) : dtype;
}

Value NewByteOrder(Args& a) {
  const std::string order = ToText(a[0], "new_order");
  if (order.empty() || std::string_view("<>=SLBNI|").find(order[0]) == std::string_view::npos)
    throw ValueError(Repr(a[0]) + " is an unrecognized byteorder. Use one of: '<', '>', '=', 'S'");
  return order[0] == 'I' || order[0] == '|' ? a.self() : WithOrder(a.self(), order[0]);
}
constexpr FunctionRow kMethods[] = {
    {"newbyteorder", "new_order='S', /", NewByteOrder, "Return the type with another byte order."}};

Value Construct(Args& a) {
  if (a[0].is_none()) return DTypeValue(TSH_DOUBLE);
  if (IsStr(a[0]) && StrView(a[0]).starts_with('>'))
    if (const int dtype = np::TypeByName(StrView(a[0]).substr(1)))
      return WithOrder(DTypeValue(dtype), '>');
  if (As<DTypeObject>(a[0])) return a[0];
  if (const int dtype = DTypeOf(a[0])) return DTypeValue(dtype);
  if (const int dtype = np::DefaultDType(a[0])) return DTypeValue(dtype);
  if (IsStr(a[0])) throw TypeError("data type " + Repr(a[0]) + " not understood");
  throw TypeError("Cannot interpret " + Repr(a[0]) + " as a data type");
}
constexpr FunctionRow kConstruct = {"dtype", "dtype, align=False, copy=False", Construct,
                                    "The type of an array's elements."};

struct PythonType {
  const TypeInfo* type;
  int dtype;
};

int DTypeOfClass(const TypeInfo& type) {
  const PythonType rows[] = {{&kFloatType, TSH_DOUBLE},
                             {&kIntType, TSH_INT64},
                             {&kBoolType, TSH_BOOL},
                             {&ComplexObject::kType, TSH_COMPLEX128},
                             {&StrObject::kType, kDTypeUnicode},
                             {&BytesObject::kType, kDTypeBytes},
                             {&kObjectType, kDTypeObject}};
  for (const PythonType& row : rows)
    if (row.type == &type) return row.dtype;
  for (int dtype = 1; dtype < TSH_UINT64 + 1; ++dtype)
    if (np::HasBytes(dtype) && &ScalarTypeInfo(dtype) == &type) return dtype;
  return 0;
}

}  // namespace

const TypeInfo DTypeObject::kType = {
    .name = "dtype",
    .module = "numpy",
    .doc = "The type of an array's elements.",
    .methods = kMethods,
    .properties = kProperties,
    .construct = &kConstruct,
    .repr = DTypeRepr,
    .str = NameText,
    .hash = HashDType,
    .compare = CompareDTypes,
};

Value DTypeValueOf(int dtype, int64_t width) { return New<DTypeObject>(dtype, width); }
Value DTypeValue(int dtype) { return DTypeValueOf(dtype, 0); }

int DTypeOf(const Value& v) {
  if (v.is_null() || v.is_none()) return 0;
  if (auto* d = As<DTypeObject>(v)) return d->dtype;
  if (auto* t = As<Type>(v)) return DTypeOfClass(t->info());
  if (IsStr(v)) return np::TypeByName(StrView(v));
  if (!v.is_object()) return 0;
  // A TensorFlow dtype gives numpy's class by this attribute.
  const Value other = FindAttr(v, Intern("as_numpy_dtype"));
  return other.is_null() || other.Is(v) ? 0 : DTypeOf(other);
}

namespace np {

int DefaultDType(const Value& v) {
  constexpr std::pair<const TypeInfo*, int> kRows[] = {
      {&kFloatingType, TSH_DOUBLE}, {&kInexactType, TSH_DOUBLE},
      {&kIntegerType, TSH_INT64},   {&kSignedType, TSH_INT64},
      {&kUnsignedType, TSH_UINT64}, {&kComplexFloatingType, TSH_COMPLEX128}};
  const auto* type = As<Type>(v);
  for (const auto& [abstract, dtype] : kRows)
    if (type != nullptr && &type->info() == abstract) return dtype;
  return 0;
}

bool TakeByteOrder(Value* dtype) {
  if (IsStr(*dtype) && StrView(*dtype).starts_with('>'))
    *dtype = Call(TypeValue(DTypeObject::kType), {*dtype});
  const auto* d = As<DTypeObject>(*dtype);
  if (d == nullptr || d->width != kBigEndian) return false;
  *dtype = DTypeValue(d->dtype);
  return true;
}

void SwapBytes(const Array& a) {
  const auto size = static_cast<size_t>(ItemSize(a.dtype));
  const size_t part = KindOf(a.dtype) == Kind::kComplex ? size / 2 : size;
  auto* bytes = static_cast<char*>(a.WritableData());
  for (size_t i = 0; i < static_cast<size_t>(a.size()) * size; i += part)
    std::reverse(bytes + i, bytes + i + part);
}

Value ArrayDType(const Array& a) {
  const std::string name = DTypeReprName(a);
  const size_t digits = name.find_first_of("0123456789");
  const bool text = a.dtype == kDTypeUnicode || a.dtype == kDTypeBytes;
  return DTypeValueOf(a.dtype, text ? std::stoll(name.substr(digits)) : 0);
}

}  // namespace np
}  // namespace tensh::shell
