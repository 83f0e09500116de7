#include "shell/python/values/ops.h"

#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "shell/python/values/bigint.h"
#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/generic_alias.h"
#include "shell/python/values/user_slots.h"

namespace tensh::shell {

int RecursionGuard::depth_ = 0;
int RecursionGuard::limit_ = 1000;
uintptr_t RecursionGuard::floor_ = 0;

namespace {

// Returns the lowest address that the native stack may reach. Leaves space to handle the error.
uintptr_t StackFloor() {
  static const uintptr_t floor = [] {
    rlimit limit;
    uint64_t size = 8 << 20;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      size = limit.rlim_cur;
    size = std::min<uint64_t>(size, 64 << 20);
    char here;
    return reinterpret_cast<uintptr_t>(&here) - size + size / 4 + (256 << 10);
  }();
  return floor;
}

}  // namespace

RecursionGuard::RecursionGuard(const char* where) {
  char here;
  const uintptr_t floor = floor_ != 0 ? floor_ : StackFloor();
  if (++depth_ > limit_ || reinterpret_cast<uintptr_t>(&here) < floor) {
    --depth_;
    throw MakeError(kRecursionError, std::string("maximum recursion depth exceeded") + where);
  }
}

std::string TypeName(const Value& v) {
  const TypeInfo& type = TypeOf(v);
  // In CPython's messages, the types of numpy and decimal include their module.
  const std::string_view module = type.module;
  return module == "numpy" || module == "decimal" ? std::string(module) + "." + type.name
                                                  : TypeObjectOf(v).name();
}

std::string Repr(const Value& v) {
  auto slot = FindSlot(TypeOf(v), &TypeInfo::repr);
  RecursionGuard guard(" while getting the repr of an object");
  if (slot) return slot(v);
  char address[32];
  std::snprintf(address, sizeof address, "%p", static_cast<void*>(v.object()));
  return "<" + TypeObjectOf(v).qualified_name() + " object at " + address + ">";
}

std::string Str(const Value& v) {
  if (auto* s = As<StrObject>(v); s && &s->type() == &StrObject::kType) return s->text();
  // A __repr__ that is defined by a more derived class than the inherited __str__ takes precedence.
  for (const TypeInfo* t = &TypeOf(v); t; t = t->base) {
    if (t->str) {
      RecursionGuard guard(" while getting the str of an object");
      return t->str(v);
    }
    // A user's __repr__ does not replace the __str__ of an exception or a str.
    const bool user = t->type_object && t->type_object->is_user();
    if (t->repr && !(user && FindSlot(*t, &TypeInfo::str))) break;
  }
  return Repr(v);
}

std::string Format(const Value& v, std::string_view spec) {
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::format)) return slot(v, spec);
  if (spec.empty()) return Str(v);
  throw TypeError("unsupported format string passed to " + TypeName(v) + ".__format__");
}

bool Truth(const Value& v) {
  switch (v.tag()) {
    case Value::Tag::kBool:
    case Value::Tag::kInt:
      return v.as_int() != 0;
    case Value::Tag::kFloat:
      return v.as_float() != 0;
    case Value::Tag::kObject:
      break;
    case Value::Tag::kNull:
    case Value::Tag::kNone:
      return false;
    default:
      return true;
  }
  for (const TypeInfo* t = &v.object()->type(); t; t = t->base) {
    if (t->truth) return t->truth(v);
    if (t->len) return t->len(v) != 0;
  }
  return true;
}

namespace {

// As in CPython, the value modulo 2^61 - 1, so that equal numbers of all types have equal hashes.
uint64_t HashDouble(double d) {
  if (std::isinf(d)) return d > 0 ? 314159 : static_cast<uint64_t>(-314159);
  if (std::isnan(d)) return 0;
  constexpr uint64_t kModulus = (uint64_t{1} << 61) - 1;
  int exponent;
  double m = std::frexp(std::fabs(d), &exponent);
  uint64_t x = 0;
  while (m != 0) {
    x = ((x << 28) & kModulus) | x >> 33;
    m *= 268435456.0;
    exponent -= 28;
    const auto y = static_cast<uint64_t>(m);
    m -= static_cast<double>(y);
    x += y;
    if (x >= kModulus) x -= kModulus;
  }
  exponent = exponent >= 0 ? exponent % 61 : 60 - ((-1 - exponent) % 61);
  x = ((x << exponent) & kModulus) | x >> (61 - exponent);
  if (d < 0) x = static_cast<uint64_t>(-static_cast<int64_t>(x));
  return x == static_cast<uint64_t>(-1) ? static_cast<uint64_t>(-2) : x;
}

uint64_t HashInt(int64_t i) {
  constexpr int64_t kModulus = (int64_t{1} << 61) - 1;
  int64_t h = i % kModulus;
  return static_cast<uint64_t>(h == -1 ? -2 : h);
}

}  // namespace

uint64_t Hash(const Value& v) {
  switch (v.tag()) {
    case Value::Tag::kBool:
    case Value::Tag::kInt:
      return HashInt(v.as_int());
    case Value::Tag::kFloat:
      return HashDouble(v.as_float());
    case Value::Tag::kObject:
      break;
    default:
      return 0x5bd1e995 + static_cast<uint64_t>(v.tag());
  }
  if (&v.object()->type() == &StrObject::kType) return static_cast<StrObject*>(v.object())->hash();
  for (const TypeInfo* t = &v.object()->type(); t; t = t->base) {
    if (t->unhashable) throw TypeError("unhashable type: '" + TypeName(v) + "'");
    if (t->hash) {
      RecursionGuard guard;
      return t->hash(v);
    }
  }
  return std::rotr(reinterpret_cast<uint64_t>(v.object()), 4);
}

bool Equal(const Value& a, const Value& b) {
  if (a.Is(b)) return true;
  return Truth(Compare(CompareOp::kEq, a, b));
}

namespace {

bool IsNumber(const Value& v) { return v.is_int() || v.is_bool() || v.is_float(); }

bool ByOrder(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kLt:
      return order < 0;
    case CompareOp::kLe:
      return order <= 0;
    case CompareOp::kEq:
      return order == 0;
    case CompareOp::kNe:
      return order != 0;
    case CompareOp::kGt:
      return order > 0;
    case CompareOp::kGe:
      return order >= 0;
  }
  return false;
}

bool CompareDoubles(CompareOp op, double a, double b) {
  switch (op) {
    case CompareOp::kLt:
      return a < b;
    case CompareOp::kLe:
      return a <= b;
    case CompareOp::kEq:
      return a == b;
    case CompareOp::kNe:
      return a != b;
    case CompareOp::kGt:
      return a > b;
    case CompareOp::kGe:
      return a >= b;
  }
  return false;
}

bool CompareNumbers(CompareOp op, const Value& a, const Value& b) {
  if (a.is_float() && b.is_float()) return CompareDoubles(op, a.as_float(), b.as_float());
  if (!a.is_float() && !b.is_float()) return ByOrder(op, IntCompare(a, b));
  const double f = a.is_float() ? a.as_float() : b.as_float();
  const Value& i = a.is_float() ? b : a;
  if (!std::isfinite(f)) {
    return a.is_float() ? CompareDoubles(op, f, 0) : CompareDoubles(op, 0, f);
  }
  int order = CompareIntFloat(i, f);
  return ByOrder(op, a.is_float() ? -order : order);
}

}  // namespace

Value Compare(CompareOp op, const Value& a, const Value& b) {
  auto number = [](const Value& v) { return IsNumber(v) || IsBigInt(v); };
  if (number(a) && number(b)) return Value::Bool(CompareNumbers(op, a, b));
  const TypeInfo &ta = TypeOf(a), &tb = TypeOf(b);
  auto slot_a = FindSlot(ta, &TypeInfo::compare), slot_b = FindSlot(tb, &TypeInfo::compare);
  RecursionGuard guard(" in comparison");
  const CompareOp swapped = NamesOf(op).swapped;
  bool tried_b = false;
  if (slot_b && &ta != &tb && TypeObject(tb).IsSubtypeOf(TypeObject(ta))) {
    tried_b = true;
    if (Value r = slot_b(swapped, b, a); !r.is_not_implemented()) return r;
  }
  if (slot_a) {
    if (Value r = slot_a(op, a, b); !r.is_not_implemented()) return r;
  }
  if (slot_b && !tried_b) {
    if (Value r = slot_b(swapped, b, a); !r.is_not_implemented()) return r;
  }
  if (op == CompareOp::kEq) return Value::Bool(a.Is(b));
  if (op == CompareOp::kNe) return Value::Bool(!a.Is(b));
  throw TypeError(std::string("'") + NamesOf(op).symbol + "' not supported between instances of '" +
                  TypeName(a) + "' and '" + TypeName(b) + "'");
}

bool CompareTruth(CompareOp op, const Value& a, const Value& b) { return Truth(Compare(op, a, b)); }

Value TryBinary(BinaryOp op, const Value& a, const Value& b) {
  const TypeInfo &ta = TypeOf(a), &tb = TypeOf(b);
  auto slot_a = FindSlot(ta, &TypeInfo::binary), slot_b = FindSlot(tb, &TypeInfo::binary);
  RecursionGuard guard;
  bool tried_b = false;
  if (slot_b && &ta != &tb && TypeObject(tb).IsSubtypeOf(TypeObject(ta))) {
    tried_b = true;
    if (Value r = slot_b(op, a, b, true); !r.is_not_implemented()) return r;
  }
  if (slot_a) {
    if (Value r = slot_a(op, a, b, false); !r.is_not_implemented()) return r;
  }
  if (slot_b && !tried_b && (slot_a != slot_b || &ta != &tb)) {
    if (Value r = slot_b(op, a, b, true); !r.is_not_implemented()) return r;
  }
  return Value::NotImplemented();
}

namespace {

[[noreturn]] void ThrowUnsupported(BinaryOp op, const Value& a, const Value& b, bool inplace) {
  // Sequences have specific messages.
  const TypeInfo& ta = TypeOf(a);
  auto sequence = [](const TypeInfo& t) {
    return DerivesFrom(t, StrObject::kType) || DerivesFrom(t, ListObject::kType) ||
           DerivesFrom(t, TupleObject::kType) || DerivesFrom(t, BytesObject::kType);
  };
  if (op == BinaryOp::kAdd && sequence(ta)) {
    if (DerivesFrom(ta, BytesObject::kType))
      throw TypeError("can't concat " + TypeName(b) + " to bytes");
    const char* base = DerivesFrom(ta, StrObject::kType)    ? "str"
                       : DerivesFrom(ta, ListObject::kType) ? "list"
                                                            : "tuple";
    throw TypeError(std::string("can only concatenate ") + base + " (not \"" + TypeName(b) +
                    "\") to " + base);
  }
  if (op == BinaryOp::kMul && sequence(ta)) {
    throw TypeError("can't multiply sequence by non-int of type '" + TypeName(b) + "'");
  }
  // As in CPython, in-place multiplication of a container ignores the sequence on the right.
  const bool asks_left = FindSlot(ta, &TypeInfo::len) || TypeObject(ta).is_user();
  if (op == BinaryOp::kMul && sequence(TypeOf(b)) && !(inplace && asks_left)) {
    throw TypeError("can't multiply sequence by non-int of type '" + TypeName(a) + "'");
  }
  std::string symbol = std::string(NamesOf(op).symbol) + (inplace ? "=" : "");
  if (op == BinaryOp::kPow && !inplace) symbol = "** or pow()";
  throw TypeError("unsupported operand type(s) for " + symbol + ": '" + TypeName(a) + "' and '" +
                  TypeName(b) + "'");
}

}  // namespace

Value Binary(BinaryOp op, const Value& a, const Value& b) {
  Value r = TryBinary(op, a, b);
  if (r.is_not_implemented()) ThrowUnsupported(op, a, b, false);
  return r;
}

Value Inplace(BinaryOp op, const Value& a, const Value& b) {
  if (auto slot = FindSlot(TypeOf(a), &TypeInfo::inplace)) {
    if (Value r = slot(op, a, b); !r.is_not_implemented()) return r;
  }
  Value r = TryBinary(op, a, b);
  if (r.is_not_implemented()) ThrowUnsupported(op, a, b, true);
  return r;
}

Value Unary(UnaryOp op, const Value& v) {
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::unary)) {
    if (Value r = slot(op, v); !r.is_not_implemented()) return r;
  }
  static constexpr const char* kNames[] = {"unary -", "unary +", "unary ~", "abs()"};
  throw TypeError(std::string("bad operand type for ") + kNames[static_cast<size_t>(op)] + ": '" +
                  TypeName(v) + "'");
}

int64_t Len(const Value& v) {
  auto slot = FindSlot(TypeOf(v), &TypeInfo::len);
  if (!slot) throw TypeError("object of type '" + TypeName(v) + "' has no len()");
  return slot(v);
}

Value GetItem(const Value& v, const Value& key) {
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::getitem)) return slot(v, key);
  if (auto* type = As<Type>(v)) {
    if (Value f = type->Lookup(Intern("__class_getitem__")); !f.is_null()) {
      return Call(GetAttr(v, "__class_getitem__"), {key});
    }
    if (Value alias = MakeGenericAlias(v, key); !alias.is_null()) return alias;
    throw TypeError("type '" + type->name() + "' is not subscriptable");
  }
  throw TypeError("'" + TypeName(v) + "' object is not subscriptable");
}

void SetItem(const Value& v, const Value& key, const Value& value) {
  auto slot = FindSlot(TypeOf(v), &TypeInfo::setitem);
  if (!slot) throw TypeError("'" + TypeName(v) + "' object does not support item assignment");
  slot(v, key, value);
}

void DelItem(const Value& v, const Value& key) {
  auto slot = FindSlot(TypeOf(v), &TypeInfo::delitem);
  if (!slot) {
    bool item = FindSlot(TypeOf(v), &TypeInfo::getitem) != nullptr;
    throw TypeError("'" + TypeName(v) + "' object " + (item ? "doesn't" : "does not") +
                    " support item deletion");
  }
  slot(v, key);
}

bool Contains(const Value& container, const Value& item) {
  if (auto slot = FindSlot(TypeOf(container), &TypeInfo::contains)) return slot(container, item);
  if (!FindSlot(TypeOf(container), &TypeInfo::iter) &&
      !FindSlot(TypeOf(container), &TypeInfo::getitem)) {
    throw TypeError("argument of type '" + TypeName(container) + "' is not iterable");
  }
  Value it = Iter(container), element;
  while (Next(it, &element)) {
    if (Equal(element, item)) return true;
  }
  return false;
}

bool Next(const Value& iterator, Value* out) {
  auto slot = FindSlot(TypeOf(iterator), &TypeInfo::next);
  if (!slot) throw TypeError("'" + TypeName(iterator) + "' object is not an iterator");
  // Loops in native code (sum, list) must react to Ctrl-C too.
  static uint32_t steps = 0;
  if ((++steps & 0xFFF) == 0) PollInterrupt();
  RecursionGuard guard;  // Protects against deeply nested iterators: map(f, map(f, …)).
  return slot(iterator, out);
}

static Value Bind(const Value& found, const Value& instance) {
  auto get = found.is_object() ? FindSlot(TypeOf(found), &TypeInfo::descr_get) : nullptr;
  return get ? get(found, instance, TypeValue(TypeOf(instance))) : found;
}

// Finds an attribute without calling the class's __getattr__.
static Value FindPlainAttr(const Value& v, StrObject* name) {
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::getattr)) {
    if (Value r = slot(v, name); !r.is_null()) return r;
  }
  Value found = TypeObjectOf(v).Lookup(name);
  if (!found.is_null() && found.is_object() && FindSlot(TypeOf(found), &TypeInfo::descr_get) &&
      TypeOf(found).overrides) {
    return Bind(found, v);
  }
  if (v.is_object()) {
    if (Dict* attrs = v.object()->attrs()) {
      if (Value* own = attrs->Find(name)) return *own;
    }
  }
  return found.is_null() ? found : Bind(found, v);
}

Value FindAttr(const Value& v, StrObject* name) {
  if (Value found = FindPlainAttr(v, name); !found.is_null()) return found;
  static StrObject* getattr = Intern("__getattr__");
  if (Value hook = UserMethod(v, getattr); !hook.is_null()) return Call(hook, {v, Value(name)});
  return Value();
}

namespace {

std::vector<std::string> AttributeNames(const Value& v) {
  std::vector<std::string> names;
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::dir)) slot(v, &names);
  if (v.is_object() && v.object()->attrs()) {
    for (size_t i = 0; const Dict::Entry* e = v.object()->attrs()->At(&i);)
      names.push_back(Str(e->key));
  }
  for (Type* t : TypeObjectOf(v).mro()) {
    for (size_t i = 0; const Dict::Entry* e = t->dict().At(&i);) {
      if (StrView(e->key).substr(0, 2) != "__") names.push_back(Str(e->key));
    }
  }
  return names;
}

[[noreturn]] void ThrowNoAttribute(const Value& v, StrObject* name) {
  const std::string quoted = "'" + name->text() + "'";
  ErrorHint hint = HintForPython2(name->view());
  if (hint.empty()) hint = DidYouMean(name->view(), AttributeNames(v));
  if (auto* module = As<ModuleObject>(v)) {
    throw AttributeError(std::string("module '") + module->def().name + "' has no attribute " +
                         quoted)
        .Hint(hint);
  }
  if (auto* type = As<Type>(v)) {
    throw AttributeError("type object '" + type->name() + "' has no attribute " + quoted)
        .Hint(hint);
  }
  throw AttributeError("'" + TypeName(v) + "' object has no attribute " + quoted).Hint(hint);
}

}  // namespace

MissingAttribute missing_attribute = nullptr;

Value GetAttr(const Value& v, StrObject* name) {
  try {
    Value r = FindAttr(v, name);
    if (r.is_null()) ThrowNoAttribute(v, name);
    return r;
  } catch (const PyError& error) {
    if (missing_attribute == nullptr || !error.Is(kAttributeError)) throw;
    Value r = missing_attribute(v, name);
    if (r.is_null()) throw;
    return r;
  }
}

Value GetAttrDirect(const Value& v, StrObject* name) {
  Value r = FindPlainAttr(v, name);
  if (r.is_null()) ThrowNoAttribute(v, name);
  return r;
}

Value GetAttr(const Value& v, std::string_view name) { return GetAttr(v, Intern(name)); }

namespace {

void StoreAttr(const Value& v, StrObject* name, const Value& value) {
  Value found = TypeObjectOf(v).Lookup(name);
  if (!found.is_null() && found.is_object()) {
    if (auto set = FindSlot(TypeOf(found), &TypeInfo::descr_set)) return set(found, v, value);
  }
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::setattr)) {
    if (slot(v, name, value)) return;
    ThrowNoAttribute(v, name);
  }
  Dict* attrs = v.is_object() ? v.object()->attrs() : nullptr;
  if (!attrs) {
    if (!found.is_null()) {
      throw AttributeError("'" + TypeName(v) + "' object attribute '" + name->text() +
                           "' is read-only");
    }
    ThrowNoAttribute(v, name);
  }
  if (!value.is_null()) {
    attrs->Set(Value(name), value);
  } else if (!attrs->Erase(Value(name))) {
    throw AttributeError("'" + TypeName(v) + "' object has no attribute '" + name->text() + "'");
  }
}

}  // namespace

void SetAttr(const Value& v, StrObject* name, const Value& value) {
  static StrObject* hook_name = Intern("__setattr__");
  if (Value hook = UserMethod(v, hook_name); !hook.is_null()) {
    Call(hook, {v, Value(name), value});
    return;
  }
  StoreAttr(v, name, value);
}

void DelAttr(const Value& v, StrObject* name) {
  static StrObject* hook_name = Intern("__delattr__");
  if (Value hook = UserMethod(v, hook_name); !hook.is_null()) {
    Call(hook, {v, Value(name)});
    return;
  }
  StoreAttr(v, name, Value());
}

void SetAttrDirect(const Value& v, StrObject* name, const Value& value) {
  StoreAttr(v, name, value);
}

bool IsCallable(const Value& v) {
  if (UserClass::Of(v) && !As<Type>(v)) return !UserMethod(v, Intern("__call__")).is_null();
  return FindSlot(TypeOf(v), &TypeInfo::call) != nullptr;
}

bool IsInt(const Value& v) { return v.is_int() || v.is_bool() || IsBigInt(v); }
bool IsIndex(const Value& v) { return IsInt(v) || FindSlot(TypeOf(v), &TypeInfo::index); }

int64_t ToIndex(const Value& v) {
  if (v.is_int() || v.is_bool()) return v.as_int();
  if (IsBigInt(v)) throw MakeError(kIndexError, "cannot fit 'int' into an index-sized integer");
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::index)) {
    Value i = slot(v);
    if (i.is_int() || i.is_bool()) return i.as_int();
    if (IsBigInt(i))
      throw MakeError(kIndexError, "cannot fit '" + TypeName(v) + "' into an index-sized integer");
  }
  throw TypeError("'" + TypeName(v) + "' object cannot be interpreted as an integer");
}

double ToDouble(const Value& v) {
  if (v.is_float()) return v.as_float();
  if (IsInt(v)) return IntToDouble(v);
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::to_float)) return ToDouble(slot(v));
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::index)) return ToDouble(slot(v));
  throw TypeError("must be real number, not " + TypeName(v));
}

std::string ToText(const Value& v, std::string_view what) {
  if (auto* s = As<StrObject>(v)) return s->text();
  throw TypeError(std::string(what) + " must be str, not " + TypeName(v));
}

}  // namespace tensh::shell
