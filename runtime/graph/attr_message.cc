#include "runtime/graph/attr_message.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/wire.h"
#include "runtime/core/tensor_message.h"

namespace tensh {
namespace {

// Field numbers of AttrValue; those of its ListValue are the same.
enum Field {
  kList = 1,
  kString = 2,
  kInt = 3,
  kFloat = 4,
  kBool = 5,
  kType = 6,
  kShape = 7,
  kTensor = 8,
  kFunc = 10,
  // Not in a ListValue, in which functions have the number 9.
  kPlaceholder = 9,
};
constexpr int kListFunc = 9;
constexpr int kMostNesting = 100;  // Limits the nesting of functions' attributes.

Status Malformed() { return InvalidArgument("the message of the attribute cannot be read"); }

std::string EncodeFunc(const FuncAttr& func) {
  WireWriter out;
  out.Bytes(1, func.name);
  for (const NamedAttr& attr : func.attrs ? *func.attrs : std::vector<NamedAttr>()) {
    WireWriter entry;
    entry.Bytes(1, attr.name);
    entry.AlwaysBytes(2, EncodeAttr(attr.value));
    out.AlwaysBytes(2, entry.text());
  }
  return out.Take();
}

struct AddElement {
  WireWriter& out;
  void operator()(int64_t v) const { out.AlwaysInt(kInt, v); }
  void operator()(float v) const { out.AlwaysFloat(kFloat, v); }
  void operator()(bool v) const { out.AlwaysInt(kBool, v); }
  void operator()(DType v) const { out.AlwaysInt(kType, static_cast<int64_t>(v)); }
  void operator()(const std::string& v) const { out.AlwaysBytes(kString, v); }
  void operator()(const Shape& v) const { out.AlwaysBytes(kShape, EncodeShape(v)); }
  void operator()(const Tensor& v) const { out.AlwaysBytes(kTensor, EncodeTensor(v).Join()); }
  void operator()(const FuncAttr& v) const { out.AlwaysBytes(kFunc, EncodeFunc(v)); }
  void operator()(const AttrValue::Funcs& list) const {
    WireWriter items;
    for (const FuncAttr& v : list) items.AlwaysBytes(kListFunc, EncodeFunc(v));
    out.AlwaysBytes(kList, items.text());
  }
  void operator()(std::monostate) const {}
  template <class T>
  void operator()(const std::vector<T>& list) const {
    WireWriter items;
    for (size_t i = 0; i < list.size(); ++i) AddElement{items}(T(list[i]));
    out.AlwaysBytes(kList, items.text());
  }
};

Result<DType> TypeOf(int64_t number) {
  if (number > 0 && number < 256) return static_cast<DType>(number);
  return InvalidArgument("there is no data type ", number);
}

// The elements of a list by kind. In a valid list, all are of one kind.
struct Elements {
  AttrValue::Ints numbers;  // Integers, booleans and types.
  AttrValue::Floats floats;
  AttrValue::Strings strings;
  AttrValue::Shapes shapes;
  AttrValue::Funcs funcs;

  // Returns false if a packed run is truncated.
  bool AddNumbers(const WireReader& in) {
    if (!in.is_bytes()) {
      numbers.push_back(in.integer());
      return true;
    }
    std::string_view packed = in.bytes();
    for (uint64_t v; !packed.empty(); numbers.push_back(static_cast<int64_t>(v)))
      if (!TakeVarint(packed, v)) return false;
    return true;
  }

  bool AddFloats(const WireReader& in) {
    if (!in.is_bytes()) {
      floats.push_back(in.as_float());
      return true;
    }
    std::string_view packed = in.bytes();
    for (; packed.size() >= 4; packed.remove_prefix(4)) {
      const uint32_t bits = LoadFixed32(packed.data());
      memcpy(&floats.emplace_back(), &bits, sizeof bits);
    }
    return packed.empty();
  }

  Result<AttrValue> OfKind(int field) {
    if (field == kFloat) return AttrValue(std::move(floats));
    if (field == kString) return AttrValue(std::move(strings));
    if (field == kShape) return AttrValue(std::move(shapes));
    if (field == kListFunc) return AttrValue(std::move(funcs));
    if (field == kBool) return AttrValue(AttrValue::Bools(numbers.begin(), numbers.end()));
    if (field != kType) return AttrValue(std::move(numbers));
    AttrValue::Types types;
    for (int64_t v : numbers) {
      TENSH_ASSIGN(const DType type, TypeOf(v));
      types.push_back(type);
    }
    return AttrValue(std::move(types));
  }
};

int FieldOf(AttrKind kind) {
  static constexpr std::pair<AttrKind, int> kFields[] = {
      {AttrKind::kInt, kInt},      {AttrKind::kFloat, kFloat},   {AttrKind::kBool, kBool},
      {AttrKind::kType, kType},    {AttrKind::kString, kString}, {AttrKind::kShape, kShape},
      {AttrKind::kFunc, kListFunc}};
  for (const auto& [each, number] : kFields)
    if (each == kind) return number;
  return kInt;
}

struct Context {
  const std::vector<NamedAttr>* params;
  int nesting;
};
Result<AttrValue> Decode(std::string_view message, const AttrDef* def, const Context& context);

Result<FuncAttr> DecodeFunc(std::string_view message, const Context& context) {
  if (context.nesting > kMostNesting) return InvalidArgument("functions nested too deep");
  FuncAttr func;
  std::vector<NamedAttr> attrs;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 1) func.name = in.text();
    if (in.field() != 2) continue;
    NamedAttr attr;
    std::string_view value;
    WireReader entry(in.bytes());
    while (entry.Next()) {
      if (entry.field() == 1) attr.name = entry.text();
      if (entry.field() == 2) value = entry.bytes();
    }
    if (!entry.ok()) return Malformed();
    TENSH_ASSIGN(attr.value, Decode(value, nullptr, {context.params, context.nesting + 1}));
    attrs.push_back(std::move(attr));
  }
  if (!in.ok() || func.name.empty()) return Malformed();
  std::sort(attrs.begin(), attrs.end(),
            [](const NamedAttr& a, const NamedAttr& b) { return a.name < b.name; });
  if (!attrs.empty()) func.attrs = std::make_shared<const std::vector<NamedAttr>>(std::move(attrs));
  return func;
}

Result<AttrValue> DecodeList(std::string_view message, const AttrDef* def, const Context& context) {
  Elements elements;
  int field = 0;
  WireReader in(message);
  while (in.Next()) {
    if (field && in.field() != field) return Malformed();
    field = in.field();
    if (field == kString) {
      elements.strings.push_back(in.text());
    } else if (field == kShape) {
      TENSH_ASSIGN(Shape shape, DecodeShape(in.bytes()));
      elements.shapes.push_back(shape);
    } else if (field == kFloat) {
      if (!elements.AddFloats(in)) return Malformed();
    } else if (field == kInt || field == kBool || field == kType) {
      if (!elements.AddNumbers(in)) return Malformed();
    } else if (field == kListFunc) {
      TENSH_ASSIGN(FuncAttr func, DecodeFunc(in.bytes(), context));
      elements.funcs.push_back(std::move(func));
    } else {
      return Unimplemented("an attribute that is a list of tensors");
    }
  }
  if (!in.ok()) return Malformed();
  return elements.OfKind(field == 0 && def ? FieldOf(def->kind) : field);
}

Result<AttrValue> DecodeField(const WireReader& in, const AttrDef* def, const Context& context) {
  switch (in.field()) {
    case kList:
      return DecodeList(in.bytes(), def, context);
    case kString:
      return AttrValue(in.text());
    case kInt:
      return AttrValue(in.integer());
    case kFloat:
      return AttrValue(in.as_float());
    case kBool:
      return AttrValue(in.varint() != 0);
    case kType: {
      TENSH_ASSIGN(const DType type, TypeOf(in.integer()));
      return AttrValue(type);
    }
    case kShape: {
      TENSH_ASSIGN(Shape shape, DecodeShape(in.bytes()));
      return AttrValue(shape);
    }
    case kTensor: {
      TENSH_ASSIGN(Tensor tensor, DecodeTensor(in.bytes()));
      return AttrValue(std::move(tensor));
    }
    case kFunc: {
      TENSH_ASSIGN(FuncAttr func, DecodeFunc(in.bytes(), context));
      return AttrValue(std::move(func));
    }
    case kPlaceholder: {
      const AttrValue* value = context.params ? Attrs(*context.params).Find(in.bytes()) : nullptr;
      if (value) return *value;
      return InvalidArgument("there is no value for its placeholder ", in.bytes());
    }
    default:
      return Malformed();
  }
}

Result<AttrValue> Decode(std::string_view message, const AttrDef* def, const Context& context) {
  AttrValue value;
  WireReader in(message);
  while (in.Next()) {
    TENSH_ASSIGN(value, DecodeField(in, def, context));
  }
  if (!in.ok()) return Malformed();
  return value;
}

struct Nothing {
  bool operator()(std::monostate) const { return true; }
  bool operator()(int64_t v) const { return v == 0 || v == -1; }
  bool operator()(float v) const { return v == 0; }
  bool operator()(bool v) const { return !v; }
  bool operator()(const std::string& v) const { return v.empty(); }
  template <class T>
  bool operator()(const T&) const {
    return false;
  }
  template <class T>
  bool operator()(const std::vector<T>& list) const {
    return list.empty();
  }
};

}  // namespace

std::string EncodeAttr(const AttrValue& value) {
  WireWriter out;
  std::visit(AddElement{out}, value.value);
  return out.Take();
}

Result<AttrValue> DecodeAttr(std::string_view message, const AttrDef* def,
                             const std::vector<NamedAttr>* params) {
  return Decode(message, def, {params, 0});
}

bool SaysNothing(const AttrValue& value) { return std::visit(Nothing{}, value.value); }

}  // namespace tensh
