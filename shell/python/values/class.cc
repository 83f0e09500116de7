#include "shell/python/values/class.h"

#include <algorithm>

#include "shell/python/values/error.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/number_subclass.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/user_slots.h"

namespace tensh::shell {
namespace {

Type& AsType(const Value& v) { return *static_cast<Type*>(v.object()); }

// C3 linearization: merges the orders of the bases so that each class precedes its bases. Returns
// false if no such order exists.
bool Linearize(std::vector<std::vector<Type*>> lists, std::vector<Type*>* out) {
  for (;;) {
    std::erase_if(lists, [](const auto& l) { return l.empty(); });
    if (lists.empty()) return true;
    Type* next = nullptr;
    for (const auto& list : lists) {
      bool in_tail = std::any_of(lists.begin(), lists.end(), [&](const auto& l) {
        return std::find(l.begin() + 1, l.end(), list.front()) != l.end();
      });
      if (!in_tail) {
        next = list.front();
        break;
      }
    }
    if (!next) return false;
    out->push_back(next);
    for (auto& list : lists) {
      if (list.front() == next) list.erase(list.begin());
    }
  }
}

const TypeInfo* NativeBaseOf(Type& base) {
  if (base.is_user()) return static_cast<UserClass&>(base).native_base();
  return &base.info() == &kObjectType ? nullptr : LayoutOf(base.info());
}

}  // namespace

UserClass::UserClass(std::string name, std::vector<Value> bases, Dict attributes,
                     const TypeInfo& meta)
    : Type(own_, meta), name_(std::move(name)), bases_(std::move(bases)) {
  info_ = &own_;
  filled_ = true;
  dict_ = std::move(attributes);
  own_.name = name_.c_str();
  own_.module = "__main__";
  // A class in a library has its module in __module__. Interned names are never freed.
  if (const Value* module = dict_.Find("__module__"); module && As<StrObject>(*module))
    SetModule(StrView(*module));
  dict_.Erase(Value(Intern("__module__")));  // Removed, because subclasses would inherit it.
  own_.type_object = this;
  if (bases_.empty()) bases_.push_back(TypeValue(kObjectType));
  std::vector<std::vector<Type*>> orders;
  std::vector<Type*> direct;
  for (const Value& b : bases_) {
    auto* base = As<Type>(b);
    if (!base) throw TypeError("bases must be types");
    const TypeInfo* native = NativeBaseOf(*base);
    if (native && (native == &kBoolType || !FindSlot(*native, &TypeInfo::subclass_new))) {
      throw TypeError(std::string("type '") + native->name + "' is not an acceptable base type");
    }
    // All exceptions have the same layout.
    const bool fits = !native || !own_.base || DerivesFrom(*native, *own_.base) ||
                      DerivesFrom(*own_.base, *native) ||
                      (DerivesFrom(*native, ExceptionObject::kType) &&
                       DerivesFrom(*own_.base, ExceptionObject::kType));
    if (!fits) {
      throw TypeError("multiple bases have instance lay-out conflict");
    }
    if (native && (!own_.base || DerivesFrom(*native, *own_.base))) own_.base = native;
    orders.push_back(base->mro());
    direct.push_back(base);
  }
  for (size_t i = 0; i < direct.size(); ++i) {
    if (std::find(direct.begin(), direct.begin() + static_cast<long>(i), direct[i]) !=
        direct.begin() + static_cast<long>(i)) {
      throw TypeError("duplicate base class " + direct[i]->name());
    }
  }
  orders.push_back(direct);
  mro_.push_back(this);
  if (!Linearize(std::move(orders), &mro_)) {
    std::string names;
    for (Type* t : direct) names += (names.empty() ? "" : ", ") + t->name();
    throw TypeError("Cannot create a consistent method resolution\norder (MRO) for bases " + names);
  }
  for (size_t i = 1; i < mro_.size(); ++i) held_.push_back(Value(mro_[i]));
  held_.push_back(TypeValue(meta));
  Changed();
  UpdateSlots();
}

UserClass::~UserClass() { Changed(); }

void UserClass::DropRefs() {
  Changed();
  dict_.Clear();
}

void UserClass::SetModule(std::string_view module) { own_.module = Intern(module)->view().data(); }

void UserClass::Rename(std::string name) {
  name_ = std::move(name);
  own_.name = name_.c_str();
}

Value UserClass::LookupUser(StrObject* name) {
  for (Type* t : mro_) {
    if (!t->is_user()) continue;
    if (Value* found = t->dict().Find(name)) return *found;
  }
  return Value();
}

UserClass* UserClass::Of(const Value& v) {
  if (!v.is_object()) return nullptr;
  Type* t = v.object()->type().type_object;
  return t && t->is_user() ? static_cast<UserClass*>(t) : nullptr;
}

void UserClass::UpdateSlots() { SetUserSlots(*this, &own_); }

Value UserMethod(const Value& self, StrObject* name) {
  UserClass* cls = UserClass::Of(self);
  return cls ? cls->LookupUser(name) : Value();
}

Instance::Instance(const TypeInfo& cls) : TrackedObject(cls), class_(cls.type_object) {}
Instance::~Instance() = default;

void Instance::DropRefs() {
  attrs_.Clear();
  dict_ = {};
}

Value Instance::AttributesAsDict() {
  if (!dict_) {
    dict_ = New<DictObject>();
    dict_->dict = std::exchange(attrs_, Dict());
  }
  return dict_;
}

Value MakeClass(const Value& name, const Value& bases, const Value& dict, const Value& keywords,
                const TypeInfo& meta) {
  auto* attributes = As<DictObject>(dict);
  auto* base_tuple = As<TupleObject>(bases);
  if (!IsStr(name) || !base_tuple || !attributes) {
    throw TypeError("type.__new__() argument 1 must be str, 2 tuple, 3 dict");
  }
  Dict own = attributes->dict;
  // Python makes this method a class method without a decorator.
  if (Value* f = own.Find("__class_getitem__"); f && !As<ClassMethod>(*f) && !As<StaticMethod>(*f))
    *f = New<ClassMethod>(*f);
  auto cls = New<UserClass>(std::string(StrView(name)), base_tuple->items, own, meta);
  static StrObject* set_name = Intern("__set_name__");
  static StrObject* init_subclass = Intern("__init_subclass__");
  for (size_t i = 0; const Dict::Entry* e = attributes->dict.At(&i);) {
    if (auto* p = As<PropertyObject>(e->value)) p->name = Str(e->key);
    if (Value hook = UserMethod(e->value, set_name); !hook.is_null())
      Call(hook, {e->value, cls, e->key});
  }
  for (size_t i = 1; i < cls->mro().size(); ++i) {
    Type* t = cls->mro()[i];
    Value* hook = t->is_user() ? t->dict().Find(init_subclass) : nullptr;
    if (!hook) continue;
    auto* as_class = As<ClassMethod>(*hook);
    CallWith(as_class ? as_class->function : *hook, {Value(cls)}, keywords);
    return cls;
  }
  if (auto* given = As<DictObject>(keywords); given && given->dict.size() != 0)
    throw TypeError(cls->name() + ".__init_subclass__() takes no keyword arguments");
  return cls;
}

Value BuildClass(const Value& meta, const Value& name, const Value& bases, const Value& dict,
                 const Value& keywords) {
  Value winner = meta.is_null() ? TypeValue(Type::kType) : meta;
  if (!As<TupleObject>(bases)) {
    throw TypeError("type.__new__() argument 2 must be tuple, not " + TypeName(bases));
  }
  for (const Value& base : As<Type>(winner) ? *Sequence(bases) : std::vector<Value>()) {
    const Value of_base = TypeValue(TypeOf(base));
    if (!As<Type>(base) || AsType(winner).IsSubtypeOf(AsType(of_base))) continue;
    if (!AsType(of_base).IsSubtypeOf(AsType(winner))) {
      throw TypeError(
          "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass "
          "of the metaclasses of all its bases");
    }
    winner = of_base;
  }
  for (const Value& base : *Sequence(bases))
    if (IsForeign(base)) return foreign_hooks.build_class(name, bases, dict, keywords);
  if (winner.Is(TypeValue(Type::kType))) return MakeClass(name, bases, dict, keywords);
  return CallWith(winner, {name, bases, dict}, keywords);
}

// Follows type.__call__: __new__ makes the instance, and __init__ runs only if the result is an
// instance of the class.
Value Instantiate(UserClass& cls, const CallArgs& args) {
  static StrObject* new_name = Intern("__new__");
  static StrObject* init_name = Intern("__init__");
  Value made;
  Value user_new = cls.LookupUser(new_name);
  if (!user_new.is_null()) {
    if (auto* s = As<StaticMethod>(user_new)) user_new = s->function;
    std::vector<Value> all = {Value(&cls)};
    all.insert(all.end(), args.args.begin(), args.args.end());
    made = Call(user_new, CallArgs{all, args.keywords});
    if (!TypeObjectOf(made).IsSubtypeOf(cls)) return made;
  } else if (auto make = FindSlot(cls.info(), &TypeInfo::subclass_new)) {
    made = make(cls.info(), args);
  } else {
    made = New<Instance>(cls.info());
  }
  Value init = TypeObjectOf(made).Lookup(init_name);
  auto* native = As<NativeFunction>(init);
  if (native && native->owner() == &kObjectType) {
    if (!args.args.empty() && user_new.is_null() && !cls.native_base()) {
      throw TypeError(cls.name() + "() takes no arguments");
    }
    return made;
  }
  std::vector<Value> all = {made};
  all.insert(all.end(), args.args.begin(), args.args.end());
  Value result = Call(init, CallArgs{all, args.keywords});
  if (!result.is_none())
    throw TypeError("__init__() should return None, not '" + TypeName(result) + "'");
  return made;
}

bool SetClassAttr(UserClass& cls, StrObject* name, const Value& value) {
  if (value.is_null()) {
    if (!cls.dict().Erase(Value(name))) return false;
  } else {
    cls.dict().Set(Value(name), value);
  }
  Type::Changed();
  if (name->view().substr(0, 2) == "__") cls.UpdateSlots();
  return true;
}

namespace {

// ---- descriptors ----

std::string BoundRepr(const Value& v) {
  auto* m = static_cast<BoundMethod*>(v.object());
  if (auto* native = As<NativeFunction>(m->function)) {
    return std::string("<built-in method ") + native->row().name + " of " + TypeName(m->self) +
           " object>";
  }
  return "<bound method " + Str(GetAttr(m->function, "__qualname__")) + " of " + Repr(m->self) +
         ">";
}

Value CallBound(const Value& v, const CallArgs& args) {
  auto* m = static_cast<BoundMethod*>(v.object());
  Value function = m->function, self = m->self;
  if (auto* native = As<NativeFunction>(function)) return native->Call(self, args);
  std::vector<Value> all;
  all.reserve(args.args.size() + 1);
  all.push_back(self);
  all.insert(all.end(), args.args.begin(), args.args.end());
  return Call(function, CallArgs{all, args.keywords});
}

Value CompareBound(CompareOp op, const Value& a, const Value& b) {
  auto *x = As<BoundMethod>(a), *y = As<BoundMethod>(b);
  if (!x || !y || (op != CompareOp::kEq && op != CompareOp::kNe)) return Value::NotImplemented();
  bool same = x->function.Is(y->function) && x->self.Is(y->self);
  return Value::Bool(same == (op == CompareOp::kEq));
}

Value BoundGetAttr(const Value& v, StrObject* name) {
  auto* m = static_cast<BoundMethod*>(v.object());
  if (name->view() == "__self__") return m->self;
  if (name->view() == "__func__") return m->function;
  return FindAttr(m->function, name);
}

Value ClassMethodGet(const Value& self, const Value&, const Value& owner) {
  const Value& f = static_cast<ClassMethod*>(self.object())->function;
  // A static row of a type table takes the class as its receiver.
  return New<BoundMethod>(f, owner);
}
Value StaticMethodGet(const Value& self, const Value&, const Value&) {
  return static_cast<StaticMethod*>(self.object())->function;
}
Value CallStatic(const Value& self, const CallArgs& args) {
  return Call(static_cast<StaticMethod*>(self.object())->function, args);
}

Value MakeClassMethod(Args& a) { return New<ClassMethod>(a[0]); }
Value MakeStaticMethod(Args& a) { return New<StaticMethod>(a[0]); }

PropertyObject& Prop(const Value& v) { return *static_cast<PropertyObject*>(v.object()); }

Value PropertyGet(const Value& self, const Value& instance, const Value&) {
  if (instance.is_null()) return self;
  if (Prop(self).get.is_null()) {
    throw AttributeError("property '" + Prop(self).name + "' of '" + TypeName(instance) +
                         "' object has no getter");
  }
  return Call(Prop(self).get, {instance});
}

void PropertySet(const Value& self, const Value& instance, const Value& value) {
  const Value& f = value.is_null() ? Prop(self).del : Prop(self).set;
  if (f.is_null()) {
    throw AttributeError("property '" + Prop(self).name + "' of '" + TypeName(instance) +
                         "' object has no " + (value.is_null() ? "deleter" : "setter"));
  }
  if (value.is_null()) {
    Call(f, {instance});
  } else {
    Call(f, {instance, value});
  }
}

Value NullIfNone(const Value& v) { return v.is_none() ? Value() : v; }

Value MakeProperty(Args& a) {
  auto p = New<PropertyObject>();
  p->get = NullIfNone(a[0]), p->set = NullIfNone(a[1]), p->del = NullIfNone(a[2]), p->doc = a[3];
  return p;
}

template <Value PropertyObject::*Member>
Value PropertyWith(Args& a) {
  auto p = New<PropertyObject>();
  const PropertyObject& old = Prop(a.self());
  p->get = old.get, p->set = old.set, p->del = old.del, p->doc = old.doc, p->name = old.name;
  (*p).*Member = a[0];
  return p;
}

const FunctionRow kClassMethodNew = {"classmethod", "function, /", MakeClassMethod};
const FunctionRow kStaticMethodNew = {"staticmethod", "function, /", MakeStaticMethod};
const FunctionRow kPropertyNew = {"property", "fget=None, fset=None, fdel=None, doc=None",
                                  MakeProperty};
const FunctionRow kPropertyMethods[] = {
    {"getter", "fget, /", PropertyWith<&PropertyObject::get>},
    {"setter", "fset, /", PropertyWith<&PropertyObject::set>},
    {"deleter", "fdel, /", PropertyWith<&PropertyObject::del>},
};

template <Value PropertyObject::*Member>
Value PropertyMember(const Value& v) {
  const Value& held = Prop(v).*Member;
  return held.is_null() ? Value::None() : held;
}
const PropertyRow kPropertyMembers[] = {{"fget", PropertyMember<&PropertyObject::get>},
                                        {"fset", PropertyMember<&PropertyObject::set>},
                                        {"fdel", PropertyMember<&PropertyObject::del>}};

SuperObject& Sup(const Value& v) { return *static_cast<SuperObject*>(v.object()); }

Value SuperGetAttr(const Value& v, StrObject* name) {
  SuperObject& s = Sup(v);
  // The receiver of super() is the class itself in a class method, and an instance of the metaclass
  // in a method of the metaclass.
  auto* receiver_class = As<Type>(s.self);
  if (receiver_class && !receiver_class->IsSubtypeOf(AsType(s.cls))) receiver_class = nullptr;
  Type& start = receiver_class ? *receiver_class : TypeObjectOf(s.self);
  const auto& mro = start.mro();
  auto at = std::find(mro.begin(), mro.end(), &AsType(s.cls));
  if (at == mro.end())
    throw TypeError("super(type, obj): obj must be an instance or subtype of type");
  for (++at; at != mro.end(); ++at) {
    Value* found = (*at)->dict().Find(name);
    if (!found) continue;
    Value held = *found;
    auto get = held.is_object() ? FindSlot(TypeOf(held), &TypeInfo::descr_get) : nullptr;
    return get ? get(held, receiver_class ? Value() : s.self, Value(&start)) : held;
  }
  throw AttributeError("'super' object has no attribute '" + name->text() + "'");
}

std::string SuperRepr(const Value& v) {
  return "<super: <class '" + AsType(Sup(v).cls).name() + "'>, <" + TypeName(Sup(v).self) +
         " object>>";
}

Value MakeSuper(Args& a) {
  if (IsForeign(a[0])) return foreign_hooks.super(a[0], a[1]);
  if (!As<Type>(a[0])) throw TypeError("super() argument 1 must be a type, not " + TypeName(a[0]));
  return New<SuperObject>(a[0], a[1]);
}
const FunctionRow kSuperNew = {"super", "type, obj, /", MakeSuper};

}  // namespace

const TypeInfo BoundMethod::kType = {.name = "method",
                                     .repr = BoundRepr,
                                     .compare = CompareBound,
                                     .getattr = BoundGetAttr,
                                     .call = CallBound};
const TypeInfo ClassMethod::kType = {
    .name = "classmethod", .construct = &kClassMethodNew, .descr_get = ClassMethodGet};
const TypeInfo StaticMethod::kType = {.name = "staticmethod",
                                      .construct = &kStaticMethodNew,
                                      .call = CallStatic,
                                      .descr_get = StaticMethodGet};
const TypeInfo PropertyObject::kType = {.name = "property",
                                        .methods = kPropertyMethods,
                                        .properties = kPropertyMembers,
                                        .construct = &kPropertyNew,
                                        .descr_get = PropertyGet,
                                        .overrides = true,
                                        .descr_set = PropertySet};
const TypeInfo SuperObject::kType = {
    .name = "super", .construct = &kSuperNew, .repr = SuperRepr, .getattr = SuperGetAttr};

}  // namespace tensh::shell
