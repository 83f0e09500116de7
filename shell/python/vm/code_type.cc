// The type of code objects (function.__code__). Scripts and `inspect` read the parameter names from
// it.
#include "shell/python/compile/code.h"
#include "shell/python/values/type.h"

namespace tensh::shell {
namespace {

const Code& C(const Value& v) { return *static_cast<Code*>(v.object()); }

size_t KeywordOnly(const Signature& s) {
  return s.params.size() - s.positional - (s.star >= 0) - (s.star_star >= 0);
}

Value Names(const Value& v) {
  // CPython's order: positional parameters, keyword-only ones, *args, **kwargs, then the other
  // locals.
  const Signature& s = C(v).signature;
  std::vector<Value> names;
  auto star = [&](size_t i) {
    return static_cast<int>(i) == s.star || static_cast<int>(i) == s.star_star;
  };
  for (size_t i = 0; i < s.params.size(); ++i) {
    if (!star(i)) names.emplace_back(Value(s.params[i].name));
  }
  if (s.star >= 0) names.emplace_back(Value(s.params[static_cast<size_t>(s.star)].name));
  if (s.star_star >= 0) names.emplace_back(Value(s.params[static_cast<size_t>(s.star_star)].name));
  const std::vector<StrObject*>& locals = C(v).local_names;
  for (size_t i = s.params.size(); i < locals.size(); ++i) names.emplace_back(Value(locals[i]));
  return MakeTuple(std::move(names));
}

Value Name(const Value& v) { return MakeStr(C(v).name); }
Value File(const Value& v) { return MakeStr(C(v).source ? C(v).source->file() : ""); }
Value ArgCount(const Value& v) {
  return Value::Int(static_cast<int64_t>(C(v).signature.positional));
}
Value PositionalOnly(const Value& v) {
  return Value::Int(static_cast<int64_t>(C(v).signature.positional_only));
}
Value KeywordOnlyCount(const Value& v) {
  return Value::Int(static_cast<int64_t>(KeywordOnly(C(v).signature)));
}
Value Flags(const Value& v) {
  const Code& c = C(v);
  return Value::Int((c.signature.star >= 0 ? 4 : 0) | (c.signature.star_star >= 0 ? 8 : 0) |
                    (c.is_generator ? 32 : 0) | 3);
}

const PropertyRow kProperties[] = {
    {"co_name", Name},         {"co_filename", File},
    {"co_argcount", ArgCount}, {"co_posonlyargcount", PositionalOnly},
    {"co_varnames", Names},    {"co_kwonlyargcount", KeywordOnlyCount},
    {"co_flags", Flags},
};

}  // namespace

const TypeInfo Code::kType = {.name = "code", .properties = kProperties};

}  // namespace tensh::shell
