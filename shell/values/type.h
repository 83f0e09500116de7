// TypeInfo: what a type can do, as one constant table of slots; Type: the class object of it.
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
//   const TypeInfo Shape::kType = {.name = "TensorShape", .module = "tensorflow", .methods =
//   kShapeMethods,
//                                  .properties = kShapeProperties, .repr = ShapeRepr, .len =
//                                  ShapeLen};
// A slot left out is inherited from `base`, else the operation raises Python's TypeError. Make it
// with New<Shape>(dims), recognise it with As<Shape>(v). Expose the class by name with
// TypeValue(Shape::kType). Rows are read when the type's attributes are first used: a table costs
// nothing at start. Threads: the interpreter's only. Type objects of tables live for the process.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/values/dict.h"
#include "shell/values/native.h"
#include "shell/values/value.h"

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

// {symbol, method, reflected, in-place}: {"+", "__add__", "__radd__", "__iadd__"}.
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

struct PropertyRow {
  const char* name;
  Value (*get)(const Value& self);
  void (*set)(const Value& self, const Value& value) = nullptr;
  const char* doc = "";
};

struct TypeInfo {
  const char* name = "";
  const TypeInfo* base = nullptr;  // Also the C++ base class. Null: object.
  const char* module = "builtins";
  const char* doc = "";
  std::span<const FunctionRow> methods = {};
  std::span<const PropertyRow> properties = {};
  std::span<const FunctionRow> statics = {};  // Called on the class: dict.fromkeys.

  // Calling the class makes an instance. Args::self() is the class called. Null: "cannot create".
  const FunctionRow* construct = nullptr;
  // An instance of a user's subclass, before its __init__. Null: the type cannot be subclassed.
  Value (*subclass_new)(const TypeInfo& cls, const CallArgs& args) = nullptr;

  std::string (*repr)(const Value&) = nullptr;
  std::string (*str)(const Value&) = nullptr;  // Null: repr.
  std::string (*format)(const Value&, std::string_view spec) = nullptr;
  bool (*truth)(const Value&) = nullptr;  // Null: len() != 0, else true.
  uint64_t (*hash)(const Value&) = nullptr;
  bool unhashable = false;
  Value (*compare)(CompareOp, const Value& a,
                   const Value& b) = nullptr;  // May answer NotImplemented.
  // a op b. `reflected`: the slot was asked because b is of this type. May answer NotImplemented.
  Value (*binary)(BinaryOp, const Value& a, const Value& b, bool reflected) = nullptr;
  Value (*inplace)(BinaryOp, const Value& a, const Value& b) = nullptr;  // a op= b; null: binary.
  Value (*unary)(UnaryOp, const Value&) = nullptr;
  Value (*index)(const Value&) = nullptr;     // __index__: an exact int.
  Value (*to_int)(const Value&) = nullptr;    // int(x)
  Value (*to_float)(const Value&) = nullptr;  // float(x)

  int64_t (*len)(const Value&) = nullptr;
  Value (*getitem)(const Value&, const Value& key) = nullptr;
  void (*setitem)(const Value&, const Value& key, const Value& value) = nullptr;
  void (*delitem)(const Value&, const Value& key) = nullptr;
  bool (*contains)(const Value&, const Value& item) = nullptr;
  Value (*iter)(const Value&) = nullptr;
  bool (*next)(const Value&,
               Value* out) = nullptr;  // False: exhausted. No StopIteration is needed.

  // Asked before the tables; a null Value means "look on".
  Value (*getattr)(const Value&, StrObject* name) = nullptr;
  // False: no such attribute, the usual error follows. A null value deletes.
  bool (*setattr)(const Value&, StrObject* name, const Value& value) = nullptr;
  void (*dir)(const Value&, std::vector<std::string>* names) = nullptr;

  Value (*call)(const Value&, const CallArgs&) = nullptr;
  Value (*enter)(const Value&) = nullptr;
  // `exc` is the exception or None. True: the exception is handled.
  bool (*exit)(const Value&, const Value& exc) = nullptr;

  Value (*descr_get)(const Value& self, const Value& instance, const Value& owner) = nullptr;
  bool overrides = false;  // With descr_get: comes before the instance's own attributes (property).
  void (*descr_set)(const Value& self, const Value& instance, const Value& value) = nullptr;

  mutable Type* type_object = nullptr;  // Made on demand; see TypeOf(TypeInfo).
};

// The first `slot` found from `type` up its bases, or null.
template <class Slot>
Slot FindSlot(const TypeInfo& type, Slot TypeInfo::*slot) {
  for (const TypeInfo* t = &type; t; t = t->base) {
    if (t->*slot) return t->*slot;
  }
  return nullptr;
}

// A class. Native classes wrap a TypeInfo table; classes the user writes derive (class.h).
class Type : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit Type(const TypeInfo& info, const TypeInfo& meta = kType);

  const TypeInfo& info() const { return *info_; }
  std::string name() const { return info_->name; }
  std::string qualified_name() const;  // "numpy.ndarray", "int"
  // The attribute along the method resolution order, or null; not bound.
  Value Lookup(StrObject* name);
  const std::vector<Type*>& mro() const { return mro_; }
  Dict& dict();  // Own attributes; filled from the tables on first use.
  bool IsSubtypeOf(const Type& other) const;
  virtual bool is_user() const { return false; }
  static void Changed();  // Some class's attributes changed: cached lookups are stale.
  // What calling the class runs: its `construct` row, or null.
  NativeFunction* constructor();

 protected:
  const TypeInfo* info_;
  std::vector<Type*> mro_;  // Self first, object last. User classes hold references to their bases.
  Dict dict_;
  bool filled_ = false;

 private:
  void Fill();
  Ref<NativeFunction> constructor_;
};

// Adds __len__, __add__ … of the slots `info` defines, so that they can be called by name.
void AddSlotMethods(const TypeInfo& info, Dict* dict);

extern const TypeInfo kObjectType, kNoneType, kBoolType, kIntType, kFloatType, kNotImplementedType,
    kEllipsisType;

void ForgetLookups();  // Drops the references that cached lookups hold.
Type& TypeObject(const TypeInfo& info);
inline Type& TypeObjectOf(const Value& v) { return TypeObject(TypeOf(v)); }
Value TypeValue(const TypeInfo& info);

}  // namespace tensh::shell
