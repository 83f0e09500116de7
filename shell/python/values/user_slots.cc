#include "shell/python/values/user_slots.h"

#include <type_traits>

#include "shell/python/values/bigint.h"
#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

// Looks up a dunder method. The interned name is cached at each use of the macro.
#define TENSH_METHOD(v, name)                  \
  ([&]() -> Value {                            \
    static StrObject* interned = Intern(name); \
    return UserMethod(v, interned);            \
  }())

template <class Slot>
Slot NativeSlot(const Value& v, Slot TypeInfo::*slot) {
  const TypeInfo* base = UserClass::Of(v)->native_base();
  return base ? FindSlot(*base, slot) : nullptr;
}

std::string TextResult(const Value& r, const char* method) {
  if (auto* s = As<StrObject>(r)) return s->text();
  throw TypeError(std::string(method) + " returned non-string (type " + TypeName(r) + ")");
}

std::string UserRepr(const Value& v) {
  return TextResult(Call(TENSH_METHOD(v, "__repr__"), {v}), "__repr__");
}
std::string UserStr(const Value& v) {
  return TextResult(Call(TENSH_METHOD(v, "__str__"), {v}), "__str__");
}
std::string UserFormat(const Value& v, std::string_view spec) {
  const Value r = Call(TENSH_METHOD(v, "__format__"), {v, MakeStr(spec)});
  if (!IsStr(r)) throw TypeError("__format__ must return a str, not " + TypeName(r));
  return std::string(StrView(r));
}

bool UserTruth(const Value& v) {
  Value r = Call(TENSH_METHOD(v, "__bool__"), {v});
  if (!r.is_bool()) throw TypeError("__bool__ should return bool, returned " + TypeName(r));
  return r.as_bool();
}

int64_t UserLen(const Value& v) {
  Value r = Call(TENSH_METHOD(v, "__len__"), {v});
  if (IsBigInt(r) && !BigNegative(r))
    throw OverflowError("cannot fit 'int' into an index-sized integer");
  int64_t n = IsBigInt(r) ? -1 : ToIndex(r);
  if (n < 0) throw ValueError("__len__() should return >= 0");
  return n;
}

uint64_t UserHash(const Value& v) {
  Value r = Call(TENSH_METHOD(v, "__hash__"), {v});
  if (!IsInt(r)) throw TypeError("__hash__ method should return an integer");
  return Hash(r);
}

Value UserCompare(CompareOp op, const Value& a, const Value& b) {
  static StrObject* names[] = {Intern("__lt__"), Intern("__le__"), Intern("__eq__"),
                               Intern("__ne__"), Intern("__gt__"), Intern("__ge__")};
  Value f = UserMethod(a, names[static_cast<size_t>(op)]);
  if (!f.is_null()) return Call(f, {a, b});
  if (op == CompareOp::kNe) {
    f = UserMethod(a, names[static_cast<size_t>(CompareOp::kEq)]);
    if (!f.is_null()) {
      Value r = Call(f, {a, b});
      return r.is_not_implemented() ? r : Value::Bool(!Truth(r));
    }
  }
  auto native = NativeSlot(a, &TypeInfo::compare);
  return native ? native(op, a, b) : Value::NotImplemented();
}

Value UserBinary(BinaryOp op, const Value& a, const Value& b, bool reflected) {
  const BinaryOpNames& names = NamesOf(op);
  const Value& self = reflected ? b : a;
  Value f = UserMethod(self, Intern(reflected ? names.reflected : names.method));
  if (!f.is_null()) return Call(f, {self, reflected ? a : b});
  auto native = NativeSlot(self, &TypeInfo::binary);
  return native ? native(op, a, b, reflected) : Value::NotImplemented();
}

Value UserInplace(BinaryOp op, const Value& a, const Value& b) {
  Value f = UserMethod(a, Intern(NamesOf(op).inplace));
  if (!f.is_null()) return Call(f, {a, b});
  auto native = NativeSlot(a, &TypeInfo::inplace);
  return native ? native(op, a, b) : Value::NotImplemented();
}

Value UserUnary(UnaryOp op, const Value& v) {
  static StrObject* names[] = {Intern("__neg__"), Intern("__pos__"), Intern("__invert__"),
                               Intern("__abs__")};
  Value f = UserMethod(v, names[static_cast<size_t>(op)]);
  if (!f.is_null()) return Call(f, {v});
  auto native = NativeSlot(v, &TypeInfo::unary);
  return native ? native(op, v) : Value::NotImplemented();
}

Value UserIndex(const Value& v) {
  Value r = Call(TENSH_METHOD(v, "__index__"), {v});
  if (!IsInt(r)) throw TypeError("__index__ returned non-int (type " + TypeName(r) + ")");
  return r;
}
Value UserInt(const Value& v) {
  Value r = Call(TENSH_METHOD(v, "__int__"), {v});
  if (!IsInt(r)) throw TypeError("__int__ returned non-int (type " + TypeName(r) + ")");
  return r;
}
Value UserFloat(const Value& v) {
  Value r = Call(TENSH_METHOD(v, "__float__"), {v});
  if (!r.is_float())
    throw TypeError(TypeName(v) + ".__float__ returned non-float (type " + TypeName(r) + ")");
  return r;
}

Value UserGetItem(const Value& v, const Value& key) {
  return Call(TENSH_METHOD(v, "__getitem__"), {v, key});
}
void UserSetItem(const Value& v, const Value& key, const Value& value) {
  Call(TENSH_METHOD(v, "__setitem__"), {v, key, value});
}
void UserDelItem(const Value& v, const Value& key) {
  Call(TENSH_METHOD(v, "__delitem__"), {v, key});
}
bool UserContains(const Value& v, const Value& item) {
  return Truth(Call(TENSH_METHOD(v, "__contains__"), {v, item}));
}
Value UserIter(const Value& v) {
  Value f = TENSH_METHOD(v, "__iter__");
  if (f.is_none()) throw TypeError("'" + TypeName(v) + "' object is not iterable");
  Value it = Call(f, {v});
  if (!FindSlot(TypeOf(it), &TypeInfo::next)) {
    throw TypeError("iter() returned non-iterator of type '" + TypeName(it) + "'");
  }
  return it;
}
bool UserNext(const Value& v, Value* out) {
  try {
    *out = Call(TENSH_METHOD(v, "__next__"), {v});
    return true;
  } catch (const PyError& e) {
    if (!e.Is(kStopIteration)) throw;
    return false;
  }
}
Value UserCall(const Value& v, const CallArgs& args) {
  std::vector<Value> all = {v};
  all.insert(all.end(), args.args.begin(), args.args.end());
  return Call(TENSH_METHOD(v, "__call__"), CallArgs{all, args.keywords});
}
Value UserEnter(const Value& v) { return Call(TENSH_METHOD(v, "__enter__"), {v}); }
bool UserExit(const Value& v, const Value& exc) {
  Value type = exc.is_none() ? Value::None() : TypeValue(TypeOf(exc));
  return Truth(Call(TENSH_METHOD(v, "__exit__"), {v, type, exc, Value::None()}));
}
Value UserDescrGet(const Value& self, const Value& instance, const Value& owner) {
  return Call(TENSH_METHOD(self, "__get__"),
              {self, instance.is_null() ? Value::None() : instance, owner});
}
void UserDescrSet(const Value& self, const Value& instance, const Value& value) {
  if (value.is_null()) {
    Call(TENSH_METHOD(self, "__delete__"), {self, instance});
  } else {
    Call(TENSH_METHOD(self, "__set__"), {self, instance, value});
  }
}

bool Has(UserClass& cls, const char* name) { return !cls.LookupUser(Intern(name)).is_null(); }

bool HasAny(UserClass& cls, const char* BinaryOpNames::*which) {
  for (int op = 0; op <= static_cast<int>(BinaryOp::kOr); ++op) {
    if (Has(cls, NamesOf(static_cast<BinaryOp>(op)).*which)) return true;
  }
  return false;
}

// Sets a slot if the class defines the method; otherwise clears it.
template <class Slot>
void SetSlot(UserClass& cls, const char* method, Slot* slot, std::type_identity_t<Slot> function) {
  *slot = Has(cls, method) ? function : nullptr;
}

// A class that defines __eq__ but not __hash__ is unhashable.
void SetHashSlot(UserClass& cls, TypeInfo* info) {
  Value hash = cls.LookupUser(Intern("__hash__"));
  info->hash = !hash.is_null() && !hash.is_none() ? UserHash : nullptr;
  info->unhashable = hash.is_none();
  for (Type* t : cls.mro()) {
    if (!t->is_user()) continue;
    if (t->dict().Find("__hash__")) break;
    if (t->dict().Find("__eq__")) {
      info->unhashable = true;
      break;
    }
  }
}

// Sets the slots that serve several methods each.
void SetOperatorSlots(UserClass& cls, TypeInfo* info) {
  bool compares = false;
  for (int op = 0; op <= static_cast<int>(CompareOp::kGe); ++op) {
    compares = compares || Has(cls, NamesOf(static_cast<CompareOp>(op)).method);
  }
  const bool binary = HasAny(cls, &BinaryOpNames::method) || HasAny(cls, &BinaryOpNames::reflected);
  const bool unary =
      Has(cls, "__neg__") || Has(cls, "__pos__") || Has(cls, "__invert__") || Has(cls, "__abs__");
  info->compare = compares ? UserCompare : nullptr;
  info->binary = binary ? UserBinary : nullptr;
  info->inplace = HasAny(cls, &BinaryOpNames::inplace) ? UserInplace : nullptr;
  info->unary = unary ? UserUnary : nullptr;
}

}  // namespace

void SetUserSlots(UserClass& cls, TypeInfo* info) {
  SetHashSlot(cls, info);
  SetOperatorSlots(cls, info);
  SetSlot(cls, "__repr__", &info->repr, UserRepr);
  SetSlot(cls, "__str__", &info->str, UserStr);
  SetSlot(cls, "__format__", &info->format, UserFormat);
  SetSlot(cls, "__bool__", &info->truth, UserTruth);
  SetSlot(cls, "__len__", &info->len, UserLen);
  SetSlot(cls, "__index__", &info->index, UserIndex);
  SetSlot(cls, "__int__", &info->to_int, UserInt);
  SetSlot(cls, "__float__", &info->to_float, UserFloat);
  SetSlot(cls, "__getitem__", &info->getitem, UserGetItem);
  SetSlot(cls, "__setitem__", &info->setitem, UserSetItem);
  SetSlot(cls, "__delitem__", &info->delitem, UserDelItem);
  SetSlot(cls, "__contains__", &info->contains, UserContains);
  SetSlot(cls, "__iter__", &info->iter, UserIter);
  SetSlot(cls, "__next__", &info->next, UserNext);
  SetSlot(cls, "__call__", &info->call, UserCall);
  SetSlot(cls, "__enter__", &info->enter, UserEnter);
  SetSlot(cls, "__exit__", &info->exit, UserExit);
  SetSlot(cls, "__get__", &info->descr_get, UserDescrGet);
  SetSlot(cls, "__set__", &info->descr_set, UserDescrSet);
  info->overrides = info->descr_set != nullptr;
}

}  // namespace tensh::shell
