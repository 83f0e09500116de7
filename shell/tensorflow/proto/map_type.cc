// The types of map fields: ScalarMapContainer and MessageMapContainer.
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/proto/message.h"
#include "shell/tensorflow/proto/message_class.h"

namespace tensh::shell::tf {
namespace {

constexpr const char* kModule = "google._upb._message";

ProtoMap& Map(const Value& v) { return *static_cast<ProtoMap*>(v.object()); }
ProtoMap& Map(Args& a) { return Map(a.self()); }

class ProtoMapIterator final : public Iterator {
 public:
  static const TypeInfo kType;
  explicit ProtoMapIterator(const Value& map)
      : Iterator(kType), map_(map), keys_(Map(map).Keys()), size_(keys_.size()) {}
  void DropRefs() override { map_ = Value(), keys_.clear(); }
  bool Step(Value* out) override {
    if (map_.is_null() || at_ >= keys_.size()) return false;
    if (Map(map_).size() != size_) throw RuntimeError("Map modified during iteration.");
    *out = keys_[at_++];
    return true;
  }

 private:
  Value map_;
  std::vector<Value> keys_;
  size_t size_, at_ = 0;
};
const TypeInfo ProtoMapIterator::kType = IteratorType("MapIterator");

Value IterProtoMap(const Value& v) { return New<ProtoMapIterator>(v); }
int64_t MapLen(const Value& v) { return static_cast<int64_t>(Map(v).size()); }
bool MapContains(const Value& v, const Value& key) { return Map(v).Contains(key); }
Value MapGet(const Value& v, const Value& key) { return Map(v).GetOrMake(key); }
void MapSet(const Value& v, const Value& key, const Value& value) { Map(v).Set(key, value); }
void MapDelete(const Value& v, const Value& key) {
  if (!Map(v).Erase(key)) throw KeyError(MakeStr("Key not present in map"));
}

std::string MapRepr(const Value& v) {
  std::string out = "{";
  for (const Value& key : Map(v).Keys())
    out += (out.size() > 1 ? ", " : "") + Repr(key) + ": " + Repr(Map(v).Find(key));
  return out + "}";
}

Value MapCompare(CompareOp op, const Value& a, const Value& b) {
  if (op != CompareOp::kEq && op != CompareOp::kNe) return Value::NotImplemented();
  bool equal = false;
  if (auto* other = As<ProtoMap>(b)) {
    equal = Map(a).Equals(*other);
  } else if (auto* dict = As<DictObject>(b)) {
    equal = dict->dict.size() == Map(a).size();
    for (const Value& key : Map(a).Keys()) {
      const Value* held = dict->dict.Find(key);
      equal = equal && held && Equal(Map(a).Find(key), *held);
    }
  } else {
    return Value::NotImplemented();
  }
  return Value::Bool(equal == (op == CompareOp::kEq));
}

// ---- methods ----

Value Get(Args& a) {
  Value found = Map(a).Find(a[0]);
  return found.is_null() ? a[1] : found;
}

Value GetOrCreate(Args& a) { return Map(a).GetOrMake(a[0]); }

Value Keys(Args& a) { return MakeList(Map(a).Keys()); }

Value Values(Args& a) {
  std::vector<Value> values;
  for (const Value& key : Map(a).Keys()) values.push_back(Map(a).Find(key));
  return MakeList(std::move(values));
}

Value Items(Args& a) {
  std::vector<Value> items;
  for (const Value& key : Map(a).Keys()) items.push_back(MakeTuple({key, Map(a).Find(key)}));
  return MakeList(std::move(items));
}

Value Pop(Args& a) {
  Value found = Map(a).Find(a[0]);
  if (found.is_null() && !a.has(1)) throw KeyError(a[0]);
  if (found.is_null()) return a[1];
  Map(a).Erase(a[0]);
  return found;
}

Value PopItem(Args& a) {
  const std::vector<Value> keys = Map(a).Keys();
  if (keys.empty()) throw KeyError(MakeStr("popitem(): the map is empty"));
  Value item = MakeTuple({keys[0], Map(a).Find(keys[0])});
  Map(a).Erase(keys[0]);
  return item;
}

Value SetDefault(Args& a) {
  if (Map(a).field().value().is_message())
    throw NotImplementedError("Set message map value directly is not supported.");
  if (Value found = Map(a).Find(a[0]); !found.is_null()) return found;
  Map(a).Set(a[0], a[1]);
  return Map(a).Find(a[0]);
}

Value Update(Args& a) {
  const Value items =
      As<ProtoMap>(a[0]) || As<DictObject>(a[0]) ? CallMethod(a[0], "items", {}) : a[0];
  for (const Value& item : ToVector(items)) {
    const std::vector<Value> pair = ToVector(item);
    if (pair.size() != 2) throw ValueError("update() takes pairs of a key and a value");
    Map(a).Set(pair[0], pair[1]);
  }
  return Value::None();
}

Value Clear(Args& a) { return Map(a).Clear(), Value::None(); }

Value MergeFrom(Args& a) {
  auto* other = As<ProtoMap>(a[0]);
  if (!other || other->field().message != Map(a).field().message)
    throw AttributeError("Merging of an object that is not a map of the same type");
  Map(a).Merge(*other);
  return Value::None();
}

Value DeepCopy(Args& a) {
  Ref<ProtoMap> copy = New<ProtoMap>(Map(a).field());
  copy->Merge(Map(a));
  return copy;
}

const FunctionRow kMapMethods[] = {
    {"get", "key, default=None", Get, "Returns the value of a key, or the default."},
    {"get_or_create", "key, /", GetOrCreate, "Returns the value of a key, which is made."},
    {"keys", "/", Keys, "Returns the keys."},
    {"values", "/", Values, "Returns the values."},
    {"items", "/", Items, "Returns pairs of a key and its value."},
    {"pop", "key, default=..., /", Pop, "Removes a key and returns its value."},
    {"popitem", "/", PopItem, "Removes and returns a pair of a key and its value."},
    {"setdefault", "key, default=None, /", SetDefault, "Sets a key that is absent."},
    {"update", "items, /", Update, "Sets several keys."},
    {"clear", "/", Clear, "Removes all keys."},
    {"MergeFrom", "map, /", MergeFrom, "Sets the keys of another map."},
    {"__deepcopy__", "memo=None, /", DeepCopy, "Returns a copy."},
};

}  // namespace

const TypeInfo ProtoMap::kType = {.name = "ScalarMapContainer",
                                  .module = kModule,
                                  .doc = "A map field of a message.",
                                  .methods = kMapMethods,
                                  .repr = MapRepr,
                                  .compare = MapCompare,
                                  .len = MapLen,
                                  .getitem = MapGet,
                                  .setitem = MapSet,
                                  .delitem = MapDelete,
                                  .contains = MapContains,
                                  .iter = IterProtoMap};

const TypeInfo ProtoMap::kMessagesType = {
    .name = "MessageMapContainer", .base = &ProtoMap::kType, .module = kModule};

}  // namespace tensh::shell::tf
