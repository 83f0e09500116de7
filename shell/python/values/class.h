// Classes defined by the user, their instances, and the descriptors found on classes.
//
// A user class owns a TypeInfo. Its slots look the dunder methods up along the method resolution
// order and fall back to the native base (list, Exception, …) if none is defined. An instance of a
// class with a native base is that base's C++ object plus attributes.
//
// Ownership: instances and base classes are reference counted. A class owns references to its
// bases. Only the thread that holds the interpreter's lock may use them.
#pragma once

#include <string>
#include <vector>

#include "shell/python/values/containers.h"
#include "shell/python/values/native.h"
#include "shell/python/values/type.h"

namespace tensh::shell {

class UserClass : public Type {
 public:
  UserClass(std::string name, std::vector<Value> bases, Dict attributes,
            const TypeInfo& meta = kType);
  ~UserClass() override;
  void DropRefs() override;
  bool is_user() const override { return true; }
  const std::vector<Value>& bases() const { return bases_; }
  const TypeInfo* native_base() const { return own_.base; }  // Null if the base is object.
  void UpdateSlots();  // Must be called after the class's attributes changed.
  void Rename(std::string name);
  void SetModule(std::string_view module);
  // Returns the user's attribute along the method resolution order, skipping native classes, or
  // null.
  Value LookupUser(StrObject* name);
  static UserClass* Of(const Value& v);  // Returns the user class of an instance, or null.

 private:
  std::string name_;
  TypeInfo own_;
  std::vector<Value> bases_;
  std::vector<Value> held_;  // Keeps the classes in mro_ alive.
};

class Instance : public TrackedObject {
 public:
  explicit Instance(const TypeInfo& cls);
  ~Instance() override;
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override { visit(attrs_), visit(dict_); }
  Dict* attrs() override { return dict_ ? &dict_->dict : &attrs_; }
  Value AttributesAsDict();  // Returns __dict__. Changing it changes the attributes themselves.

 private:
  Dict attrs_;
  Ref<DictObject> dict_;  // Holds the attributes instead of attrs_ once __dict__ was used.
  Value class_;
};

// An instance of a user's subclass of a native container: the container plus attributes.
template <class Base>
class Extended : public Base {
 public:
  template <class... A>
  explicit Extended(const TypeInfo& cls, A&&... args)
      : Base(std::forward<A>(args)..., cls), class_(cls.type_object) {}
  void DropRefs() override { Base::DropRefs(), attrs_.Clear(); }
  void Visit(HeldVisitor& visit) const override { Base::Visit(visit), visit(attrs_); }
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

// Drops a function when the interpreter ends. Native functions are kept: they are part of no cycle,
// and the types that hold them serve all interpreters of the process.
inline void DropUnlessNative(Value* function) {
  if (!As<NativeFunction>(*function)) *function = Value();
}

class ClassMethod : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit ClassMethod(Value function) : TrackedObject(kType), function(std::move(function)) {}
  void DropRefs() override { DropUnlessNative(&function); }
  Value function;
};

class StaticMethod : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit StaticMethod(Value function) : TrackedObject(kType), function(std::move(function)) {}
  void DropRefs() override { DropUnlessNative(&function); }
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

// type.__new__(meta, name, bases, dict, **keywords). The keywords (a dict, or null) are passed to
// __init_subclass__.
Value MakeClass(const Value& name, const Value& bases, const Value& dict,
                const Value& keywords = Value(), const TypeInfo& meta = Type::kType);
// Implements the class statement. Calls the metaclass, which is the given one (null means type) or
// a more derived metaclass of a base.
Value BuildClass(const Value& meta, const Value& name, const Value& bases, const Value& dict,
                 const Value& keywords);
Value Instantiate(UserClass& cls, const CallArgs& args);
bool SetClassAttr(UserClass& cls, StrObject* name, const Value& value);
Value BindMethod(const Value& self, const Value& instance, const Value& owner);

// Returns the dunder method of an instance of a user class, unbound, or null if the user did not
// define it.
Value UserMethod(const Value& self, StrObject* name);

}  // namespace tensh::shell
