// The native part of the module functools; functools_decorators.py has the rest.
#include <utility>
#include <vector>

#include "shell/python/modules/modules.h"
#include "shell/python/values/class.h"
#include "shell/python/values/collections/dict_type.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

namespace tensh::shell {
namespace {

Value Reduce(Args& a) {
  Value it = Iter(a[1]), total = a[2], v;
  if (total.is_null() && !Next(it, &total))
    throw TypeError("reduce() of empty iterable with no initial value");
  while (Next(it, &v)) total = Call(a[0], {total, v});
  return total;
}

class PartialObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  PartialObject() : TrackedObject(kType), keywords(MakeDict()) {}
  void DropRefs() override {
    function = keywords = Value();
    args.clear();
    attrs_.Clear();
  }
  Dict* attrs() override { return &attrs_; }
  Value function, keywords;
  std::vector<Value> args;

 private:
  Dict attrs_;
};
PartialObject& P(const Value& v) { return *static_cast<PartialObject*>(v.object()); }

Value MakePartial(Args& a) {
  auto p = New<PartialObject>();
  if (!IsCallable(a[0])) throw TypeError("the first argument must be callable");
  p->function = a[0];
  p->args = As<TupleObject>(a[1])->items;
  p->keywords = a[2];
  return p;
}
Value CallPartial(const Value& v, const CallArgs& more) {
  std::vector<Value> all = P(v).args, names;
  all.insert(all.end(), more.args.begin(),
             more.args.begin() + static_cast<long>(more.positional()));
  Value merged = MakeDict();
  Dict& dict = As<DictObject>(merged)->dict;
  UpdateDict(&dict, P(v).keywords);
  for (size_t i = 0; i < more.keyword_count(); ++i)
    dict.Set(more.keyword(i), more.args[more.positional() + i]);
  for (size_t i = 0; const Dict::Entry* e = dict.At(&i);) {
    names.push_back(e->key);
    all.push_back(e->value);
  }
  Value keywords = MakeTuple(std::move(names));
  const auto* tuple = As<TupleObject>(keywords);
  return Call(P(v).function, CallArgs{all, tuple->items.empty() ? nullptr : tuple});
}
std::string PartialRepr(const Value& v) {
  std::string out = "functools.partial(" + Repr(P(v).function);
  for (const Value& arg : P(v).args) out += ", " + Repr(arg);
  for (size_t i = 0; const Dict::Entry* e = As<DictObject>(P(v).keywords)->dict.At(&i);) {
    out += ", " + Str(e->key) + "=" + Repr(e->value);
  }
  return out + ")";
}
Value PartialFunc(const Value& v) { return P(v).function; }
Value PartialArgs(const Value& v) { return MakeTuple(P(v).args); }
Value PartialKeywords(const Value& v) { return P(v).keywords; }
const PropertyRow kPartialProperties[] = {
    {"func", PartialFunc}, {"args", PartialArgs}, {"keywords", PartialKeywords}};
const FunctionRow kMakePartial = {"partial", "func, /, *args, **keywords", MakePartial};

// Implements wraps(f)(g): copies the name, the docstring and the attributes of f to g.
Value UpdateWrapper(Args& a) {
  for (const char* name : {"__name__", "__qualname__", "__doc__"}) {
    Value v = FindAttr(a[1], Intern(name));
    if (!v.is_null()) SetAttr(a[0], Intern(name), v);
  }
  if (Dict* attrs = a[1].is_object() ? a[1].object()->attrs() : nullptr) {
    // Copies, because a __setattr__ of the program may change the dictionary.
    std::vector<std::pair<Value, Value>> copied;
    for (size_t i = 0; const Dict::Entry* e = attrs->At(&i);) copied.emplace_back(e->key, e->value);
    for (const auto& [name, value] : copied) SetAttr(a[0], Intern(Str(name)), value);
  }
  SetAttr(a[0], Intern("__wrapped__"), a[1]);
  return a[0];
}
const FunctionRow kUpdateWrapper = {"update_wrapper", "wrapper, wrapped", UpdateWrapper};
Value ApplyWraps(Args& a) {
  return Call(Value(New<NativeFunction>(kUpdateWrapper, nullptr)), {a[0], a.self()});
}
const FunctionRow kApplyWraps = {"wraps", "wrapper", ApplyWraps};
Value Wraps(Args& a) { return New<NativeFunction>(kApplyWraps, nullptr, a[0]); }

class CacheObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit CacheObject(Value f) : TrackedObject(kType), function(std::move(f)) {}
  void DropRefs() override {
    function = Value();
    cache.Clear();
    attrs_.Clear();
  }
  Dict* attrs() override { return &attrs_; }
  Value function;
  Dict cache;

 private:
  Dict attrs_;
};
Value CallCached(const Value& v, const CallArgs& args) {
  auto& c = *static_cast<CacheObject*>(v.object());
  std::vector<Value> key(args.args.begin(), args.args.end());
  if (args.keywords)
    key.insert(key.end(), args.keywords->items.begin(), args.keywords->items.end());
  Value k = MakeTuple(std::move(key));
  if (Value* found = c.cache.Find(k)) return *found;
  Value r = Call(c.function, args);
  c.cache.Set(k, r);
  return r;
}
Value CacheClear(Args& a) {
  return static_cast<CacheObject*>(a.self().object())->cache.Clear(), Value::None();
}
const FunctionRow kCacheMethods[] = {{"cache_clear", "/", CacheClear}};
Value CacheGetAttr(const Value& v, StrObject* name) {
  if (name->view() == "cache_clear") return Value();
  return FindAttr(static_cast<CacheObject*>(v.object())->function, name);
}
Value MakeCache(Args& a) { return New<CacheObject>(a[0]); }
const FunctionRow kMakeCache = {"cache", "user_function, /", MakeCache};
// Implements lru_cache and lru_cache(maxsize=…). The cache is not bounded.
Value LruCache(Args& a) {
  if (IsCallable(a[0])) return New<CacheObject>(a[0]);
  return New<NativeFunction>(kMakeCache, nullptr);
}

class KeyObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  KeyObject(Value f, Value v) : TrackedObject(kType), compare(std::move(f)), value(std::move(v)) {}
  void DropRefs() override { compare = value = Value(); }
  Value compare, value;
};
Value CompareKeys(CompareOp op, const Value& a, const Value& b) {
  auto *x = As<KeyObject>(a), *y = As<KeyObject>(b);
  if (!x || !y) return Value::NotImplemented();
  return Compare(op, Call(x->compare, {x->value, y->value}), Value::Int(0));
}
Value ApplyKey(Args& a) { return New<KeyObject>(a.self(), a[0]); }
const FunctionRow kApplyKey = {"K", "obj", ApplyKey};
Value CmpToKey(Args& a) { return New<NativeFunction>(kApplyKey, nullptr, a[0]); }

Value PartialClass() { return TypeValue(PartialObject::kType); }
const FunctionRow kRows[] = {
    {"reduce", "function, iterable, initial=..., /", Reduce}, kUpdateWrapper,
    {"wraps", "wrapped, assigned=None, updated=None", Wraps}, kMakeCache,
    {"lru_cache", "maxsize=128, typed=False", LruCache},      {"cmp_to_key", "mycmp", CmpToKey},
};
const ConstantRow kConstants[] = {{"partial", PartialClass}};

}  // namespace

const TypeInfo PartialObject::kType = {.name = "partial",
                                       .module = "functools",
                                       .properties = kPartialProperties,
                                       .construct = &kMakePartial,
                                       .repr = PartialRepr,
                                       .call = CallPartial};
const TypeInfo CacheObject::kType = {.name = "_lru_cache_wrapper",
                                     .module = "functools",
                                     .methods = kCacheMethods,
                                     .getattr = CacheGetAttr,
                                     .call = CallCached,
                                     .descr_get = BindMethod};
const TypeInfo KeyObject::kType = {
    .name = "KeyWrapper", .module = "functools", .compare = CompareKeys};

const ModuleDef kFunctoolsModule = {
    .name = "functools",
    .functions = kRows,
    .constants = kConstants,
    .missing = [](StrObject* name) { return FromLibrary("functools_decorators", name); }};

}  // namespace tensh::shell
