// Indexing, slicing, comparing and repeating, shared by list, tuple, str, bytes and range.
#pragma once

#include <string>
#include <vector>

#include "shell/python/values/containers.h"

namespace tensh::shell {

// Converts a size or count. Unlike ToIndex, throws OverflowError instead of IndexError.
int64_t ToSize(const Value& v);
// Converts an index into a sequence of `length` elements; a negative index counts from the end.
// Throws IndexError "<what> index out of range".
int64_t CheckIndex(const Value& key, int64_t length, const char* what);
[[noreturn]] void ThrowIndexType(const char* what, const Value& key);

std::vector<Value> SliceItems(const std::vector<Value>& items, const SliceObject& slice);
Value CompareItems(CompareOp op, const std::vector<Value>& a, const std::vector<Value>& b);
std::vector<Value> RepeatItems(const std::vector<Value>& items, const Value& times);
std::string JoinReprs(const std::vector<Value>& items);
// Returns -1 if the item is absent.
int64_t FindItem(const std::vector<Value>& items, const Value& v, int64_t from, int64_t to);
// Returns how often to repeat a sequence of `size` elements. Throws MemoryError if the result would
// be too large.
size_t RepeatCount(const Value& times, size_t size);

// The index and count methods of list and tuple.
Value SequenceIndex(Args& a);
Value SequenceCount(Args& a);

// Protects repr of a container that contains itself. again() is true if `object` is already being
// printed.
class ReprGuard {
 public:
  explicit ReprGuard(const Object* object);
  ~ReprGuard();
  bool again() const { return again_; }

 private:
  bool again_;
};

}  // namespace tensh::shell
