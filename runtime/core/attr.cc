#include "runtime/core/attr.h"

namespace tensh {
namespace {

constexpr std::string_view kTypeNames[] = {
    "none",         "int",         "float",     "bool",        "type",       "string",
    "shape",        "tensor",      "list(int)", "list(float)", "list(bool)", "list(type)",
    "list(string)", "list(shape)", "func",      "list(func)"};

std::string Text(int64_t v) { return std::to_string(v); }
std::string Text(float v) { return StrCat(v); }
std::string Text(bool v) { return v ? "true" : "false"; }
std::string Text(DType v) {
  std::string name = "DT_";
  for (char c : SignatureName(v)) name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return IsRef(v) ? name + "_REF" : name;
}
std::string Text(const std::string& v) { return "\"" + v + "\""; }
std::string Text(const Shape& v) { return v.ToString(); }
std::string Text(const Tensor& v) {
  return StrCat("Tensor<type: ", SignatureName(v.dtype()), " shape: ", v.shape(), ">");
}
std::string Text(std::monostate) { return "none"; }
// Returns text such as body[T=DT_FLOAT].
std::string Text(const FuncAttr& v) {
  if (!v.attrs || v.attrs->empty()) return v.name;
  std::string text = v.name;
  for (const NamedAttr& a : *v.attrs)
    text += (&a == v.attrs->data() ? "[" : ", ") + a.name + "=" + a.value.ToString();
  return text + "]";
}
template <class T>
std::string Text(const std::vector<T>& list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i) text += ", ";
    text += Text(static_cast<const T&>(list[i]));
  }
  return text + "]";
}

}  // namespace

AttrValue::AttrValue() = default;
AttrValue::AttrValue(int v) : value(int64_t{v}) {}
AttrValue::AttrValue(const char* v) : value(std::string(v)) {}
AttrValue::AttrValue(int64_t v) : value(v) {}
AttrValue::AttrValue(float v) : value(v) {}
AttrValue::AttrValue(bool v) : value(v) {}
AttrValue::AttrValue(DType v) : value(v) {}
AttrValue::AttrValue(std::string v) : value(std::move(v)) {}
AttrValue::AttrValue(Shape v) : value(std::move(v)) {}
AttrValue::AttrValue(Tensor v) : value(std::move(v)) {}
AttrValue::AttrValue(Ints v) : value(std::move(v)) {}
AttrValue::AttrValue(Floats v) : value(std::move(v)) {}
AttrValue::AttrValue(Bools v) : value(std::move(v)) {}
AttrValue::AttrValue(Types v) : value(std::move(v)) {}
AttrValue::AttrValue(Strings v) : value(std::move(v)) {}
AttrValue::AttrValue(Shapes v) : value(std::move(v)) {}
AttrValue::AttrValue(FuncAttr v) : value(std::move(v)) {}
AttrValue::AttrValue(Funcs v) : value(std::move(v)) {}
AttrValue::AttrValue(const AttrValue& other) = default;
AttrValue::AttrValue(AttrValue&& other) noexcept = default;
AttrValue& AttrValue::operator=(const AttrValue& other) = default;
AttrValue& AttrValue::operator=(AttrValue&& other) noexcept = default;
AttrValue::~AttrValue() = default;

NamedAttr::NamedAttr() = default;
NamedAttr::NamedAttr(std::string_view attr_name, AttrValue attr_value)
    : name(attr_name), value(std::move(attr_value)) {}
NamedAttr::NamedAttr(const NamedAttr& other) = default;
NamedAttr::NamedAttr(NamedAttr&& other) noexcept = default;
NamedAttr& NamedAttr::operator=(const NamedAttr& other) = default;
NamedAttr& NamedAttr::operator=(NamedAttr&& other) noexcept = default;
NamedAttr::~NamedAttr() = default;

std::string_view AttrValue::TypeName() const { return kTypeNames[value.index()]; }

std::string AttrValue::ToString() const {
  return std::visit([](const auto& v) { return Text(v); }, value);
}

const AttrValue* Attrs::Find(std::string_view name) const {
  if (attrs_)
    for (const NamedAttr& a : *attrs_)
      if (a.name == name) return &a.value;
  return nullptr;
}

void Attrs::Missing(std::string_view name) {
  TENSH_CHECK(false, "attribute ", name);
  std::abort();
}

int64_t Attrs::Int(std::string_view name) const { return Get<int64_t>(name); }
float Attrs::Float(std::string_view name) const { return Get<float>(name); }
bool Attrs::Bool(std::string_view name) const { return Get<bool>(name); }
DType Attrs::Type(std::string_view name) const { return Get<DType>(name); }
const std::string& Attrs::String(std::string_view name) const { return Get<std::string>(name); }
const FuncAttr& Attrs::Func(std::string_view name) const { return Get<FuncAttr>(name); }

const std::vector<NamedAttr>& Attrs::all() const {
  static const std::vector<NamedAttr> none;
  return attrs_ ? *attrs_ : none;
}

std::string InContainer(const Attrs& attrs, const std::string& name) {
  const std::string& container = attrs.String("container");
  return container.empty() ? name : StrCat(container, "/", name);
}

}  // namespace tensh
