#include "shell/numpy/local.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "shell/numpy/array.h"
#include "shell/numpy/ndarray.h"
#include "shell/python/values/class.h"
#include "shell/python/values/collections/dict_type.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

// Looks no deeper into lists than an array may have dimensions.
constexpr int kMaxDepth = np::kMaxRank + 1;

// Returns the method __array__ of an object of the program, such as an image, or null.
Value ArrayMethod(const Value& v) {
  static StrObject* name = Intern("__array__");
  return UserClass::Of(v) != nullptr && !As<Type>(v) ? UserMethod(v, name) : Value();
}

bool HasMethod(const Value& v, const char* name) { return !UserMethod(v, Intern(name)).is_null(); }

// Returns true for objects that have a length and items at places, such as a TensorShape, a deque, or one of a class of
// the program with __len__ and __getitem__. Lists, arrays, texts and mappings have conversions of their own.
bool IsSequenceLike(const Value& v) {
  if (Sequence(v) || As<NdArray>(v) || AsScalar(v) || As<Type>(v)) return false;
  if (As<StrObject>(v) || As<BytesObject>(v) || As<DictObject>(v) || As<RangeObject>(v))
    return false;
  if (UserClass::Of(v)) {
    return HasMethod(v, "__len__") && HasMethod(v, "__getitem__") && !HasMethod(v, "keys");
  }
  const std::string_view name = TypeOf(v).name;
  return name == "TensorShape" || name == "deque";
}

bool IsLikeArray(const Value& v, int depth) {
  if (!v.is_object() || depth > kMaxDepth) return false;
  if (IsForeign(v) || !ArrayMethod(v).is_null() || IsSequenceLike(v)) return true;
  const std::vector<Value>* items = Sequence(v);
  if (items == nullptr || items->empty()) return false;
  // Without another interpreter, either all items are such objects or none, so that long lists cost nothing.
  const auto end = foreign_hooks.type == nullptr ? items->begin() + 1 : items->end();
  return std::any_of(items->begin(), end,
                     [&](const Value& item) { return IsLikeArray(item, depth + 1); });
}

// An object without a known length, such as a TensorShape of unknown rank, is a single element.
bool ItemsOf(const Value& v, Value* local) {
  try {
    Len(v);
  } catch (const PyError&) {
    return false;
  }
  *local = MakeList(ToVector(v));
  if (Value items; WithoutForeign(*local, &items)) *local = items;
  return true;
}

}  // namespace

bool WithoutForeign(const Value& v, Value* local) {
  if (!IsLikeArray(v, 0)) return false;
  if (IsForeign(v)) {
    *local = foreign_hooks.local(v);
    return !local->Is(v);
  }
  if (const Value method = ArrayMethod(v); !method.is_null()) {
    *local = Call(method, {v});
    if (!As<NdArray>(*local)) throw TypeError("__array__ must return an array");
    return true;
  }
  const RecursionGuard guard;
  if (IsSequenceLike(v)) return ItemsOf(v, local);
  bool any = false;
  std::vector<Value> all(*Sequence(v));
  for (Value& item : all) {
    Value made;
    if (WithoutForeign(item, &made)) any = true, item = made;
  }
  if (any) *local = MakeList(std::move(all));
  return any;
}

}  // namespace tensh::shell
