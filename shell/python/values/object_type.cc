// The type `object`, the types of the singletons, and the methods that call slots by name
// (x.__len__()).
#include <cmath>
#include <deque>

#include "shell/python/values/bigint.h"
#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/type.h"
#include "shell/python/values/user_slots.h"

namespace tensh::shell {
namespace {

std::string DefaultRepr(const Value& v) {
  char address[32];
  std::snprintf(address, sizeof address, "%p",
                v.is_object() ? static_cast<void*>(v.object()) : nullptr);
  return "<" + TypeObjectOf(v).qualified_name() + " object at " + address + ">";
}

Value ObjectInit(Args&) { return Value::None(); }
Value ObjectRepr(Args& a) { return MakeStr(DefaultRepr(a.self())); }
Value ObjectStr(Args& a) { return MakeStr(Repr(a.self())); }
Value ObjectEq(Args& a) { return a.self().Is(a[0]) ? Value::Bool(true) : Value::NotImplemented(); }
Value ObjectNe(Args& a) { return a.self().Is(a[0]) ? Value::Bool(false) : Value::NotImplemented(); }
Value ObjectHash(Args& a) { return IntFromU64(reinterpret_cast<uint64_t>(a.self().object()) >> 4); }
Value ObjectFormat(Args& a) {
  if (!ToText(a[0], "format spec").empty()) {
    throw TypeError("unsupported format string passed to " + TypeName(a.self()) + ".__format__");
  }
  return MakeStr(Str(a.self()));
}
Value ObjectSetAttr(Args& a) {
  SetAttrDirect(a.self(), Intern(ToText(a[0], "attribute name")), a[1]);
  return Value::None();
}
Value ObjectDelAttr(Args& a) {
  SetAttrDirect(a.self(), Intern(ToText(a[0], "attribute name")), Value());
  return Value::None();
}
Value ObjectGetAttribute(Args& a) {
  return GetAttrDirect(a.self(), Intern(ToText(a[0], "attribute name")));
}

Value ObjectNew(Args& a) {
  auto* cls = As<Type>(a[0]);
  if (!cls) throw TypeError("object.__new__(X): X is not a type object (" + TypeName(a[0]) + ")");
  if (!cls->is_user()) return Call(a[0], CallArgs{As<TupleObject>(a[1])->items});
  if (auto make = FindSlot(cls->info(), &TypeInfo::subclass_new)) {
    return make(cls->info(), CallArgs{As<TupleObject>(a[1])->items});
  }
  return New<Instance>(cls->info());
}

Value MakeObject(Args&) {
  class Bare : public Object {
   public:
    Bare() : Object(kObjectType) {}
  };
  return New<Bare>();
}

Value GetClass(const Value& v) { return TypeValue(TypeOf(v)); }
Value GetDict(const Value& v) {
  Dict* attrs = v.is_object() ? v.object()->attrs() : nullptr;
  if (!attrs) throw AttributeError("'" + TypeName(v) + "' object has no attribute '__dict__'");
  if (auto* instance = dynamic_cast<Instance*>(v.object())) return instance->AttributesAsDict();
  Value out = MakeDict();
  for (size_t i = 0; const Dict::Entry* e = attrs->At(&i);)
    As<DictObject>(out)->dict.Set(e->key, e->value);
  return out;
}

// An attribute that an object has from its class until it is set.
Value OwnOrOfClass(const Value& v, const char* name) {
  Dict* attrs = v.is_object() ? v.object()->attrs() : nullptr;
  const Value* own = attrs ? attrs->Find(name) : nullptr;
  return own ? *own : GetAttr(TypeValue(TypeOf(v)), name);
}
void SetOwn(const Value& v, const char* name, const Value& value) {
  Dict* attrs = v.is_object() ? v.object()->attrs() : nullptr;
  if (!attrs)
    throw AttributeError("'" + TypeName(v) + "' object attribute '" + name + "' is read-only");
  attrs->Set(Value(Intern(name)), value);
}
Value GetDoc(const Value& v) { return OwnOrOfClass(v, "__doc__"); }
void SetDoc(const Value& v, const Value& doc) { SetOwn(v, "__doc__", doc); }
Value GetModule(const Value& v) { return OwnOrOfClass(v, "__module__"); }
void SetModule(const Value& v, const Value& module) { SetOwn(v, "__module__", module); }

const FunctionRow kObjectMethods[] = {
    {"__init__", "*args, **kwargs", ObjectInit},
    {"__repr__", "/", ObjectRepr},
    {"__str__", "/", ObjectStr},
    {"__eq__", "value, /", ObjectEq},
    {"__ne__", "value, /", ObjectNe},
    {"__hash__", "/", ObjectHash},
    {"__format__", "format_spec, /", ObjectFormat},
    {"__setattr__", "name, value, /", ObjectSetAttr},
    {"__delattr__", "name, /", ObjectDelAttr},
    {"__getattribute__", "name, /", ObjectGetAttribute},
};
// Implements type.__new__(metaclass, name, bases, dict).
Value TypeNew(Args& a) {
  auto* meta = As<Type>(a[0]);
  if (!meta || !DerivesFrom(meta->info(), Type::kType))
    throw TypeError("type.__new__(X): X is not a subtype of type");
  return MakeClass(a[1], a[2], a[3], a[4], meta->info());
}
const FunctionRow kTypeNew = {"__new__", "cls, name, bases, dict, /, **kwargs", TypeNew};
const FunctionRow kObjectNew = {"__new__", "cls, *args, **kwargs", ObjectNew};
const PropertyRow kObjectProperties[] = {{"__class__", GetClass},
                                         {"__dict__", GetDict},
                                         {"__doc__", GetDoc, SetDoc},
                                         {"__module__", GetModule, SetModule}};
const FunctionRow kMakeObject = {"object", "/", MakeObject};

std::string NoneRepr(const Value&) { return "None"; }
std::string NotImplementedRepr(const Value&) { return "NotImplemented"; }
std::string EllipsisRepr(const Value&) { return "Ellipsis"; }

Value MakeNone(Args&) { return Value::None(); }
const FunctionRow kMakeNone = {"NoneType", "/", MakeNone};

// ---- slots by name ----

const TypeInfo& Owner(Args& a) { return *static_cast<const TypeInfo*>(a.row().data); }

Value SlotRepr(Args& a) { return MakeStr(FindSlot(Owner(a), &TypeInfo::repr)(a.self())); }
Value SlotStr(Args& a) { return MakeStr(FindSlot(Owner(a), &TypeInfo::str)(a.self())); }
Value SlotFormat(Args& a) {
  return MakeStr(Owner(a).format(a.self(), ToText(a[0], "format spec")));
}
Value SlotLen(Args& a) { return Value::Int(Owner(a).len(a.self())); }
Value SlotBool(Args& a) { return Value::Bool(Owner(a).truth(a.self())); }
Value SlotHash(Args& a) { return Value::Int(static_cast<int64_t>(Owner(a).hash(a.self()))); }
Value SlotGetItem(Args& a) { return Owner(a).getitem(a.self(), a[0]); }
Value SlotSetItem(Args& a) { return Owner(a).setitem(a.self(), a[0], a[1]), Value::None(); }
Value SlotDelItem(Args& a) { return Owner(a).delitem(a.self(), a[0]), Value::None(); }
Value SlotContains(Args& a) { return Value::Bool(Owner(a).contains(a.self(), a[0])); }
Value SlotIter(Args& a) { return Owner(a).iter(a.self()); }
Value SlotNext(Args& a) {
  Value out;
  if (!Owner(a).next(a.self(), &out))
    throw PyError(New<ExceptionObject>(kStopIteration, MakeTuple()));
  return out;
}
Value SlotCall(Args& a) {
  std::vector<Value> all = As<TupleObject>(a[0])->items;
  const Value keywords = SpreadKeywords(a[1], &all);
  return Owner(a).call(a.self(), CallArgs{all, As<TupleObject>(keywords)});
}
Value SlotEnter(Args& a) { return Owner(a).enter(a.self()); }
Value SlotExit(Args& a) { return Value::Bool(Owner(a).exit(a.self(), a[1])); }

template <BinaryOp Op, bool Reflected>
Value SlotBinary(Args& a) {
  Value made = Reflected ? Owner(a).binary(Op, a[0], a.self(), true)
                         : Owner(a).binary(Op, a.self(), a[0], false);
  // Sequences implement + and * by joining and repeating, not as operators of numbers. Called by
  // name, these raise an error immediately.
  if (!made.is_not_implemented() ||
      (!Sequence(a.self()) && !IsStr(a.self()) && !As<BytesObject>(a.self())))
    return made;
  if (Op == BinaryOp::kAdd && !Reflected) return Binary(Op, a.self(), a[0]);
  if (Op != BinaryOp::kMul) return made;
  throw TypeError("'" + TypeName(a[0]) + "' object cannot be interpreted as an integer");
}
template <CompareOp Op>
Value SlotCompare(Args& a) {
  return Owner(a).compare(Op, a.self(), a[0]);
}
template <UnaryOp Op>
Value SlotUnary(Args& a) {
  return Owner(a).unary(Op, a.self());
}

// A method and the condition under which a type has it: the type's own table sets the slot.
struct SlotRow {
  bool (*present)(const TypeInfo&);
  FunctionRow row;
};

#define HAS(slot) [](const TypeInfo& t) { return t.slot != nullptr; }
#define BINARY(Op, name, rname)                                         \
  {HAS(binary), {name, "value, /", SlotBinary<BinaryOp::Op, false>}}, { \
    HAS(binary), { rname, "value, /", SlotBinary<BinaryOp::Op, true> }  \
  }
const SlotRow kSlotRows[] = {
    {HAS(repr), {"__repr__", "/", SlotRepr}},
    {HAS(str), {"__str__", "/", SlotStr}},
    {HAS(format), {"__format__", "format_spec, /", SlotFormat}},
    {HAS(len), {"__len__", "/", SlotLen}},
    {HAS(truth), {"__bool__", "/", SlotBool}},
    {HAS(hash), {"__hash__", "/", SlotHash}},
    {HAS(getitem), {"__getitem__", "key, /", SlotGetItem}},
    {HAS(setitem), {"__setitem__", "key, value, /", SlotSetItem}},
    {HAS(delitem), {"__delitem__", "key, /", SlotDelItem}},
    {HAS(contains), {"__contains__", "key, /", SlotContains}},
    {HAS(iter), {"__iter__", "/", SlotIter}},
    {HAS(next), {"__next__", "/", SlotNext}},
    {HAS(call), {"__call__", "*args, **kwargs", SlotCall}},
    {HAS(enter), {"__enter__", "/", SlotEnter}},
    {HAS(exit), {"__exit__", "exc_type, exc, tb, /", SlotExit}},
    {HAS(compare), {"__lt__", "value, /", SlotCompare<CompareOp::kLt>}},
    {HAS(compare), {"__le__", "value, /", SlotCompare<CompareOp::kLe>}},
    {HAS(compare), {"__eq__", "value, /", SlotCompare<CompareOp::kEq>}},
    {HAS(compare), {"__ne__", "value, /", SlotCompare<CompareOp::kNe>}},
    {HAS(compare), {"__gt__", "value, /", SlotCompare<CompareOp::kGt>}},
    {HAS(compare), {"__ge__", "value, /", SlotCompare<CompareOp::kGe>}},
    {HAS(unary), {"__neg__", "/", SlotUnary<UnaryOp::kNeg>}},
    {HAS(unary), {"__pos__", "/", SlotUnary<UnaryOp::kPos>}},
    {HAS(unary), {"__abs__", "/", SlotUnary<UnaryOp::kAbs>}},
    {HAS(unary), {"__invert__", "/", SlotUnary<UnaryOp::kInvert>}},
    BINARY(kAdd, "__add__", "__radd__"),
    BINARY(kSub, "__sub__", "__rsub__"),
    BINARY(kMul, "__mul__", "__rmul__"),
    BINARY(kMatMul, "__matmul__", "__rmatmul__"),
    BINARY(kTrueDiv, "__truediv__", "__rtruediv__"),
    BINARY(kFloorDiv, "__floordiv__", "__rfloordiv__"),
    BINARY(kMod, "__mod__", "__rmod__"),
    BINARY(kPow, "__pow__", "__rpow__"),
    BINARY(kAnd, "__and__", "__rand__"),
    BINARY(kOr, "__or__", "__ror__"),
    BINARY(kXor, "__xor__", "__rxor__"),
};
#undef BINARY
#undef HAS

}  // namespace

void AddSlotMethods(const TypeInfo& info, Dict* dict) {
  // Never freed, like the tables of the types.
  static auto& rows = *new std::deque<FunctionRow>;
  for (const SlotRow& slot : kSlotRows) {
    if (!slot.present(info)) continue;
    FunctionRow& row = rows.emplace_back(slot.row);
    row.data = &info;
    dict->Set(Value(Intern(row.name)), New<NativeFunction>(row, &info));
  }
  if (info.unhashable) dict->Set("__hash__", Value::None());
  if (&info == &kObjectType) {
    dict->Set("__new__", New<StaticMethod>(New<NativeFunction>(kObjectNew, nullptr)));
  }
  if (&info == &Type::kType) {
    dict->Set("__new__", New<StaticMethod>(New<NativeFunction>(kTypeNew, nullptr)));
  }
}

const TypeInfo kObjectType = {.name = "object",
                              .methods = kObjectMethods,
                              .properties = kObjectProperties,
                              .construct = &kMakeObject};
const TypeInfo kNoneType = {.name = "NoneType", .construct = &kMakeNone, .repr = NoneRepr};
const TypeInfo kNotImplementedType = {.name = "NotImplementedType", .repr = NotImplementedRepr};
const TypeInfo kEllipsisType = {.name = "ellipsis", .repr = EllipsisRepr};

}  // namespace tensh::shell
