// isinstance and issubclass: with virtual bases, metaclasses that have a say, and classes of CPython.
#include <algorithm>
#include <utility>
#include <vector>

#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/user_slots.h"
#include "shell/python/values/virtual_base.h"

namespace tensh::shell {
namespace {

std::vector<std::pair<const TypeInfo*, const TypeInfo*>>& VirtualBases() {
  static auto* bases = new std::vector<std::pair<const TypeInfo*, const TypeInfo*>>();
  return *bases;
}

bool Derives(Type& type, Type& of) {
  if (type.IsSubtypeOf(of)) return true;
  for (const auto& [derived, base] : VirtualBases())
    if (type.IsSubtypeOf(TypeObject(*derived)) && TypeObject(*base).IsSubtypeOf(of)) return true;
  return false;
}

// If the metaclass defines the method `hook`, returns its result: __instancecheck__(asked).
template <class Test>
bool AnyClass(const Value& classes, const Value& asked, StrObject* hook, const char* what,
              bool (*foreign)(const Value&, const Value&), Test test) {
  if (auto* type = As<Type>(classes)) {
    const Value own = UserMethod(classes, hook);
    return own.is_null() ? test(*type) : Truth(Call(own, {classes, asked}));
  }
  if (IsForeign(classes)) return foreign(asked, classes);
  auto* tuple = As<TupleObject>(classes);
  if (!tuple)
    throw TypeError(what + std::string(" arg 2 must be a type, a tuple of types, or a union"));
  RecursionGuard guard;
  return std::any_of(tuple->items.begin(), tuple->items.end(),
                     [&](const Value& c) { return AnyClass(c, asked, hook, what, foreign, test); });
}

}  // namespace

void AddVirtualBase(const TypeInfo& type, const TypeInfo& base) {
  VirtualBases().emplace_back(&type, &base);
}

bool IsInstance(const Value& v, const Value& class_or_tuple) {
  static StrObject* hook = Intern("__instancecheck__");
  if (IsForeign(v)) return foreign_hooks.is_instance(v, class_or_tuple);
  return AnyClass(class_or_tuple, v, hook, "isinstance()", foreign_hooks.is_instance,
                  [&](Type& c) { return Derives(TypeObjectOf(v), c); });
}

bool IsSubclass(const Value& cls, const Value& class_or_tuple) {
  auto* type = As<Type>(cls);
  if (IsForeign(cls)) return foreign_hooks.is_subclass(cls, class_or_tuple);
  if (!type) throw TypeError("issubclass() arg 1 must be a class");
  static StrObject* hook = Intern("__subclasscheck__");
  return AnyClass(class_or_tuple, cls, hook, "issubclass()", foreign_hooks.is_subclass,
                  [&](Type& c) { return Derives(*type, c); });
}

}  // namespace tensh::shell
