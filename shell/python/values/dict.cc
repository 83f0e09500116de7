#include "shell/python/values/dict.h"

#include <algorithm>

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

constexpr int32_t kFree = -1;
constexpr int32_t kRemoved = -2;
// Limits the entries of a table without an index, which is searched linearly.
constexpr size_t kLinear = 8;

// Compares keys without running user code. Clears *decided if that is not possible; identical
// values, strs and ints can be decided.
bool QuickEqual(const Value& a, const Value& b, bool* decided) {
  *decided = true;
  if (a.Is(b)) return true;
  if (a.is_int() && b.is_int()) return false;
  if (a.is_object() && b.is_object() && &a.object()->type() == &StrObject::kType &&
      &b.object()->type() == &StrObject::kType) {
    return StrView(a) == StrView(b);
  }
  *decided = false;
  return false;
}

}  // namespace

// Comparing keys may run the user's __eq__, which may change the table. The search then starts
// again.
int64_t Dict::Lookup(const Value& key, uint64_t hash) {
restart:
  const uint64_t version = version_;
  auto matches = [&](size_t i, bool* changed) {
    const Entry& e = entries_[i];
    if (e.key.is_null() || e.hash != hash) return false;
    bool decided;
    bool same = QuickEqual(e.key, key, &decided);
    if (decided) return same;
    Value held = e.key;
    same = Equal(held, key);
    *changed = version_ != version;
    return same;
  };
  bool changed = false;
  if (index_.empty()) {
    for (size_t i = 0; i < entries_.size(); ++i) {
      bool same = matches(i, &changed);
      if (changed) goto restart;
      if (same) return static_cast<int64_t>(i);
    }
    return -1;
  }
  const size_t mask = index_.size() - 1;
  for (size_t slot = hash & mask, step = 0;; slot = (slot + ++step) & mask) {
    int32_t i = index_[slot];
    if (i == kFree) return -1;
    if (i == kRemoved) continue;
    bool same = matches(static_cast<size_t>(i), &changed);
    if (changed) goto restart;
    if (same) return i;
  }
}

void Dict::Insert(uint64_t hash, size_t entry) {
  const size_t mask = index_.size() - 1;
  size_t slot = hash & mask, step = 0;
  while (index_[slot] >= 0) slot = (slot + ++step) & mask;
  index_[slot] = static_cast<int32_t>(entry);
}

void Dict::Rebuild(size_t capacity) {
  if (used_ != entries_.size()) {
    std::erase_if(entries_, [](const Entry& e) { return e.key.is_null(); });
  }
  if (capacity <= kLinear) {
    index_.clear();
    return;
  }
  size_t size = 16;
  while (size * 2 < capacity * 3) size *= 2;
  index_.assign(size, kFree);
  for (size_t i = 0; i < entries_.size(); ++i) Insert(entries_[i].hash, i);
}

// Also computes the hash for an empty table, because an unhashable key is always an error.
Value* Dict::Find(const Value& key) { return Find(key, Hash(key)); }

Value* Dict::Find(const Value& key, uint64_t hash) {
  int64_t i = Lookup(key, hash);
  return i < 0 ? nullptr : &entries_[static_cast<size_t>(i)].value;
}

Value* Dict::Find(StrObject* key) {
  const uint64_t hash = key->hash();
  auto matches = [&](const Entry& e) {
    if (e.hash != hash || !e.key.is_object()) return false;
    return e.key.object() == key ||
           (&e.key.object()->type() == &StrObject::kType && StrView(e.key) == key->view());
  };
  if (index_.empty()) {
    for (Entry& e : entries_) {
      if (matches(e)) return &e.value;
    }
    return nullptr;
  }
  const size_t mask = index_.size() - 1;
  for (size_t slot = hash & mask, step = 0;; slot = (slot + ++step) & mask) {
    int32_t i = index_[slot];
    if (i == kFree) return nullptr;
    if (i != kRemoved && matches(entries_[static_cast<size_t>(i)])) {
      return &entries_[static_cast<size_t>(i)].value;
    }
  }
}

Value* Dict::Find(std::string_view key) { return used_ ? Find(MakeStr(key)) : nullptr; }

void Dict::Set(const Value& key, Value value) { Set(key, Hash(key), std::move(value)); }

void Dict::Set(const Value& key, uint64_t hash, Value value) {
  int64_t found = Lookup(key, hash);
  if (found >= 0) {
    // Swaps instead of assigning, because releasing the old value may use this table again.
    entries_[static_cast<size_t>(found)].value.swap(value);
    return;
  }
  ++version_;
  if (index_.empty() ? entries_.size() >= kLinear : entries_.size() * 3 >= index_.size() * 2) {
    Rebuild((used_ + 1) * 2);
  }
  entries_.push_back({hash, key, std::move(value)});
  ++used_;
  if (!index_.empty()) Insert(hash, entries_.size() - 1);
}

void Dict::Set(std::string_view key, Value value) { Set(MakeStr(key), std::move(value)); }

bool Dict::Erase(const Value& key, Value* old) {
  if (used_ == 0) return false;
  const uint64_t hash = Hash(key);
  int64_t found = Lookup(key, hash);
  if (found < 0) return false;
  ++version_;
  Entry gone;
  std::swap(gone, entries_[static_cast<size_t>(found)]);
  --used_;
  if (!index_.empty()) {
    const size_t mask = index_.size() - 1;
    size_t slot = hash & mask, step = 0;
    while (index_[slot] != found) slot = (slot + ++step) & mask;
    index_[slot] = kRemoved;
  }
  // Removes holes at the end immediately, so that popitem and use as a stack stay O(1).
  while (!entries_.empty() && entries_.back().key.is_null()) entries_.pop_back();
  if (old) *old = std::move(gone.value);
  return true;
}

void Dict::Clear() {
  ++version_;
  std::vector<Entry> gone;
  gone.swap(entries_);
  index_.clear();
  used_ = 0;
}

const Dict::Entry* Dict::At(size_t* i) const {
  while (*i < entries_.size()) {
    const Entry& e = entries_[(*i)++];
    if (!e.key.is_null()) return &e;
  }
  return nullptr;
}

const Dict::Entry* Dict::Last() const {
  for (size_t i = entries_.size(); i-- > 0;) {
    if (!entries_[i].key.is_null()) return &entries_[i];
  }
  return nullptr;
}

void Dict::MoveToEnd(const Value& key, bool last) {
  Value held = key, value;
  if (!Erase(key, &value)) throw KeyError(key);
  if (last) {
    Set(held, std::move(value));
    return;
  }
  std::vector<Entry> rest;
  rest.swap(entries_);
  index_.clear();
  used_ = 0;
  Set(held, std::move(value));
  for (Entry& e : rest) {
    if (!e.key.is_null()) Set(e.key, e.hash, std::move(e.value));
  }
}

}  // namespace tensh::shell
