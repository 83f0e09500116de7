// Dict: the insertion-ordered hash table under dict values, modules, classes and instances.
//
// Keys are compared as Python compares (hash, then identity, then ==), which may call the user's
// __eq__; a lookup that finds the table changed under it starts again. Entries removed leave holes
// until the table is rebuilt, so an index stays valid while nothing is added.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "shell/values/value.h"

namespace tensh::shell {

class StrObject;

class Dict {
 public:
  struct Entry {
    uint64_t hash = 0;
    Value key;  // Null: removed.
    Value value;
  };

  // Null when absent. The pointer is valid until the table changes.
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

  // Iteration: `for (const Dict::Entry* e = d.Next(0)...` or for (size_t i = 0; const auto* e =
  // d.At(&i);) At() skips holes, returns null at the end and moves *i past what it returned.
  const Entry* At(size_t* i) const;
  const Entry* Last() const;
  void MoveToEnd(const Value& key, bool last);

 private:
  int64_t Lookup(const Value& key, uint64_t hash);  // Entry number or -1.
  void Rebuild(size_t capacity);
  void Insert(uint64_t hash, size_t entry);

  std::vector<Entry> entries_;
  std::vector<int32_t> index_;  // -1 free, -2 removed; size is a power of two. Empty while small.
  size_t used_ = 0;
  uint64_t version_ = 0;
};

}  // namespace tensh::shell
