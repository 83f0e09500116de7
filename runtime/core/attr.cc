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

std::string_view AttrValue::TypeName() const { return kTypeNames[value.index()]; }

std::string AttrValue::ToString() const {
  return std::visit([](const auto& v) { return Text(v); }, value);
}

const std::vector<NamedAttr>& Attrs::all() const {
  static const std::vector<NamedAttr> kNone;
  return attrs_ ? *attrs_ : kNone;
}

}  // namespace tensh
