// The insertion-ordered hash table used by dict values, modules, classes and instances.
//
// Keys are compared as in Python: by hash, then by identity, then by ==. The last step may call the
// user's __eq__; a lookup that finds that the table has changed meanwhile starts again. A removed
// entry leaves a hole until the table is rebuilt, so an index stays valid as long as nothing is
// added.
//
// Not thread-safe: the interpreter's lock protects it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "shell/python/values/value.h"

namespace tensh::shell {

class StrObject;

class Dict {
 public:
  struct Entry {
    uint64_t hash = 0;
    Value key;  // Null if the entry was removed.
    Value value;
  };

  // Returns null if the key is absent. The pointer is valid until the table changes.
  Value* Find(const Value& key);
  Value* Find(const Value& key, uint64_t hash);
  Value* Find(StrObject* key);
  Value* Find(std::string_view key);
  void Set(const Value& key, Value value);
  void Set(const Value& key, uint64_t hash, Value value);
  void Set(std::string_view key, Value value);
  bool Erase(const Value& key, Value* old = nullptr);
  void Clear();
  size_t size() const { return used_; }
  bool empty() const { return used_ == 0; }
  uint64_t version() const { return version_; }

  // Iterates over the entries: for (size_t i = 0; const auto* e = d.At(&i);). At() skips holes,
  // moves *i past the entry that it returns, and returns null at the end.
  const Entry* At(size_t* i) const;
  const Entry* Last() const;
  void MoveToEnd(const Value& key, bool last);

 private:
  int64_t Lookup(const Value& key, uint64_t hash);  // Returns the entry number, or -1.
  void Rebuild(size_t capacity);
  void Insert(uint64_t hash, size_t entry);

  std::vector<Entry> entries_;
  // Entry numbers, or -1 for free and -2 for removed. The size is a power of two, or 0 for a small
  // table.
  std::vector<int32_t> index_;
  size_t used_ = 0;
  uint64_t version_ = 0;
};

}  // namespace tensh::shell
