// The type dict and its views.
#include "shell/python/values/collections/dict_type.h"
#include "shell/python/values/class.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/collections/set.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

Dict& D(const Value& v) { return static_cast<DictObject*>(v.object())->dict; }

enum class Part : uint8_t { kKeys, kValues, kItems };

Value PartOf(const Dict::Entry& e, Part part) {
  return part == Part::kKeys     ? e.key
         : part == Part::kValues ? e.value
                                 : MakeTuple({e.key, e.value});
}

const TypeInfo kKeyIterator = IteratorType("dict_keyiterator");
const TypeInfo kValueIterator = IteratorType("dict_valueiterator");
const TypeInfo kItemIterator = IteratorType("dict_itemiterator");

class DictIterator : public Iterator {
 public:
  DictIterator(const Value& dict, Part part)
      : Iterator(part == Part::kKeys     ? kKeyIterator
                 : part == Part::kValues ? kValueIterator
                                         : kItemIterator),
        dict_(dict),
        part_(part),
        size_(D(dict).size()) {}
  void DropRefs() override { dict_ = Value(); }
  bool Step(Value* out) override {
    if (dict_.is_null()) return false;
    if (D(dict_).size() != size_) {
      dict_ = Value();
      throw RuntimeError("dictionary changed size during iteration");
    }
    if (const Dict::Entry* e = D(dict_).At(&at_)) {
      *out = PartOf(*e, part_);
      return true;
    }
    dict_ = Value();
    return false;
  }

 private:
  Value dict_;
  Part part_;
  size_t size_, at_ = 0;
};

class DictView : public TrackedObject {
 public:
  static const TypeInfo kKeys, kValues, kItems;
  DictView(const Value& dict, Part part)
      : TrackedObject(part == Part::kKeys     ? kKeys
                      : part == Part::kValues ? kValues
                                              : kItems),
        dict(dict),
        part(part) {}
  void DropRefs() override { dict = Value(); }
  Value dict;
  Part part;
};

DictView& View(const Value& v) { return *static_cast<DictView*>(v.object()); }

std::vector<Value> PartsOf(Dict& dict, Part part) {
  std::vector<Value> out;
  out.reserve(dict.size());
  for (size_t i = 0; const Dict::Entry* e = dict.At(&i);) out.push_back(PartOf(*e, part));
  return out;
}

std::string ViewRepr(const Value& v) {
  ReprGuard guard(v.object());
  if (guard.again()) return "...";
  return std::string(TypeName(v)) + "([" + JoinReprs(PartsOf(D(View(v).dict), View(v).part)) + "])";
}
int64_t ViewLen(const Value& v) { return static_cast<int64_t>(D(View(v).dict).size()); }
Value ViewIter(const Value& v) { return New<DictIterator>(View(v).dict, View(v).part); }
bool ViewContains(const Value& v, const Value& item) {
  Dict& dict = D(View(v).dict);
  if (View(v).part == Part::kKeys) return dict.Find(item) != nullptr;
  if (View(v).part == Part::kItems) {
    auto* pair = As<TupleObject>(item);
    if (!pair || pair->items.size() != 2) return false;
    Value* found = dict.Find(pair->items[0]);
    if (!found) return false;
    Value held = *found;
    return Equal(held, pair->items[1]);
  }
  return FindItem(PartsOf(dict, Part::kValues), item, 0, INT64_MAX) >= 0;
}
// Implements view & other. Only the values that are iterated must be hashable, so the order of
// attempts is CPython's.
Value Common(const Value& view, const Value& other) {
  if (IsSet(other) && static_cast<int64_t>(As<SetObject>(other)->size()) >= ViewLen(view)) {
    return CallMethod(other, "intersection", {view});
  }
  auto out = New<SetObject>();
  for (const Value& v : ToVector(other)) {
    if (ViewContains(view, v)) out->Add(v);
  }
  return out;
}

Value ViewBinary(BinaryOp op, const Value& a, const Value& b, bool reflected) {
  if (op == BinaryOp::kAnd) return reflected ? Common(b, a) : Common(a, b);
  if (op != BinaryOp::kAnd && op != BinaryOp::kOr && op != BinaryOp::kSub && op != BinaryOp::kXor) {
    return Value::NotImplemented();
  }
  Value x = reflected ? a : MakeSet(PartsOf(D(View(a).dict), View(a).part));
  Value y = reflected ? MakeSet(PartsOf(D(View(b).dict), View(b).part)) : MakeSet(ToVector(b));
  if (reflected) x = MakeSet(ToVector(a));
  return Binary(op, x, y);
}
Value ViewCompare(CompareOp op, const Value& a, const Value& b) {
  auto as_set = [](const Value& v) {
    return DerivesFrom(TypeOf(v), DictView::kKeys) || DerivesFrom(TypeOf(v), DictView::kItems)
               ? MakeSet(PartsOf(D(View(v).dict), View(v).part))
               : v;
  };
  Value y = as_set(b);
  if (y.Is(b) && TypeName(b) != "set" && TypeName(b) != "frozenset") return Value::NotImplemented();
  return Compare(op, as_set(a), y);
}

// ---- dict ----

std::string DictRepr(const Value& v) {
  ReprGuard guard(v.object());
  if (guard.again()) return "{...}";
  std::string out = "{";
  for (size_t i = 0; const Dict::Entry* e = D(v).At(&i);) {
    if (out.size() > 1) out += ", ";
    Value key = e->key, value = e->value;
    out += Repr(key);
    out += ": " + Repr(value);
  }
  return out + "}";
}

int64_t DictLen(const Value& v) { return static_cast<int64_t>(D(v).size()); }

Value DictGetItem(const Value& v, const Value& key) {
  if (Value* found = D(v).Find(key)) return *found;
  static StrObject* missing = Intern("__missing__");
  if (Value f = UserMethod(v, missing); !f.is_null()) return Call(f, {v, key});
  throw KeyError(key);
}
void DictSetItem(const Value& v, const Value& key, const Value& value) { D(v).Set(key, value); }
void DictDelItem(const Value& v, const Value& key) {
  Value old;
  if (!D(v).Erase(key, &old)) throw KeyError(key);
}
bool DictContains(const Value& v, const Value& key) {
  return D(v).Find(key) != nullptr || (Hash(key), false);
}
Value DictIter(const Value& v) { return New<DictIterator>(v, Part::kKeys); }

Value DictCompare(CompareOp op, const Value& a, const Value& b) {
  auto *x = As<DictObject>(a), *y = As<DictObject>(b);
  if (!x || !y || (op != CompareOp::kEq && op != CompareOp::kNe)) return Value::NotImplemented();
  bool same = x->dict.size() == y->dict.size();
  for (size_t i = 0; same;) {
    const Dict::Entry* e = x->dict.At(&i);
    if (!e) break;
    Value key = e->key, value = e->value;
    Value* other = y->dict.Find(key, e->hash);
    Value held = other ? *other : Value();
    same = other && Equal(value, held);
  }
  return Value::Bool(same == (op == CompareOp::kEq));
}

Value DictBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  if (op != BinaryOp::kOr || !As<DictObject>(a) || !As<DictObject>(b))
    return Value::NotImplemented();
  Value out = MakeDict();
  UpdateDict(&D(out), a);
  UpdateDict(&D(out), b);
  return out;
}
Value DictInplace(BinaryOp op, const Value& a, const Value& b) {
  if (op != BinaryOp::kOr) return Value::NotImplemented();
  UpdateDict(&D(a), b);
  return a;
}

// ---- methods ----

Value Get(Args& a) {
  Value* found = D(a.self()).Find(a[0]);
  return found ? *found : a[1];
}
Value SetDefault(Args& a) {
  if (Value* found = D(a.self()).Find(a[0])) return *found;
  D(a.self()).Set(a[0], a[1]);
  return a[1];
}
Value Pop(Args& a) {
  Value old;
  if (D(a.self()).Erase(a[0], &old)) return old;
  if (!a.has(1)) throw KeyError(a[0]);
  return a[1];
}
Value PopItem(Args& a) {
  const Dict::Entry* last = D(a.self()).Last();
  if (!last) throw KeyError(MakeStr("popitem(): dictionary is empty"));
  Value key = last->key, value = last->value;
  D(a.self()).Erase(key);
  return MakeTuple({key, value});
}
Value Update(Args& a) {
  if (As<TupleObject>(a[0])->items.size() > 1) {
    throw TypeError("update expected at most 1 argument, got " +
                    std::to_string(As<TupleObject>(a[0])->items.size()));
  }
  for (const Value& more : As<TupleObject>(a[0])->items) UpdateDict(&D(a.self()), more);
  UpdateDict(&D(a.self()), a[1]);
  return Value::None();
}
Value Keys(Args& a) { return New<DictView>(a.self(), Part::kKeys); }
Value Values(Args& a) { return New<DictView>(a.self(), Part::kValues); }
Value ItemsMethod(Args& a) { return New<DictView>(a.self(), Part::kItems); }
Value Clear(Args& a) {
  D(a.self()).Clear();
  return Value::None();
}
Value Copy(Args& a) {
  Value out = MakeDict();
  D(out) = D(a.self());
  return out;
}
Value FromKeys(Args& a) {
  Value out = MakeDict();
  for (const Value& key : ToVector(a[0])) D(out).Set(key, a[1]);
  return out;
}
Value Make(Args& a) {
  Value out = MakeDict();
  if (As<TupleObject>(a[0])->items.size() > 1) {
    throw TypeError("dict expected at most 1 argument, got " +
                    std::to_string(As<TupleObject>(a[0])->items.size()));
  }
  for (const Value& more : As<TupleObject>(a[0])->items) UpdateDict(&D(out), more);
  UpdateDict(&D(out), a[1]);
  return out;
}
Value SubclassNew(const TypeInfo& cls, const CallArgs&) { return New<Extended<DictObject>>(cls); }
Value Init(Args& a) {
  if (As<TupleObject>(a[0])->items.size() > 1) {
    throw TypeError("dict expected at most 1 argument, got " +
                    std::to_string(As<TupleObject>(a[0])->items.size()));
  }
  return Update(a);
}

const FunctionRow kMake = {"dict", "*args, **kwargs", Make};
const FunctionRow kMethods[] = {
    {"__init__", "*args, **kwargs", Init},
    {"get", "key, default=None, /", Get,
     "Return the value for key if key is in the dictionary, else default."},
    {"setdefault", "key, default=None, /", SetDefault},
    {"pop", "key, default=..., /", Pop},
    {"popitem", "/", PopItem},
    {"update", "*args, **kwargs", Update},
    {"keys", "/", Keys},
    {"values", "/", Values},
    {"items", "/", ItemsMethod},
    {"clear", "/", Clear},
    {"copy", "/", Copy},
};
const FunctionRow kStatics[] = {{"fromkeys", "iterable, value=None, /", FromKeys}};

// Implements view.isdisjoint(iterable).
Value ViewIsDisjoint(Args& a) {
  for (const Value& v : ToVector(a[0])) {
    if (ViewContains(a.self(), v)) return Value::Bool(false);
  }
  return Value::Bool(true);
}
Value ViewReversed(Args& a) {
  const std::vector<Value> parts = PartsOf(D(View(a.self()).dict), View(a.self()).part);
  return Iter(MakeList({parts.rbegin(), parts.rend()}));
}
const FunctionRow kSetViewMethods[] = {{"isdisjoint", "other, /", ViewIsDisjoint},
                                       {"__reversed__", "/", ViewReversed}};
const FunctionRow kValuesViewMethods[] = {{"__reversed__", "/", ViewReversed}};

}  // namespace

const TypeInfo DictView::kKeys = {.name = "dict_keys",
                                  .methods = kSetViewMethods,
                                  .repr = ViewRepr,
                                  .unhashable = true,
                                  .compare = ViewCompare,
                                  .binary = ViewBinary,
                                  .len = ViewLen,
                                  .contains = ViewContains,
                                  .iter = ViewIter};
const TypeInfo DictView::kValues = {.name = "dict_values",
                                    .methods = kValuesViewMethods,
                                    .repr = ViewRepr,
                                    .len = ViewLen,
                                    .contains = ViewContains,
                                    .iter = ViewIter};
const TypeInfo DictView::kItems = {.name = "dict_items",
                                   .methods = kSetViewMethods,
                                   .repr = ViewRepr,
                                   .unhashable = true,
                                   .compare = ViewCompare,
                                   .binary = ViewBinary,
                                   .len = ViewLen,
                                   .contains = ViewContains,
                                   .iter = ViewIter};

void UpdateDict(Dict* dict, const Value& more) {
  // The keys of a subclass that defines __iter__ are read through the mapping protocol.
  static StrObject* iter = Intern("__iter__");
  if (auto* other = As<DictObject>(more); other && UserMethod(more, iter).is_null()) {
    if (&other->dict == dict) return;
    for (size_t i = 0; const Dict::Entry* e = other->dict.At(&i);) {
      Value key = e->key, value = e->value;
      dict->Set(key, e->hash, value);
    }
    return;
  }
  if (Value keys = FindAttr(more, Intern("keys")); !keys.is_null()) {
    for (const Value& key : ToVector(Call(keys, CallArgs{}))) dict->Set(key, GetItem(more, key));
    return;
  }
  size_t at = 0;
  for (const Value& item : ToVector(more)) {
    if (!FindSlot(TypeOf(item), &TypeInfo::iter)) {
      throw TypeError("cannot convert dictionary update sequence element #" + std::to_string(at) +
                      " to a sequence");
    }
    std::vector<Value> pair = ToVector(item);
    if (pair.size() != 2) {
      throw ValueError("dictionary update sequence element #" + std::to_string(at) +
                       " has length " + std::to_string(pair.size()) + "; 2 is required");
    }
    dict->Set(pair[0], pair[1]);
    ++at;
  }
}

const TypeInfo DictObject::kType = {.name = "dict",
                                    .methods = kMethods,
                                    .statics = kStatics,
                                    .construct = &kMake,
                                    .subclass_new = SubclassNew,
                                    .repr = DictRepr,
                                    .unhashable = true,
                                    .compare = DictCompare,
                                    .binary = DictBinary,
                                    .inplace = DictInplace,
                                    .len = DictLen,
                                    .getitem = DictGetItem,
                                    .setitem = DictSetItem,
                                    .delitem = DictDelItem,
                                    .contains = DictContains,
                                    .iter = DictIter};

Value MakeDict() { return New<DictObject>(); }
Value MakeDict(std::initializer_list<std::pair<std::string_view, Value>> items) {
  auto d = New<DictObject>();
  for (const auto& [key, value] : items) d->dict.Set(key, value);
  return d;
}

}  // namespace tensh::shell
