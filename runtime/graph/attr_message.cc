#include "runtime/graph/attr_message.h"

#include "runtime/core/tensor_message.h"
#include "runtime/core/wire.h"

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
};

Status Malformed() { return InvalidArgument("the message of the attribute cannot be read"); }

struct AddElement {
  WireWriter& out;
  void operator()(int64_t v) const { out.AlwaysInt(kInt, v); }
  void operator()(float v) const { out.AlwaysFloat(kFloat, v); }
  void operator()(bool v) const { out.AlwaysInt(kBool, v); }
  void operator()(DType v) const { out.AlwaysInt(kType, static_cast<int64_t>(v)); }
  void operator()(const std::string& v) const { out.AlwaysBytes(kString, v); }
  void operator()(const Shape& v) const { out.AlwaysBytes(kShape, EncodeShape(v)); }
  void operator()(const Tensor& v) const { out.AlwaysBytes(kTensor, EncodeTensor(v).Join()); }
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

// The elements of a list by kind; in a list that anyone meant all are of one.
struct Elements {
  AttrValue::Ints numbers;  // integers, booleans and types
  AttrValue::Floats floats;
  AttrValue::Strings strings;
  AttrValue::Shapes shapes;

  // False when a packed run is cut off.
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
      {AttrKind::kInt, kInt},   {AttrKind::kFloat, kFloat},   {AttrKind::kBool, kBool},
      {AttrKind::kType, kType}, {AttrKind::kString, kString}, {AttrKind::kShape, kShape}};
  for (const auto& [each, number] : kFields)
    if (each == kind) return number;
  return kInt;
}

Result<AttrValue> DecodeList(std::string_view message, const AttrDef* def) {
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
    } else {
      return Unimplemented("an attribute that is a list of tensors or functions");
    }
  }
  if (!in.ok()) return Malformed();
  return elements.OfKind(field == 0 && def ? FieldOf(def->kind) : field);
}

Result<AttrValue> DecodeField(const WireReader& in, const AttrDef* def) {
  switch (in.field()) {
    case kList:
      return DecodeList(in.bytes(), def);
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
    default:
      return Unimplemented("functions are not possible here");
  }
}

}  // namespace

std::string EncodeAttr(const AttrValue& value) {
  WireWriter out;
  std::visit(AddElement{out}, value.value);
  return out.Take();
}

Result<AttrValue> DecodeAttr(std::string_view message, const AttrDef* def) {
  AttrValue value;
  WireReader in(message);
  while (in.Next()) {
    TENSH_ASSIGN(value, DecodeField(in, def));
  }
  if (!in.ok()) return Malformed();
  return value;
}

}  // namespace tensh
