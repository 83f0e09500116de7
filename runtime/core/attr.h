#pragma once
// Attribute values of a node, and read access to a set of them. They are immutable once the node
// was appended.
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh {

struct NamedAttr;

// A function given by its name, with values for its own attributes.
struct FuncAttr {
  std::string name;
  std::shared_ptr<const std::vector<NamedAttr>> attrs = nullptr;  // Null if there are none.
};

// The value of one attribute. A default-constructed one holds no value.
struct AttrValue {
  using Ints = std::vector<int64_t>;
  using Floats = std::vector<float>;
  using Bools = std::vector<bool>;
  using Types = std::vector<DType>;
  using Strings = std::vector<std::string>;
  using Shapes = std::vector<Shape>;
  using Funcs = std::vector<FuncAttr>;
  std::variant<std::monostate, int64_t, float, bool, DType, std::string, Shape, Tensor, Ints,
               Floats, Bools, Types, Strings, Shapes, FuncAttr, Funcs>
      value;

  AttrValue() = default;
  template <class T>
  AttrValue(T v) : value(std::move(v)) {}              // NOLINT: implicit on purpose
  AttrValue(int v) : value(int64_t{v}) {}              // NOLINT
  AttrValue(const char* v) : value(std::string(v)) {}  // NOLINT
  // Returns the value if it has type T; otherwise null.
  template <class T>
  const T* Find() const {
    return std::get_if<T>(&value);
  }
  // Returns the type as a signature spells it: "int", "list(type)".
  std::string_view TypeName() const;
  // Returns the value as in TensorFlow's list of ops: 3, DT_FLOAT, [1, 2], "text", true.
  std::string ToString() const;
};

struct NamedAttr {
  std::string name;
  AttrValue value;
};

// A view of a node's attributes, including defaults. The owner of the node keeps them alive. The
// getters must only be used for attributes that the op's signature declares with that type, so that
// they cannot fail.
class Attrs {
 public:
  Attrs() = default;
  explicit Attrs(const std::vector<NamedAttr>& attrs) : attrs_(&attrs) {}
  const AttrValue* Find(std::string_view name) const {
    if (attrs_)
      for (const NamedAttr& a : *attrs_)
        if (a.name == name) return &a.value;
    return nullptr;
  }
  template <class T>
  const T& Get(std::string_view name) const {
    const AttrValue* a = Find(name);
    const T* v = a ? a->Find<T>() : nullptr;
    TENSH_CHECK(v, "attribute ", name);
    return *v;
  }
  int64_t Int(std::string_view name) const { return Get<int64_t>(name); }
  float Float(std::string_view name) const { return Get<float>(name); }
  bool Bool(std::string_view name) const { return Get<bool>(name); }
  DType Type(std::string_view name) const { return Get<DType>(name); }
  const std::string& String(std::string_view name) const { return Get<std::string>(name); }
  const FuncAttr& Func(std::string_view name) const { return Get<FuncAttr>(name); }
  const std::vector<NamedAttr>& all() const;

 private:
  const std::vector<NamedAttr>* attrs_ = nullptr;
};

}  // namespace tensh
