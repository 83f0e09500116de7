// set and frozenset. The table is probed and grown exactly as in CPython, so that sets of ints
// iterate and print in the same order.
#pragma once

#include <vector>

#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

class SetObject : public TrackedObject {
 public:
  static const TypeInfo kType;        // set
  static const TypeInfo kFrozenType;  // frozenset
  explicit SetObject(const TypeInfo& type = kType) : TrackedObject(type), table_(kMinSize) {}
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override;

  bool Add(const Value& key) { return Add(key, HashOf(key)); }
  bool Add(const Value& key, uint64_t hash);
  bool Contains(const Value& key) { return Lookup(key, HashOf(key)) != nullptr; }
  bool Discard(const Value& key);
  void Clear();
  size_t size() const { return used_; }
  uint64_t version() const { return version_; }
  // Iterates in table order. Moves *i past the element that it returns; returns null at the end.
  const Value* At(size_t* i) const;
  std::vector<Value> Items() const;
  void Merge(const SetObject& other);

 private:
  static constexpr size_t kMinSize = 8;
  struct Slot {
    Value key;
    uint64_t hash = 0;
    bool dummy = false;
  };
  static uint64_t HashOf(const Value& key);
  Slot* Lookup(const Value& key, uint64_t hash);
  void Resize(size_t wanted);
  void InsertClean(std::vector<Slot>* table, const Value& key, uint64_t hash);

  std::vector<Slot> table_;
  size_t used_ = 0, fill_ = 0;
  uint64_t version_ = 0;
};

// Accepts both kinds, because frozenset is not a subclass of set.
template <>
inline SetObject* As<SetObject>(const Value& v) {
  if (!v.is_object()) return nullptr;
  const TypeInfo& type = v.object()->type();
  bool is_set = DerivesFrom(type, SetObject::kType) || DerivesFrom(type, SetObject::kFrozenType);
  return is_set ? static_cast<SetObject*>(v.object()) : nullptr;
}

inline bool IsSet(const Value& v) { return As<SetObject>(v) != nullptr; }

}  // namespace tensh::shell
