#include "shell/python/values/generic_alias.h"

#include <algorithm>

#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kGenerics[] = {"list",        "tuple",    "dict",  "set",
                                          "frozenset",   "type",     "deque", "defaultdict",
                                          "OrderedDict", "enumerate"};

class GenericAlias : public TrackedObject {
 public:
  static const TypeInfo kType;
  GenericAlias(Value cls, Value args)
      : TrackedObject(kType), cls(std::move(cls)), args(std::move(args)) {}
  void DropRefs() override { cls = args = Value(); }
  Value cls, args;  // args is a tuple.
};
const GenericAlias& G(const Value& v) { return *static_cast<GenericAlias*>(v.object()); }

std::string Shown(const Value& v) {
  if (auto* type = As<Type>(v)) return type->qualified_name();
  return v.is_ellipsis() ? "..." : Repr(v);
}

std::string AliasRepr(const Value& v) {
  std::string inside;
  for (const Value& arg : As<TupleObject>(G(v).args)->items)
    inside += (inside.empty() ? "" : ", ") + Shown(arg);
  return Shown(G(v).cls) + "[" + (inside.empty() ? "()" : inside) + "]";
}

const PropertyRow kProperties[] = {
    {"__origin__", [](const Value& v) { return G(v).cls; }},
    {"__args__", [](const Value& v) { return G(v).args; }},
};

}  // namespace

const TypeInfo GenericAlias::kType = {
    .name = "GenericAlias",
    .module = "types",
    .properties = kProperties,
    .repr = AliasRepr,
    .hash = [](const Value& v) { return Hash(G(v).cls) ^ Hash(G(v).args); },
    .compare =
        [](CompareOp op, const Value& a, const Value& b) {
          if (!As<GenericAlias>(b) || (op != CompareOp::kEq && op != CompareOp::kNe))
            return Value::NotImplemented();
          const bool same = G(a).cls.Is(G(b).cls) && Equal(G(a).args, G(b).args);
          return Value::Bool(same == (op == CompareOp::kEq));
        },
    .getitem = [](const Value& v, const Value&) -> Value {
      throw TypeError(AliasRepr(v) + " is not a generic class");
    },
    .iter = [](const Value& v) { return CallMethod(MakeList({v}), "__iter__", {}); },
    .call = [](const Value& v, const CallArgs& args) { return Call(G(v).cls, args); }};

Value MakeGenericAlias(const Value& cls, const Value& parameters) {
  for (const TypeInfo* t = &As<Type>(cls)->info(); t; t = t->base) {
    if (std::find(std::begin(kGenerics), std::end(kGenerics), t->name) == std::end(kGenerics))
      continue;
    const bool several = &TypeOf(parameters) == &TupleObject::kType;
    return New<GenericAlias>(cls, several ? parameters : MakeTuple({parameters}));
  }
  return Value();
}

}  // namespace tensh::shell
