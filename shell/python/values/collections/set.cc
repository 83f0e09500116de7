#include "shell/python/values/collections/set.h"

#include "shell/python/values/class.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

constexpr size_t kLinearProbes = 9;
constexpr int kPerturbShift = 5;

// Visits slots in probing order until `visit` returns true.
template <class F>
void Probe(size_t mask, uint64_t hash, F visit) {
  uint64_t perturb = hash;
  size_t i = hash & mask;
  for (;;) {
    size_t last = i + kLinearProbes <= mask ? i + kLinearProbes : i;
    for (size_t k = i; k <= last; ++k) {
      if (visit(k)) return;
    }
    perturb >>= kPerturbShift;
    i = (i * 5 + 1 + perturb) & mask;
  }
}

}  // namespace

uint64_t SetObject::HashOf(const Value& key) {
  if (auto* set = As<SetObject>(key); set && &set->type() == &kType) {
    uint64_t h = 1927868237;
    for (const Value& v : set->Items()) h ^= (Hash(v) ^ 89869747u ^ (Hash(v) << 16)) * 3644798167u;
    return h;
  }
  return Hash(key);
}

void SetObject::DropRefs() { Clear(); }

void SetObject::Visit(HeldVisitor& visit) const {
  for (const Slot& slot : table_) visit(slot.key);
}

SetObject::Slot* SetObject::Lookup(const Value& key, uint64_t hash) {
restart:
  const uint64_t version = version_;
  Slot* result = nullptr;
  bool changed = false;
  Probe(table_.size() - 1, hash, [&](size_t k) {
    Slot& s = table_[k];
    if (s.key.is_null() && !s.dummy) return true;
    if (s.dummy || s.hash != hash) return false;
    Value held = s.key;
    bool same = Equal(held, key);
    if (version_ != version) return changed = true;
    if (same) result = &s;
    return same;
  });
  if (changed) goto restart;
  return result;
}

bool SetObject::Add(const Value& key, uint64_t hash) {
  if (Lookup(key, hash)) return false;
  ++version_;
  Probe(table_.size() - 1, hash, [&](size_t k) {
    Slot& s = table_[k];
    if (!s.key.is_null() || s.dummy) return false;
    s.key = key;
    s.hash = hash;
    return true;
  });
  ++fill_;
  ++used_;
  if (fill_ * 5 >= (table_.size() - 1) * 3) Resize(used_ > 50000 ? used_ * 2 : used_ * 4);
  return true;
}

void SetObject::InsertClean(std::vector<Slot>* table, const Value& key, uint64_t hash) {
  Probe(table->size() - 1, hash, [&](size_t k) {
    Slot& s = (*table)[k];
    if (!s.key.is_null()) return false;
    s.key = key;
    s.hash = hash;
    return true;
  });
}

void SetObject::Resize(size_t wanted) {
  size_t size = kMinSize;
  while (size <= wanted) size *= 2;
  std::vector<Slot> table(size);
  for (const Slot& s : table_) {
    if (!s.key.is_null()) InsertClean(&table, s.key, s.hash);
  }
  table_.swap(table);
  fill_ = used_;
  ++version_;
}

bool SetObject::Discard(const Value& key) {
  Slot* s = Lookup(key, HashOf(key));
  if (!s) return false;
  ++version_;
  Value gone;
  gone.swap(s->key);
  s->dummy = true;
  --used_;
  return true;
}

void SetObject::Clear() {
  std::vector<Slot> gone(kMinSize);
  gone.swap(table_);
  used_ = fill_ = 0;
  ++version_;
}

const Value* SetObject::At(size_t* i) const {
  while (*i < table_.size()) {
    const Slot& s = table_[(*i)++];
    if (!s.key.is_null()) return &s.key;
  }
  return nullptr;
}

std::vector<Value> SetObject::Items() const {
  std::vector<Value> out;
  for (size_t i = 0; const Value* v = At(&i);) out.push_back(*v);
  return out;
}

void SetObject::Merge(const SetObject& other) {
  if (&other == this || other.used_ == 0) return;
  if ((fill_ + other.used_) * 5 >= (table_.size() - 1) * 3) Resize((used_ + other.used_) * 2);
  if (fill_ == 0 && table_.size() == other.table_.size() && other.fill_ == other.used_) {
    table_ = other.table_;
    fill_ = used_ = other.used_;
    ++version_;
    return;
  }
  std::vector<Slot> slots;
  for (const Slot& s : other.table_) {
    if (!s.key.is_null()) slots.push_back(s);
  }
  for (const Slot& s : slots) Add(s.key, s.hash);
}

namespace {

SetObject& S(const Value& v) { return *static_cast<SetObject*>(v.object()); }
bool Frozen(const Value& v) { return DerivesFrom(TypeOf(v), SetObject::kFrozenType); }

Ref<SetObject> Empty(const Value& like) {
  return New<SetObject>(Frozen(like) ? SetObject::kFrozenType : SetObject::kType);
}

void AddAll(SetObject* set, const Value& more) {
  if (auto* other = As<SetObject>(more)) {
    set->Merge(*other);
    return;
  }
  for (const Value& v : ToVector(more)) set->Add(v);
}

Value CopyOf(const Value& v) {
  auto out = Empty(v);
  out->Merge(S(v));
  return out;
}
Value Union(const Value& a, const Value& b) {
  Value out = CopyOf(a);
  AddAll(&S(out), b);
  return out;
}
Value AsSet(const Value& v) {
  if (IsSet(v)) return v;
  auto out = New<SetObject>();
  AddAll(out.get(), v);
  return out;
}
Value Intersection(const Value& a, const Value& b) {
  auto out = Empty(a);
  if (auto* other = As<SetObject>(b)) {
    // Iterates over the smaller set, as CPython does, because that determines the order of the
    // result.
    SetObject *small = other, *large = &S(a);
    if (small->size() > large->size()) std::swap(small, large);
    for (const Value& v : small->Items()) {
      if (large->Contains(v)) out->Add(v);
    }
    return out;
  }
  for (const Value& v : ToVector(b)) {
    if (S(a).Contains(v)) out->Add(v);
  }
  return out;
}
Value Difference(const Value& a, const Value& b) {
  Value other = AsSet(b);
  auto out = Empty(a);
  for (const Value& v : S(a).Items()) {
    if (!S(other).Contains(v)) out->Add(v);
  }
  return out;
}
Value SymmetricDifference(const Value& a, const Value& b) {
  Value out = CopyOf(a), other = AsSet(b);
  for (const Value& v : S(other).Items()) {
    if (!S(out).Discard(v)) S(out).Add(v);
  }
  return out;
}

Value Operate(BinaryOp op, const Value& a, const Value& b) {
  switch (op) {
    case BinaryOp::kOr:
      return Union(a, b);
    case BinaryOp::kAnd:
      return Intersection(a, b);
    case BinaryOp::kSub:
      return Difference(a, b);
    case BinaryOp::kXor:
      return SymmetricDifference(a, b);
    default:
      return Value::NotImplemented();
  }
}

Value SetBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  return IsSet(a) && IsSet(b) ? Operate(op, a, b) : Value::NotImplemented();
}
Value SetInplace(BinaryOp op, const Value& a, const Value& b) {
  if (!IsSet(b) || Frozen(a)) return Value::NotImplemented();
  Value r = Operate(op, a, b);
  if (r.is_not_implemented()) return r;
  Value held = r;
  S(a).Clear();
  S(a).Merge(S(held));
  return a;
}

bool IsSubset(const Value& a, const Value& b) {
  if (S(a).size() > S(b).size()) return false;
  for (const Value& v : S(a).Items()) {
    if (!S(b).Contains(v)) return false;
  }
  return true;
}

Value SetCompare(CompareOp op, const Value& a, const Value& b) {
  if (!IsSet(a) || !IsSet(b)) return Value::NotImplemented();
  switch (op) {
    case CompareOp::kEq:
      return Value::Bool(S(a).size() == S(b).size() && IsSubset(a, b));
    case CompareOp::kNe:
      return Value::Bool(S(a).size() != S(b).size() || !IsSubset(a, b));
    case CompareOp::kLe:
      return Value::Bool(IsSubset(a, b));
    case CompareOp::kLt:
      return Value::Bool(S(a).size() < S(b).size() && IsSubset(a, b));
    case CompareOp::kGe:
      return Value::Bool(IsSubset(b, a));
    case CompareOp::kGt:
      return Value::Bool(S(b).size() < S(a).size() && IsSubset(b, a));
  }
  return Value::NotImplemented();
}

std::string SetRepr(const Value& v) {
  ReprGuard guard(v.object());
  const bool plain = &TypeOf(v) == &SetObject::kType;
  if (guard.again()) return TypeName(v) + "(...)";
  if (S(v).size() == 0) return TypeName(v) + "()";
  std::string items = "{" + JoinReprs(UserClass::Of(v) ? ToVector(v) : S(v).Items()) + "}";
  return plain ? items : TypeName(v) + "(" + items + ")";
}

int64_t SetLen(const Value& v) { return static_cast<int64_t>(S(v).size()); }
bool SetContains(const Value& v, const Value& item) { return S(v).Contains(item); }
uint64_t FrozenHash(const Value& v) {
  uint64_t h = 1927868237;
  for (const Value& item : S(v).Items())
    h ^= (Hash(item) ^ 89869747u ^ (Hash(item) << 16)) * 3644798167u;
  return h;
}

const TypeInfo kSetIterator = IteratorType("set_iterator");
class SetIterator : public Iterator {
 public:
  explicit SetIterator(const Value& set)
      : Iterator(kSetIterator), set_(set), size_(S(set).size()) {}
  void DropRefs() override { set_ = Value(); }
  bool Step(Value* out) override {
    if (set_.is_null()) return false;
    if (S(set_).size() != size_) {
      set_ = Value();
      throw RuntimeError("Set changed size during iteration");
    }
    if (const Value* v = S(set_).At(&at_)) {
      *out = *v;
      return true;
    }
    set_ = Value();
    return false;
  }

 private:
  Value set_;
  size_t size_, at_ = 0;
};
Value SetIter(const Value& v) { return New<SetIterator>(v); }

// ---- methods ----

const std::vector<Value>& Rest(Args& a) { return As<TupleObject>(a[0])->items; }

template <Value (*F)(const Value&, const Value&)>
Value Fold(Args& a) {
  Value out = Rest(a).empty() ? CopyOf(a.self()) : a.self();
  for (const Value& v : Rest(a)) out = F(out, v);
  return out;
}
template <Value (*F)(const Value&, const Value&)>
Value FoldInto(Args& a) {
  Value out = Fold<F>(a);
  if (out.Is(a.self())) return Value::None();
  S(a.self()).Clear();
  S(a.self()).Merge(S(out));
  return Value::None();
}
Value SymmetricDifferenceMethod(Args& a) { return SymmetricDifference(a.self(), a[0]); }
Value UpdateMethod(Args& a) {
  for (const Value& v : Rest(a)) AddAll(&S(a.self()), v);
  return Value::None();
}
Value Add(Args& a) { return S(a.self()).Add(a[0]), Value::None(); }
Value Discard(Args& a) { return S(a.self()).Discard(a[0]), Value::None(); }
Value Remove(Args& a) {
  if (!S(a.self()).Discard(a[0])) throw KeyError(a[0]);
  return Value::None();
}
Value Pop(Args& a) {
  size_t i = 0;
  const Value* first = S(a.self()).At(&i);
  if (!first) throw KeyError(MakeStr("pop from an empty set"));
  Value v = *first;
  S(a.self()).Discard(v);
  return v;
}
Value Clear(Args& a) { return S(a.self()).Clear(), Value::None(); }
Value Copy(Args& a) { return CopyOf(a.self()); }
Value IsSubsetMethod(Args& a) { return Value::Bool(IsSubset(a.self(), AsSet(a[0]))); }
Value IsSupersetMethod(Args& a) { return Value::Bool(IsSubset(AsSet(a[0]), a.self())); }
Value IsDisjoint(Args& a) { return Value::Bool(S(Intersection(a.self(), a[0])).size() == 0); }

Value Make(Args& a) {
  auto out = New<SetObject>(static_cast<Type*>(a.self().object())->info());
  if (a.has(0)) AddAll(out.get(), a[0]);
  return out;
}

// Makes an instance of a user's subclass. A frozenset gets its elements here, because __init__
// cannot add them later.
Value SubclassNew(const TypeInfo& cls, const CallArgs& args) {
  auto out = New<Extended<SetObject>>(cls);
  if (!DerivesFrom(cls, SetObject::kFrozenType)) return out;
  if (args.args.size() > 1) {
    throw TypeError("frozenset expected at most 1 argument, got " +
                    std::to_string(args.args.size()));
  }
  if (!args.args.empty()) AddAll(out.get(), args.args[0]);
  return out;
}
Value Init(Args& a) {
  const std::vector<Value>& given = Rest(a);
  if (!As<DictObject>(a[1])->dict.empty()) throw TypeError("set() takes no keyword arguments");
  if (given.size() > 1) {
    throw TypeError(TypeName(a.self()) + " expected at most 1 argument, got " +
                    std::to_string(given.size()));
  }
  const Value items = given.empty() ? MakeSet({}) : MakeSet(ToVector(given[0]));
  S(a.self()).Clear();
  AddAll(&S(a.self()), items);
  return Value::None();
}
Value SymmetricDifferenceUpdate(Args& a) {
  const Value held = SymmetricDifference(a.self(), a[0]);
  S(a.self()).Clear();
  S(a.self()).Merge(S(held));
  return Value::None();
}

const FunctionRow kMake = {"set", "iterable=..., /", Make};
const FunctionRow kFrozenMake = {"frozenset", "iterable=..., /", Make};

#define SHARED_ROWS                                                                             \
  {"union", "*others", Fold<Union>}, {"intersection", "*others", Fold<Intersection>},           \
      {"difference", "*others", Fold<Difference>},                                              \
      {"symmetric_difference", "other, /", SymmetricDifferenceMethod}, {"copy", "/", Copy},     \
      {"issubset", "other, /", IsSubsetMethod}, {"issuperset", "other, /", IsSupersetMethod}, { \
    "isdisjoint", "other, /", IsDisjoint                                                        \
  }

const FunctionRow kMethods[] = {
    SHARED_ROWS,
    {"__init__", "*args, **kwargs", Init},
    {"symmetric_difference_update", "other, /", SymmetricDifferenceUpdate},
    {"add", "elem, /", Add},
    {"discard", "elem, /", Discard},
    {"remove", "elem, /", Remove},
    {"pop", "/", Pop},
    {"clear", "/", Clear},
    {"update", "*others", UpdateMethod},
    {"intersection_update", "*others", FoldInto<Intersection>},
    {"difference_update", "*others", FoldInto<Difference>},
};
const FunctionRow kFrozenMethods[] = {SHARED_ROWS};
#undef SHARED_ROWS

}  // namespace

const TypeInfo SetObject::kType = {.name = "set",
                                   .methods = kMethods,
                                   .construct = &kMake,
                                   .subclass_new = SubclassNew,
                                   .repr = SetRepr,
                                   .unhashable = true,
                                   .compare = SetCompare,
                                   .binary = SetBinary,
                                   .inplace = SetInplace,
                                   .len = SetLen,
                                   .contains = SetContains,
                                   .iter = SetIter};
const TypeInfo SetObject::kFrozenType = {.name = "frozenset",
                                         .methods = kFrozenMethods,
                                         .construct = &kFrozenMake,
                                         .subclass_new = SubclassNew,
                                         .repr = SetRepr,
                                         .hash = FrozenHash,
                                         .compare = SetCompare,
                                         .binary = SetBinary,
                                         .len = SetLen,
                                         .contains = SetContains,
                                         .iter = SetIter};

Value MakeSet(const std::vector<Value>& items) {
  auto set = New<SetObject>();
  for (const Value& v : items) set->Add(v);
  return set;
}

}  // namespace tensh::shell
