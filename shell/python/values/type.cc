#include "shell/python/values/type.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {

ForeignHooks foreign_hooks;
namespace {

constexpr BinaryOpNames kBinaryNames[] = {
    {"+", "__add__", "__radd__", "__iadd__"},
    {"-", "__sub__", "__rsub__", "__isub__"},
    {"*", "__mul__", "__rmul__", "__imul__"},
    {"@", "__matmul__", "__rmatmul__", "__imatmul__"},
    {"/", "__truediv__", "__rtruediv__", "__itruediv__"},
    {"//", "__floordiv__", "__rfloordiv__", "__ifloordiv__"},
    {"%", "__mod__", "__rmod__", "__imod__"},
    {"**", "__pow__", "__rpow__", "__ipow__"},
    {"<<", "__lshift__", "__rlshift__", "__ilshift__"},
    {">>", "__rshift__", "__rrshift__", "__irshift__"},
    {"&", "__and__", "__rand__", "__iand__"},
    {"^", "__xor__", "__rxor__", "__ixor__"},
    {"|", "__or__", "__ror__", "__ior__"},
};
constexpr CompareOpNames kCompareNames[] = {
    {"<", "__lt__", CompareOp::kGt},  {"<=", "__le__", CompareOp::kGe},
    {"==", "__eq__", CompareOp::kEq}, {"!=", "__ne__", CompareOp::kNe},
    {">", "__gt__", CompareOp::kLt},  {">=", "__ge__", CompareOp::kLe},
};

// A PropertyRow as found on a class.
class NativeProperty : public Object {
 public:
  static const TypeInfo kType;
  NativeProperty(const PropertyRow& row, const TypeInfo& owner)
      : Object(kType), row(row), owner(owner) {}
  const PropertyRow& row;
  const TypeInfo& owner;
};

Value PropertyGet(const Value& self, const Value& instance, const Value&) {
  return instance.is_null() ? self : static_cast<NativeProperty*>(self.object())->row.get(instance);
}

void PropertySet(const Value& self, const Value& instance, const Value& value) {
  auto* p = static_cast<NativeProperty*>(self.object());
  if (!p->row.set || value.is_null()) {
    throw AttributeError(std::string("attribute '") + p->row.name + "' of '" + p->owner.name +
                         "' objects is not writable");
  }
  p->row.set(instance, value);
}

std::string PropertyRepr(const Value& v) {
  auto* p = static_cast<NativeProperty*>(v.object());
  return std::string("<attribute '") + p->row.name + "' of '" + p->owner.name + "' objects>";
}

const TypeInfo NativeProperty::kType = {.name = "getset_descriptor",
                                        .repr = PropertyRepr,
                                        .descr_get = PropertyGet,
                                        .overrides = true,
                                        .descr_set = PropertySet};

Value MethodGet(const Value& self, const Value& instance, const Value&) {
  return instance.is_null() ? self : Value(New<BoundMethod>(self, instance));
}

Type& AsType(const Value& v) { return *static_cast<Type*>(v.object()); }

Value CallType(const Value& v, const CallArgs& args) {
  Type& type = AsType(v);
  if (&type.info() == &Type::kType) {
    if (args.args.size() == 1 && !args.keywords)
      return IsForeign(args.args[0]) ? foreign_hooks.type_of(args.args[0])
                                     : TypeValue(TypeOf(args.args[0]));
    if (args.positional() == 3) {
      const Value keywords = KeywordsOf(args);
      return BuildClass(Value(), args.args[0], args.args[1], args.args[2], keywords);
    }
    throw TypeError("type() takes 1 or 3 arguments");
  }
  if (type.is_user()) return Instantiate(static_cast<UserClass&>(type), args);
  NativeFunction* make = type.constructor();
  if (!make) throw TypeError("cannot create '" + type.qualified_name() + "' instances");
  return make->Call(v, args);
}

// Makes a class from a call of super().__new__(…) in a user's metaclass.
Value NewOfMetaclass(const TypeInfo& meta, const CallArgs& args) {
  if (args.positional() != 3) throw TypeError("type.__new__() takes exactly 3 arguments");
  return MakeClass(args.args[0], args.args[1], args.args[2], KeywordsOf(args), meta);
}

std::string TypeRepr(const Value& v) { return "<class '" + AsType(v).qualified_name() + "'>"; }

// Finds an attribute of a class: first along its method resolution order, then among the attributes
// of all classes.
Value TypeGetAttr(const Value& v, StrObject* name) {
  Type& type = AsType(v);
  if (Value found = type.Lookup(name); !found.is_null()) {
    auto get = FindSlot(TypeOf(found), &TypeInfo::descr_get);
    // __name__ and the like refer to the class itself, not to the property of its instances.
    if (!TypeOf(found).overrides || TypeObject(Type::kType).Lookup(name).is_null()) {
      return get ? get(found, Value(), v) : found;
    }
  }
  return Value();
}

bool TypeSetAttr(const Value& v, StrObject* name, const Value& value) {
  Type& type = AsType(v);
  if (!type.is_user()) {
    throw TypeError("cannot set '" + name->text() + "' attribute of immutable type '" +
                    type.name() + "'");
  }
  return SetClassAttr(static_cast<UserClass&>(type), name, value);
}

void TypeDir(const Value& v, std::vector<std::string>* names) {
  for (Type* t : AsType(v).mro()) {
    for (size_t i = 0; const Dict::Entry* e = t->dict().At(&i);) names->push_back(Str(e->key));
  }
}

Value TypeName(const Value& v) { return MakeStr(AsType(v).name()); }
void SetTypeName(const Value& v, const Value& name) {
  if (AsType(v).is_user()) static_cast<UserClass&>(AsType(v)).Rename(ToText(name, "__name__"));
}
Value TypeModule(const Value& v) { return MakeStr(AsType(v).info().module); }
void SetTypeModule(const Value& v, const Value& name) {
  if (AsType(v).is_user()) static_cast<UserClass&>(AsType(v)).SetModule(ToText(name, "__module__"));
}
Value TypeDoc(const Value& v) {
  Type& t = AsType(v);
  if (const TypeInfo& info = t.info(); !t.is_user())
    return MakeStr(*info.doc == '\0' && info.construct ? info.construct->doc : info.doc);
  Value* doc = t.dict().Find("__doc__");
  return doc ? *doc : Value::None();
}
Value TypeMro(const Value& v) {
  std::vector<Value> items;
  for (Type* t : AsType(v).mro()) items.emplace_back(Value(t));
  return MakeTuple(std::move(items));
}
Value TypeBases(const Value& v) {
  Type& t = AsType(v);
  if (t.is_user()) return MakeTuple(static_cast<UserClass&>(t).bases());
  if (&t.info() == &kObjectType) return MakeTuple();
  return MakeTuple({TypeValue(t.info().base ? *t.info().base : kObjectType)});
}
Value TypeDict(const Value& v) {
  Value dict = MakeDict();
  Type& t = AsType(v);
  for (size_t i = 0; const Dict::Entry* e = t.dict().At(&i);)
    As<DictObject>(dict)->dict.Set(e->key, e->value);
  return dict;
}
Value MroMethod(Args& a) { return MakeList(As<TupleObject>(TypeMro(a.self()))->items); }

// Returns the signature of calling a native class, for inspect.signature.
Value TypeSignature(const Value& v) {
  NativeFunction* make = AsType(v).is_user() ? nullptr : AsType(v).constructor();
  return make ? MakeStr("(" + make->ParameterText() + ")") : Value::None();
}

const PropertyRow kTypeProperties[] = {
    {"__text_signature__", TypeSignature},
    {"__name__", TypeName, SetTypeName},
    {"__qualname__", TypeName, SetTypeName},
    {"__module__", TypeModule, SetTypeModule},
    {"__doc__", TypeDoc},
    {"__mro__", TypeMro},
    {"__bases__", TypeBases},
    {"__dict__", TypeDict},
};
const FunctionRow kTypeMethods[] = {{"mro", "/", MroMethod}};

}  // namespace

const TypeInfo Type::kType = {.name = "type",
                              .methods = kTypeMethods,
                              .properties = kTypeProperties,
                              .subclass_new = NewOfMetaclass,
                              .repr = TypeRepr,
                              .getattr = TypeGetAttr,
                              .setattr = TypeSetAttr,
                              .dir = TypeDir,
                              .call = CallType};

const BinaryOpNames& NamesOf(BinaryOp op) { return kBinaryNames[static_cast<size_t>(op)]; }
const CompareOpNames& NamesOf(CompareOp op) { return kCompareNames[static_cast<size_t>(op)]; }

Type::Type(const TypeInfo& info, const TypeInfo& meta) : TrackedObject(meta), info_(&info) {}

std::string Type::qualified_name() const {
  std::string_view module = info_->module;
  return module.empty() || module == "builtins" ? name() : std::string(module) + "." + name();
}

namespace {

// A cache of lookups by class and name, including names that were not found. Changing the
// attributes of a class, or freeing a class, increments the version and invalidates it.
struct LookupEntry {
  const Type* type = nullptr;
  const StrObject* name = nullptr;
  uint64_t version = 0;
  Value value;
};
constexpr size_t kLookupEntries = 2048;
// Zeroed memory is an array of empty entries. The system provides its pages when they are first used,
// and most processes use few of them.
alignas(LookupEntry) std::byte lookup_memory[kLookupEntries * sizeof(LookupEntry)];
LookupEntry* const lookups = reinterpret_cast<LookupEntry*>(lookup_memory);
// The entries that hold a value. Never freed, because classes may be freed while the process exits.
auto& used_lookups = *new std::vector<uint16_t>;
uint64_t lookup_version = 1;

}  // namespace

void ForgetLookups() {
  ++lookup_version;
  for (const uint16_t i : std::exchange(used_lookups, std::vector<uint16_t>()))
    lookups[i] = LookupEntry();
}

void Type::Changed() { ++lookup_version; }

Value Type::Lookup(StrObject* name) {
  const size_t mixed =
      (reinterpret_cast<uintptr_t>(this) >> 4) * 31 + (reinterpret_cast<uintptr_t>(name) >> 4);
  const auto index = static_cast<uint16_t>(mixed % kLookupEntries);
  LookupEntry& entry = lookups[index];
  if (entry.type == this && entry.name == name && entry.version == lookup_version)
    return entry.value;
  Value found;
  for (Type* t : mro_) {
    if (Value* v = t->dict().Find(name)) {
      found = *v;
      break;
    }
  }
  // Only interned names are cached, because another name may be freed and its address reused.
  if (name->interned()) {
    if (!entry.type) used_lookups.push_back(index);
    entry = {this, name, lookup_version, found};
  }
  return found;
}

Dict& Type::dict() {
  if (!filled_) Fill();
  return dict_;
}

void Type::Fill() {
  filled_ = true;
  AddSlotMethods(*info_, &dict_);
  for (const FunctionRow& row : info_->methods) {
    dict_.Set(Value(Intern(row.name)), New<NativeFunction>(row, info_));
  }
  for (const PropertyRow& row : info_->properties) {
    dict_.Set(Value(Intern(row.name)), New<NativeProperty>(row, *info_));
  }
  for (const FunctionRow& row : info_->statics) {
    dict_.Set(Value(Intern(row.name)), New<ClassMethod>(New<NativeFunction>(row, nullptr)));
  }
}

bool Type::IsSubtypeOf(const Type& other) const {
  for (Type* t : mro_) {
    if (t == &other) return true;
  }
  return false;
}

NativeFunction* Type::constructor() {
  if (!constructor_) {
    const FunctionRow* row = FindSlot(*info_, &TypeInfo::construct);
    if (!row) return nullptr;
    constructor_ = New<NativeFunction>(*row, nullptr);
  }
  return constructor_.get();
}

namespace {

// Classes of tables live as long as the process; their table refers to them.
class NativeType : public Type {
 public:
  explicit NativeType(const TypeInfo& info) : Type(info) {
    Retain();
    mro_.push_back(this);
    if (info.base) {
      for (Type* t : TypeObject(*info.base).mro()) mro_.push_back(t);
    } else if (&info != &kObjectType) {
      mro_.push_back(&TypeObject(kObjectType));
    }
  }
};

}  // namespace

Type& TypeObject(const TypeInfo& info) {
  if (!info.type_object) info.type_object = new NativeType(info);
  return *info.type_object;
}

Value TypeValue(const TypeInfo& info) { return Value(&TypeObject(info)); }

Value BindMethod(const Value& self, const Value& instance, const Value& owner) {
  return MethodGet(self, instance, owner);
}

}  // namespace tensh::shell
