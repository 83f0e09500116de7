// Classes the user writes, their instances, and the descriptors found on classes.
//
// A user class owns a TypeInfo whose slots look the dunder methods up along the class's order of
// bases and fall back to the native base (list, Exception, …) when none is defined. Instances of a
// class with a native base are that base's C++ object plus attributes.
#pragma once

#include <string>
#include <vector>

#include "shell/values/containers.h"
#include "shell/values/native.h"
#include "shell/values/type.h"

namespace tensh::shell {

class UserClass : public Type {
 public:
  UserClass(std::string name, std::vector<Value> bases, Dict attributes,
            const TypeInfo& meta = kType);
  ~UserClass() override;
  void DropRefs() override;
  bool is_user() const override { return true; }
  const std::vector<Value>& bases() const { return bases_; }
  const TypeInfo* native_base() const { return own_.base; }  // Null: object.
  void UpdateSlots();                                        // After its attributes changed.
  void Rename(std::string name);
  void SetModule(std::string_view module);
  // The user's attribute along the order of bases, native classes left out; null when none.
  Value LookupUser(StrObject* name);
  static UserClass* Of(const Value& v);  // The class of an instance, or null.

 private:
  std::string name_;
  TypeInfo own_;
  std::vector<Value> bases_;
  std::vector<Value> held_;  // References behind mro_.
};

class Instance : public TrackedObject {
 public:
  explicit Instance(const TypeInfo& cls);
  ~Instance() override;
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override { visit(attrs_), visit(dict_); }
  Dict* attrs() override { return dict_ ? &dict_->dict : &attrs_; }
  Value AttributesAsDict();  // __dict__: the attributes themselves, to be changed through it

 private:
  Dict attrs_;
  Ref<DictObject> dict_;  // Holds them instead of attrs_ once __dict__ was asked for.
  Value class_;
};

// A native container as a user's subclass has it: with attributes.
template <class Base>
class Extended : public Base {
 public:
  template <class... A>
  explicit Extended(const TypeInfo& cls, A&&... args)
      : Base(std::forward<A>(args)..., cls), class_(cls.type_object) {}
  Dict* attrs() override { return &attrs_; }

 private:
  Dict attrs_;
  Value class_;
};

class BoundMethod : public TrackedObject {
 public:
  static const TypeInfo kType;
  BoundMethod(Value function, Value self)
      : TrackedObject(kType), function(std::move(function)), self(std::move(self)) {}
  void DropRefs() override { function = self = Value(); }
  void Visit(HeldVisitor& visit) const override { visit(function), visit(self); }
  Value function, self;
};

class ClassMethod : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit ClassMethod(Value function) : TrackedObject(kType), function(std::move(function)) {}
  void DropRefs() override { function = Value(); }
  Value function;
};

class StaticMethod : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit StaticMethod(Value function) : TrackedObject(kType), function(std::move(function)) {}
  void DropRefs() override { function = Value(); }
  Value function;
};

class PropertyObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  PropertyObject() : TrackedObject(kType) {}
  void DropRefs() override { get = set = del = doc = Value(); }
  Value get, set, del, doc;
  std::string name;
};

class SuperObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  SuperObject(Value cls, Value self)
      : TrackedObject(kType), cls(std::move(cls)), self(std::move(self)) {}
  void DropRefs() override { cls = self = Value(); }
  Value cls, self;
};

// type.__new__(meta, name, bases, dict, **keywords); keywords (a dict, or null) are for
// __init_subclass__.
Value MakeClass(const Value& name, const Value& bases, const Value& dict,
                const Value& keywords = Value(), const TypeInfo& meta = Type::kType);
// What a class statement ends in: calls the metaclass, which is the given one (null: type) or a
// more derived one of the bases.
Value BuildClass(const Value& meta, const Value& name, const Value& bases, const Value& dict,
                 const Value& keywords);
Value Instantiate(UserClass& cls, const CallArgs& args);
bool SetClassAttr(UserClass& cls, StrObject* name, const Value& value);
Value BindMethod(const Value& self, const Value& instance, const Value& owner);

// The dunder method of an instance of a user class, unbound; null when the user defined none.
Value UserMethod(const Value& self, StrObject* name);

}  // namespace tensh::shell
