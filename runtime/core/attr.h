#pragma once
// Attribute values of a node, and read access to a set of them. They are immutable after the node
// is appended.
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

  // These are functions, not templates, because the code that the variant needs would otherwise be
  // compiled in every file that builds a graph. The implicit conversions are intended.
  AttrValue();
  AttrValue(int64_t v);      // NOLINT
  AttrValue(int v);          // NOLINT
  AttrValue(float v);        // NOLINT
  AttrValue(bool v);         // NOLINT
  AttrValue(DType v);        // NOLINT
  AttrValue(const char* v);  // NOLINT
  AttrValue(std::string v);  // NOLINT
  AttrValue(Shape v);        // NOLINT
  AttrValue(Tensor v);       // NOLINT
  AttrValue(Ints v);         // NOLINT
  AttrValue(Floats v);       // NOLINT
  AttrValue(Bools v);        // NOLINT
  AttrValue(Types v);        // NOLINT
  AttrValue(Strings v);      // NOLINT
  AttrValue(Shapes v);       // NOLINT
  AttrValue(FuncAttr v);     // NOLINT
  AttrValue(Funcs v);        // NOLINT
  AttrValue(const AttrValue& other);
  AttrValue(AttrValue&& other) noexcept;
  AttrValue& operator=(const AttrValue& other);
  AttrValue& operator=(AttrValue&& other) noexcept;
  ~AttrValue();

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
  NamedAttr();
  NamedAttr(std::string_view name, AttrValue value);
  NamedAttr(const NamedAttr& other);
  NamedAttr(NamedAttr&& other) noexcept;
  NamedAttr& operator=(const NamedAttr& other);
  NamedAttr& operator=(NamedAttr&& other) noexcept;
  ~NamedAttr();

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
  const AttrValue* Find(std::string_view name) const;
  template <class T>
  const T& Get(std::string_view name) const {
    const AttrValue* a = Find(name);
    const T* v = a ? a->Find<T>() : nullptr;
    if (!v) Missing(name);
    return *v;
  }
  int64_t Int(std::string_view name) const;
  float Float(std::string_view name) const;
  bool Bool(std::string_view name) const;
  DType Type(std::string_view name) const;
  const std::string& String(std::string_view name) const;
  const FuncAttr& Func(std::string_view name) const;
  const std::vector<NamedAttr>& all() const;

 private:
  [[noreturn]] static void Missing(std::string_view name);

  const std::vector<NamedAttr>* attrs_ = nullptr;
};

// Returns the name under which a session keeps a resource of the node: "container/name" with the
// node's attribute `container`, or the name if that is empty.
std::string InContainer(const Attrs& attrs, const std::string& name);

}  // namespace tensh
