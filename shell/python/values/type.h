// TypeInfo is a constant table of slots that defines the behavior of a type. Type is its class
// object.
//
// To add a type:
//   class Shape : public Object {
//    public:
//     static const TypeInfo kType;
//     explicit Shape(std::vector<int64_t> dims) : Object(kType), dims(std::move(dims)) {}
//     std::vector<int64_t> dims;
//   };
//   const FunctionRow kShapeMethods[] = {{"as_list", "", ShapeAsList, "The sizes as a list."}};
//   const PropertyRow kShapeProperties[] = {{"ndims", ShapeNdims}};
//   const TypeInfo Shape::kType = {
//       .name = "TensorShape", .module = "tensorflow", .methods = kShapeMethods,
//       .properties = kShapeProperties, .repr = ShapeRepr, .len = ShapeLen};
// A slot that is left out is inherited from `base`; if no base has it, the operation raises
// Python's TypeError. Make a value with New<Shape>(dims) and recognize it with As<Shape>(v). Expose
// the class by name with TypeValue(Shape::kType).
//
// Rows are read when an attribute of the type is first used, so that a table costs nothing at
// start-up. Type objects of tables live as long as the process. Only the thread that holds the
// interpreter's lock may use them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/python/values/dict.h"
#include "shell/python/values/native.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

class Type;
class StrObject;

enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kMatMul,
  kTrueDiv,
  kFloorDiv,
  kMod,
  kPow,
  kLShift,
  kRShift,
  kAnd,
  kXor,
  kOr,
};
enum class UnaryOp : uint8_t { kNeg, kPos, kInvert, kAbs };
enum class CompareOp : uint8_t { kLt, kLe, kEq, kNe, kGt, kGe };

// The names of an operator: {symbol, method, reflected, in-place}, as in {"+", "__add__",
// "__radd__", "__iadd__"}.
struct BinaryOpNames {
  const char* symbol;
  const char* method;
  const char* reflected;
  const char* inplace;
};
const BinaryOpNames& NamesOf(BinaryOp op);
struct CompareOpNames {
  const char* symbol;
  const char* method;
  CompareOp swapped;
};
const CompareOpNames& NamesOf(CompareOp op);

// A read-only or settable attribute that is computed by native code.
struct PropertyRow {
  const char* name;
  Value (*get)(const Value& self);
  void (*set)(const Value& self, const Value& value) = nullptr;
  const char* doc = "";
};

// The slots of a type. A null slot is inherited from `base`.
struct TypeInfo {
  const char* name = "";
  const TypeInfo* base = nullptr;  // Also the base class in C++. Null means object.
  const char* module = "builtins";
  const char* doc = "";
  std::span<const FunctionRow> methods = {};
  std::span<const PropertyRow> properties = {};
  std::span<const FunctionRow> statics = {};  // Called on the class, such as dict.fromkeys.

  // Called with the class to make an instance. Args::self() is the called class. If null, instances
  // cannot be created.
  const FunctionRow* construct = nullptr;
  // Makes an instance of a user's subclass, before its __init__ runs. If null, the type cannot be
  // subclassed.
  Value (*subclass_new)(const TypeInfo& cls, const CallArgs& args) = nullptr;

  std::string (*repr)(const Value&) = nullptr;
  std::string (*str)(const Value&) = nullptr;  // If null, repr is used.
  std::string (*format)(const Value&, std::string_view spec) = nullptr;
  bool (*truth)(const Value&) = nullptr;  // If null, len() != 0; without len, true.
  uint64_t (*hash)(const Value&) = nullptr;
  bool unhashable = false;
  // Returns NotImplemented if the comparison is not supported.
  Value (*compare)(CompareOp, const Value& a, const Value& b) = nullptr;
  // Computes a op b. `reflected` is true if the slot belongs to the type of b. May return
  // NotImplemented.
  Value (*binary)(BinaryOp, const Value& a, const Value& b, bool reflected) = nullptr;
  // a op= b. If null, binary is used.
  Value (*inplace)(BinaryOp, const Value& a, const Value& b) = nullptr;
  Value (*unary)(UnaryOp, const Value&) = nullptr;
  Value (*index)(const Value&) = nullptr;     // __index__: returns an exact int.
  Value (*to_int)(const Value&) = nullptr;    // int(x)
  Value (*to_float)(const Value&) = nullptr;  // float(x)

  int64_t (*len)(const Value&) = nullptr;
  Value (*getitem)(const Value&, const Value& key) = nullptr;
  void (*setitem)(const Value&, const Value& key, const Value& value) = nullptr;
  void (*delitem)(const Value&, const Value& key) = nullptr;
  bool (*contains)(const Value&, const Value& item) = nullptr;
  Value (*iter)(const Value&) = nullptr;
  // Returns false if the iterator is exhausted; it need not throw StopIteration.
  bool (*next)(const Value&, Value* out) = nullptr;

  // Called before the tables are searched. A null Value continues the search.
  Value (*getattr)(const Value&, StrObject* name) = nullptr;
  // Returns false if no such attribute exists; the usual error follows. A null value deletes.
  bool (*setattr)(const Value&, StrObject* name, const Value& value) = nullptr;
  void (*dir)(const Value&, std::vector<std::string>* names) = nullptr;

  Value (*call)(const Value&, const CallArgs&) = nullptr;
  Value (*enter)(const Value&) = nullptr;
  // `exc` is the exception or None. Returns true if the exception is handled.
  bool (*exit)(const Value&, const Value& exc) = nullptr;

  Value (*descr_get)(const Value& self, const Value& instance, const Value& owner) = nullptr;
  // With descr_get: takes precedence over the instance's own attributes, as property does.
  bool overrides = false;
  void (*descr_set)(const Value& self, const Value& instance, const Value& value) = nullptr;

  mutable Type* type_object = nullptr;  // Made on demand; see TypeObject().
};

// Returns the first non-null `slot` of `type` and its bases, or null.
template <class Slot>
Slot FindSlot(const TypeInfo& type, Slot TypeInfo::*slot) {
  for (const TypeInfo* t = &type; t; t = t->base) {
    if (t->*slot) return t->*slot;
  }
  return nullptr;
}

// A class object. Native classes wrap a TypeInfo table; user classes derive from this (class.h).
class Type : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit Type(const TypeInfo& info, const TypeInfo& meta = kType);

  const TypeInfo& info() const { return *info_; }
  std::string name() const { return info_->name; }
  std::string qualified_name() const;  // "numpy.ndarray", "int"
  // Returns the attribute found along the method resolution order, not bound, or null.
  Value Lookup(StrObject* name);
  const std::vector<Type*>& mro() const { return mro_; }
  Dict& dict();  // The type's own attributes; filled from the tables on first use.
  bool IsSubtypeOf(const Type& other) const;
  virtual bool is_user() const { return false; }
  // Must be called when attributes of a class changed; invalidates cached lookups.
  static void Changed();
  // Returns the `construct` row, which runs when the class is called, or null.
  NativeFunction* constructor();

 protected:
  const TypeInfo* info_;
  // The type itself first, object last. User classes hold references to their bases.
  std::vector<Type*> mro_;
  Dict dict_;
  bool filled_ = false;

 private:
  void Fill();
  Ref<NativeFunction> constructor_;
};

// Adds methods such as __len__ and __add__ for the slots that `info` defines, so that they can be
// called by name.
void AddSlotMethods(const TypeInfo& info, Dict* dict);

extern const TypeInfo kObjectType, kNoneType, kBoolType, kIntType, kFloatType, kNotImplementedType,
    kEllipsisType;

void ForgetLookups();  // Drops the references that cached lookups hold.
Type& TypeObject(const TypeInfo& info);
inline Type& TypeObjectOf(const Value& v) { return TypeObject(TypeOf(v)); }
Value TypeValue(const TypeInfo& info);

}  // namespace tensh::shell
