// The module collections: namedtuple, OrderedDict, defaultdict, Counter and deque.
#include <algorithm>
#include <deque>

#include "shell/python/modules/modules.h"
#include "shell/python/values/class.h"
#include "shell/python/values/collections/dict_type.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/collections/sort.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

Dict& D(const Value& v) { return static_cast<DictObject*>(v.object())->dict; }
const std::vector<Value>& Rest(Args& a, size_t i) { return As<TupleObject>(a[i])->items; }

std::string DictText(const Value& v) {
  std::string out = "{";
  for (size_t i = 0; const Dict::Entry* e = D(v).At(&i);) {
    if (out.size() > 1) out += ", ";
    Value key = e->key, value = e->value;
    out += Repr(key) + ": " + Repr(value);
  }
  return out + "}";
}

// Makes a subclass of dict and fills it as dict(...) would.
template <class T, class... A>
Value Filled(Args& a, size_t first, const A&... args) {
  auto d = New<T>(static_cast<Type*>(a.self().object())->info(), args...);
  for (const Value& more : Rest(a, first)) UpdateDict(&d->dict, more);
  UpdateDict(&d->dict, a[first + 1]);
  return d;
}

// ---- OrderedDict ----

class OrderedDictObject : public DictObject {
 public:
  static const TypeInfo kType;
  explicit OrderedDictObject(const TypeInfo& type = kType) : DictObject(type) {}
};
std::string OrderedRepr(const Value& v) {
  ReprGuard guard(v.object());
  if (guard.again()) return "...";
  std::string items;
  for (size_t i = 0; const Dict::Entry* e = D(v).At(&i);) {
    Value key = e->key, value = e->value;
    items += (items.empty() ? "(" : ", (") + Repr(key) + ", " + Repr(value) + ")";
  }
  return TypeName(v) + (items.empty() ? "()" : "([" + items + "])");
}
Value MakeOrdered(Args& a) { return Filled<OrderedDictObject>(a, 0); }
Value MoveToEnd(Args& a) { return D(a.self()).MoveToEnd(a[0], Truth(a[1])), Value::None(); }
Value OrderedPopItem(Args& a) {
  size_t i = 0;
  const Dict::Entry* e = Truth(a[0]) ? D(a.self()).Last() : D(a.self()).At(&i);
  if (!e) throw KeyError(MakeStr("dictionary is empty"));
  Value key = e->key, value = e->value;
  D(a.self()).Erase(key);
  return MakeTuple({key, value});
}
Value OrderedNew(const TypeInfo& cls, const CallArgs&) {
  return New<Extended<OrderedDictObject>>(cls);
}
Value OrderedCompare(CompareOp op, const Value& a, const Value& b) {
  auto *x = As<OrderedDictObject>(a), *y = As<OrderedDictObject>(b);
  if (x && y && (op == CompareOp::kEq || op == CompareOp::kNe)) {
    std::vector<Value> left, right;
    for (size_t i = 0; const Dict::Entry* e = x->dict.At(&i);)
      left.push_back(MakeTuple({e->key, e->value}));
    for (size_t i = 0; const Dict::Entry* e = y->dict.At(&i);)
      right.push_back(MakeTuple({e->key, e->value}));
    return CompareItems(op, left, right);
  }
  return DictObject::kType.compare(op, a, b);
}
const FunctionRow kMakeOrdered = {"OrderedDict", "*args, **kwargs", MakeOrdered};
const FunctionRow kOrderedMethods[] = {{"move_to_end", "key, last=True", MoveToEnd},
                                       {"popitem", "last=True", OrderedPopItem}};

// ---- defaultdict ----

class DefaultDictObject : public DictObject {
 public:
  static const TypeInfo kType;
  explicit DefaultDictObject(const TypeInfo& type = kType, Value factory = Value::None())
      : DictObject(type), factory(std::move(factory)) {}
  void DropRefs() override {
    factory = Value();
    DictObject::DropRefs();
  }
  Value factory;
};
DefaultDictObject& DD(const Value& v) { return *static_cast<DefaultDictObject*>(v.object()); }
Value MakeDefault(Args& a) {
  if (!a[0].is_none() && !IsCallable(a[0]))
    throw TypeError("first argument must be callable or None");
  return Filled<DefaultDictObject>(a, 1, a[0]);
}
std::string DefaultRepr(const Value& v) {
  ReprGuard guard(v.object());
  if (guard.again()) return "defaultdict(...)";
  return "defaultdict(" + Repr(DD(v).factory) + ", " + DictText(v) + ")";
}
Value DefaultGet(const Value& v, const Value& key) {
  if (Value* found = D(v).Find(key)) return *found;
  if (DD(v).factory.is_none()) throw KeyError(key);
  Value made = Call(DD(v).factory, CallArgs{});
  D(v).Set(key, made);
  return made;
}
Value Factory(const Value& v) { return DD(v).factory; }
const FunctionRow kMakeDefault = {"defaultdict", "default_factory=None, /, *args, **kwargs",
                                  MakeDefault};
const PropertyRow kDefaultProperties[] = {{"default_factory", Factory}};

// ---- Counter ----

class CounterObject : public DictObject {
 public:
  static const TypeInfo kType;
  explicit CounterObject(const TypeInfo& type = kType) : DictObject(type) {}
};
void CountInto(const Value& counter, const Value& more, BinaryOp op) {
  auto add = [&](const Value& key, const Value& n) {
    Value* found = D(counter).Find(key);
    Value old = found ? *found : Value::Int(0);
    D(counter).Set(key, Binary(op, old, n));
  };
  if (auto* d = As<DictObject>(more)) {
    for (size_t i = 0; const Dict::Entry* e = d->dict.At(&i);) add(Value(e->key), Value(e->value));
    return;
  }
  Value it = Iter(more), v;
  while (Next(it, &v)) add(v, Value::Int(1));
}
Value MakeCounter(Args& a) {
  Value c = New<CounterObject>(static_cast<Type*>(a.self().object())->info());
  for (const Value& more : Rest(a, 0)) {
    if (!more.is_none()) CountInto(c, more, BinaryOp::kAdd);
  }
  CountInto(c, a[1], BinaryOp::kAdd);
  return c;
}
std::vector<Value> ByCount(const Value& v) {
  std::vector<Value> pairs;
  for (size_t i = 0; const Dict::Entry* e = D(v).At(&i);)
    pairs.push_back(MakeTuple({e->key, e->value}));
  std::stable_sort(pairs.begin(), pairs.end(), [](const Value& x, const Value& y) {
    const Value &m = As<TupleObject>(x)->items[1], &n = As<TupleObject>(y)->items[1];
    return m.is_int() && n.is_int() && m.as_int() > n.as_int();
  });
  return pairs;
}
std::string CounterRepr(const Value& v) {
  if (D(v).empty()) return "Counter()";
  std::string out = "Counter({";
  bool first = true;
  for (const Value& pair : ByCount(v)) {
    const auto& items = As<TupleObject>(pair)->items;
    out += (first ? "" : ", ") + Repr(items[0]) + ": " + Repr(items[1]);
    first = false;
  }
  return out + "})";
}
Value CounterGet(const Value& v, const Value& key) {
  Value* found = D(v).Find(key);
  return found ? *found : Value::Int(0);
}
Value MostCommon(Args& a) {
  std::vector<Value> pairs = ByCount(a.self());
  if (!a[0].is_none())
    pairs.resize(std::min(pairs.size(), static_cast<size_t>(std::max<int64_t>(0, ToIndex(a[0])))));
  return MakeList(std::move(pairs));
}
Value Elements(Args& a) {
  std::vector<Value> out;
  for (size_t i = 0; const Dict::Entry* e = D(a.self()).At(&i);) {
    for (int64_t n = ToIndex(e->value); n > 0; --n) out.push_back(e->key);
  }
  return IterList(MakeList(std::move(out)));
}
Value CounterUpdate(Args& a) {
  for (const Value& more : Rest(a, 0)) CountInto(a.self(), more, BinaryOp::kAdd);
  CountInto(a.self(), a[1], BinaryOp::kAdd);
  return Value::None();
}
Value Subtract(Args& a) {
  for (const Value& more : Rest(a, 0)) CountInto(a.self(), more, BinaryOp::kSub);
  return Value::None();
}
Value Total(Args& a) {
  Value total = Value::Int(0);
  for (size_t i = 0; const Dict::Entry* e = D(a.self()).At(&i);)
    total = Binary(BinaryOp::kAdd, total, e->value);
  return total;
}
Value CounterBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  if (!As<CounterObject>(a) || !As<CounterObject>(b)) return Value::NotImplemented();
  if (op != BinaryOp::kAdd && op != BinaryOp::kSub && op != BinaryOp::kAnd && op != BinaryOp::kOr) {
    return Value::NotImplemented();
  }
  Value out = New<CounterObject>();
  auto put = [&](const Value& key) {
    Value x = CounterGet(a, key), y = CounterGet(b, key), n;
    if (op == BinaryOp::kAdd || op == BinaryOp::kSub)
      n = Binary(op, x, y);
    else
      n = CompareTruth(CompareOp::kLt, x, y) == (op == BinaryOp::kAnd) ? x : y;
    if (CompareTruth(CompareOp::kGt, n, Value::Int(0))) D(out).Set(key, n);
  };
  for (size_t i = 0; const Dict::Entry* e = D(a).At(&i);) put(Value(e->key));
  for (size_t i = 0; const Dict::Entry* e = D(b).At(&i);) {
    if (!D(a).Find(e->key)) put(Value(e->key));
  }
  return out;
}
const FunctionRow kMakeCounter = {"Counter", "*args, **kwargs", MakeCounter};
const FunctionRow kCounterMethods[] = {
    {"most_common", "n=None", MostCommon},
    {"elements", "/", Elements},
    {"update", "*args, **kwargs", CounterUpdate},
    {"subtract", "*args", Subtract},
    {"total", "/", Total},
};

// ---- deque ----

class DequeObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  DequeObject() : TrackedObject(kType) {}
  void DropRefs() override { items.clear(); }
  void Trim(bool from_left) {
    while (limit >= 0 && static_cast<int64_t>(items.size()) > limit) {
      if (from_left)
        items.pop_front();
      else
        items.pop_back();
      ++changes;
    }
  }
  std::deque<Value> items;
  int64_t limit = -1;
  uint64_t changes = 0;
};
DequeObject& Q(const Value& v) { return *static_cast<DequeObject*>(v.object()); }
std::vector<Value> QItems(const Value& v) { return {Q(v).items.begin(), Q(v).items.end()}; }

Value PushBack(const Value& v, const Value& item) {
  Q(v).items.push_back(item);
  ++Q(v).changes;
  Q(v).Trim(true);
  return Value::None();
}
Value PushFront(const Value& v, const Value& item) {
  Q(v).items.push_front(item);
  ++Q(v).changes;
  Q(v).Trim(false);
  return Value::None();
}
Value MakeDeque(Args& a) {
  auto q = New<DequeObject>();
  if (!a[1].is_none()) {
    q->limit = ToIndex(a[1]);
    if (q->limit < 0) throw ValueError("maxlen must be non-negative");
  }
  if (a.has(0)) {
    for (const Value& v : ToVector(a[0])) PushBack(Value(q), v);
  }
  return q;
}
Value DequeAppend(Args& a) { return PushBack(a.self(), a[0]); }
Value DequeAppendLeft(Args& a) { return PushFront(a.self(), a[0]); }
Value DequeExtend(Args& a) {
  for (const Value& v : ToVector(a[0])) PushBack(a.self(), v);
  return Value::None();
}
Value DequeExtendLeft(Args& a) {
  for (const Value& v : ToVector(a[0])) PushFront(a.self(), v);
  return Value::None();
}
template <bool Left>
Value DequePop(Args& a) {
  auto& q = Q(a.self());
  if (q.items.empty()) throw IndexError("pop from an empty deque");
  Value v = Left ? q.items.front() : q.items.back();
  if (Left)
    q.items.pop_front();
  else
    q.items.pop_back();
  ++q.changes;
  return v;
}
Value DequeClear(Args& a) {
  std::deque<Value> gone;
  gone.swap(Q(a.self()).items);
  ++Q(a.self()).changes;
  return Value::None();
}
Value DequeRotate(Args& a) {
  auto& items = Q(a.self()).items;
  if (items.empty()) return Value::None();
  const auto n = static_cast<int64_t>(items.size());
  const int64_t by = ((ToIndex(a[0]) % n) + n) % n;
  std::rotate(items.begin(), items.end() - by, items.end());
  return Value::None();
}
Value DequeReverse(Args& a) {
  std::reverse(Q(a.self()).items.begin(), Q(a.self()).items.end());
  return Value::None();
}
Value DequeCount(Args& a) {
  int64_t n = 0;
  for (const Value& v : QItems(a.self())) n += Equal(v, a[0]);
  return Value::Int(n);
}
Value DequeRemove(Args& a) {
  const int64_t i = FindItem(QItems(a.self()), a[0], 0, INT64_MAX);
  if (i < 0) throw ValueError(Repr(a[0]) + " is not in deque");
  Q(a.self()).items.erase(Q(a.self()).items.begin() + i);
  ++Q(a.self()).changes;
  return Value::None();
}
Value DequeIndex(Args& a) {
  const int64_t i = FindItem(QItems(a.self()), a[0], 0, INT64_MAX);
  if (i < 0) throw ValueError(Repr(a[0]) + " is not in deque");
  return Value::Int(i);
}
Value DequeCopy(Args& a) {
  auto q = New<DequeObject>();
  q->items = Q(a.self()).items;
  q->limit = Q(a.self()).limit;
  return q;
}
std::string DequeRepr(const Value& v) {
  ReprGuard guard(v.object());
  if (guard.again()) return "[...]";
  std::string out = "deque([" + JoinReprs(QItems(v)) + "]";
  return out + (Q(v).limit >= 0 ? ", maxlen=" + std::to_string(Q(v).limit) + ")" : ")");
}
int64_t DequeLen(const Value& v) { return static_cast<int64_t>(Q(v).items.size()); }
Value DequeGet(const Value& v, const Value& key) {
  return Q(v).items[static_cast<size_t>(CheckIndex(key, DequeLen(v), "deque"))];
}
void DequeSet(const Value& v, const Value& key, const Value& value) {
  Value item = value;
  Q(v).items[static_cast<size_t>(CheckIndex(key, DequeLen(v), "deque"))].swap(item);
}
Value DequeIter(const Value& v) { return IterList(MakeList(QItems(v))); }
Value DequeCompare(CompareOp op, const Value& a, const Value& b) {
  return As<DequeObject>(a) && As<DequeObject>(b) ? CompareItems(op, QItems(a), QItems(b))
                                                  : Value::NotImplemented();
}
Value MaxLen(const Value& v) { return Q(v).limit < 0 ? Value::None() : Value::Int(Q(v).limit); }
const FunctionRow kMakeDeque = {"deque", "iterable=..., maxlen=None", MakeDeque};
const FunctionRow kDequeMethods[] = {
    {"append", "item, /", DequeAppend},
    {"appendleft", "item, /", DequeAppendLeft},
    {"extend", "iterable, /", DequeExtend},
    {"extendleft", "iterable, /", DequeExtendLeft},
    {"pop", "/", DequePop<false>},
    {"popleft", "/", DequePop<true>},
    {"clear", "/", DequeClear},
    {"rotate", "n=1, /", DequeRotate},
    {"reverse", "/", DequeReverse},
    {"count", "value, /", DequeCount},
    {"remove", "value, /", DequeRemove},
    {"index", "value, /", DequeIndex},
    {"copy", "/", DequeCopy},
};
const PropertyRow kDequeProperties[] = {{"maxlen", MaxLen}};

// ---- namedtuple ----

// A descriptor for field i of a named tuple, stored in its class.
class FieldObject : public Object {
 public:
  static const TypeInfo kType;
  explicit FieldObject(size_t i) : Object(kType), index(i) {}
  size_t index;
};
Value FieldGet(const Value& self, const Value& instance, const Value&) {
  if (instance.is_null()) return self;
  const auto& items = As<TupleObject>(instance)->items;
  const size_t i = static_cast<FieldObject*>(self.object())->index;
  return i < items.size() ? items[i] : Value::None();
}
void FieldSet(const Value&, const Value&, const Value&) {
  throw AttributeError("can't set attribute");
}

const std::vector<Value>& Fields(const Value& cls) { return *Sequence(GetAttr(cls, "_fields")); }

Value NamedNew(Args& a) {
  const Value& cls = a[0];
  const auto& fields = Fields(cls);
  std::vector<Value> items = Rest(a, 1);
  Dict& named = D(a[2]);
  Value defaults = GetAttr(cls, "_field_defaults");
  const std::string name = static_cast<Type*>(cls.object())->name();
  if (items.size() > fields.size()) {
    throw TypeError(name + ".__new__() takes " + std::to_string(fields.size() + 1) +
                    " positional arguments but " + std::to_string(items.size() + 1) +
                    " were given");
  }
  std::string missing;
  size_t missing_count = 0;
  for (size_t i = items.size(); i < fields.size(); ++i) {
    Value v;
    if (named.Erase(fields[i], &v)) {
      items.push_back(v);
    } else if (Value* d = D(defaults).Find(fields[i])) {
      items.push_back(*d);
    } else {
      missing += (missing.empty() ? "" : i + 1 == fields.size() ? " and " : ", ") + Repr(fields[i]);
      ++missing_count;
      items.push_back(Value::None());
    }
  }
  if (missing_count) {
    throw TypeError(name + ".__new__() missing " + std::to_string(missing_count) +
                    " required positional argument" + (missing_count > 1 ? "s" : "") + ": " +
                    missing);
  }
  for (size_t i = 0; const Dict::Entry* e = named.At(&i);) {
    throw TypeError(name + ".__new__() got an unexpected keyword argument " + Repr(e->key));
  }
  Value tuple = MakeTuple(std::move(items));
  return TupleObject::kType.subclass_new(static_cast<Type*>(cls.object())->info(),
                                         CallArgs{{&tuple, 1}});
}
Value NamedRepr(Args& a) {
  const auto& fields = Fields(TypeValue(TypeOf(a.self())));
  const auto& items = As<TupleObject>(a.self())->items;
  std::string out = TypeName(a.self()) + "(";
  for (size_t i = 0; i < items.size() && i < fields.size(); ++i) {
    out += (i ? ", " : "") + Str(fields[i]) + "=" + Repr(items[i]);
  }
  return MakeStr(out + ")");
}
Value NamedAsDict(Args& a) {
  Value out = MakeDict();
  const auto& fields = Fields(TypeValue(TypeOf(a.self())));
  for (size_t i = 0; i < fields.size(); ++i)
    D(out).Set(fields[i], As<TupleObject>(a.self())->items[i]);
  return out;
}
Value NamedReplace(Args& a) {
  const auto& fields = Fields(TypeValue(TypeOf(a.self())));
  std::vector<Value> items = As<TupleObject>(a.self())->items;
  for (size_t i = 0; i < fields.size(); ++i) {
    Value v;
    if (D(a[0]).Erase(fields[i], &v)) items[i] = v;
  }
  if (!D(a[0]).empty())
    throw ValueError("Got unexpected field names: " + Repr(MakeList(ToVector(a[0]))));
  return Call(TypeValue(TypeOf(a.self())), items);
}
Value NamedMake(Args& a) { return Call(a.self(), ToVector(a[0])); }

const FunctionRow kNamedNew = {"__new__", "cls, *args, **kwargs", NamedNew};
const FunctionRow kNamedMake = {"_make", "iterable", NamedMake};
const FunctionRow kNamedMethods[] = {{"__repr__", "/", NamedRepr},
                                     {"_asdict", "/", NamedAsDict},
                                     {"_replace", "**kwargs", NamedReplace}};

Value NamedTuple(Args& a) {
  std::vector<Value> fields;
  if (IsStr(a[1])) {
    std::string text = ToText(a[1], "field_names");
    std::replace(text.begin(), text.end(), ',', ' ');
    fields = As<ListObject>(CallMethod(MakeStr(text), "split", {}))->items;
  } else {
    for (const Value& v : ToVector(a[1])) fields.push_back(MakeStr(Str(v)));
  }
  Value dict = MakeDict(), defaults = MakeDict();
  for (size_t i = 0; i < fields.size(); ++i) {
    std::string_view name = StrView(fields[i]);
    if (!Truth(CallMethod(fields[i], "isidentifier", {}))) {
      throw ValueError("Type names and field names must be valid identifiers: " + Repr(fields[i]));
    }
    if (name[0] == '_')
      throw ValueError("Field names cannot start with an underscore: " + Repr(fields[i]));
    if (D(dict).Find(name))
      throw ValueError("Encountered duplicate field name: " + Repr(fields[i]));
    D(dict).Set(Value(Intern(name)), New<FieldObject>(i));
  }
  if (!a[2].is_none()) {
    std::vector<Value> values = ToVector(a[2]);
    if (values.size() > fields.size()) throw TypeError("Got more default values than field names");
    for (size_t i = 0; i < values.size(); ++i)
      D(defaults).Set(fields[fields.size() - values.size() + i], values[i]);
  }
  D(dict).Set(Value(Intern("_fields")), MakeTuple(std::move(fields)));
  D(dict).Set(Value(Intern("_field_defaults")), defaults);
  D(dict).Set(Value(Intern("__new__")), New<StaticMethod>(New<NativeFunction>(kNamedNew, nullptr)));
  D(dict).Set(Value(Intern("_make")), New<ClassMethod>(New<NativeFunction>(kNamedMake, nullptr)));
  for (const FunctionRow& row : kNamedMethods) {
    D(dict).Set(Value(Intern(row.name)), New<NativeFunction>(row, &TupleObject::kType));
  }
  return MakeClass(a[0], MakeTuple({TypeValue(TupleObject::kType)}), dict);
}

template <const TypeInfo* Info>
Value ClassOf() {
  return TypeValue(*Info);
}
const FunctionRow kRows[] = {{"namedtuple",
                              "typename, field_names, *, defaults=None, rename=False, module=None",
                              NamedTuple}};
const ConstantRow kConstants[] = {
    {"OrderedDict", ClassOf<&OrderedDictObject::kType>},
    {"defaultdict", ClassOf<&DefaultDictObject::kType>},
    {"Counter", ClassOf<&CounterObject::kType>},
    {"deque", ClassOf<&DequeObject::kType>},
};

}  // namespace

const TypeInfo OrderedDictObject::kType = {.name = "OrderedDict",
                                           .base = &DictObject::kType,
                                           .module = "collections",
                                           .methods = kOrderedMethods,
                                           .construct = &kMakeOrdered,
                                           .subclass_new = OrderedNew,
                                           .repr = OrderedRepr,
                                           .compare = OrderedCompare};
const TypeInfo DefaultDictObject::kType = {.name = "defaultdict",
                                           .base = &DictObject::kType,
                                           .module = "collections",
                                           .properties = kDefaultProperties,
                                           .construct = &kMakeDefault,
                                           .repr = DefaultRepr,
                                           .getitem = DefaultGet};
const TypeInfo CounterObject::kType = {.name = "Counter",
                                       .base = &DictObject::kType,
                                       .module = "collections",
                                       .methods = kCounterMethods,
                                       .construct = &kMakeCounter,
                                       .repr = CounterRepr,
                                       .binary = CounterBinary,
                                       .getitem = CounterGet};
const TypeInfo DequeObject::kType = {.name = "deque",
                                     .module = "collections",
                                     .methods = kDequeMethods,
                                     .properties = kDequeProperties,
                                     .construct = &kMakeDeque,
                                     .repr = DequeRepr,
                                     .unhashable = true,
                                     .compare = DequeCompare,
                                     .len = DequeLen,
                                     .getitem = DequeGet,
                                     .setitem = DequeSet,
                                     .iter = DequeIter};
const TypeInfo FieldObject::kType = {.name = "_tuplegetter",
                                     .module = "collections",
                                     .descr_get = FieldGet,
                                     .overrides = true,
                                     .descr_set = FieldSet};

const ModuleDef kCollectionsModule = {
    .name = "collections", .functions = kRows, .constants = kConstants};

}  // namespace tensh::shell
