// What list, tuple, str, bytes and range share: indexing, slicing, comparing, repeating.
#pragma once

#include <string>
#include <vector>

#include "shell/values/containers.h"

namespace tensh::shell {

// A size or count: OverflowError where ToIndex says IndexError.
int64_t ToSize(const Value& v);
// An index into a sequence of `length`, negative ones from the end; IndexError "<what> index out of
// range".
int64_t CheckIndex(const Value& key, int64_t length, const char* what);
[[noreturn]] void ThrowIndexType(const char* what, const Value& key);

std::vector<Value> SliceItems(const std::vector<Value>& items, const SliceObject& slice);
Value CompareItems(CompareOp op, const std::vector<Value>& a, const std::vector<Value>& b);
std::vector<Value> RepeatItems(const std::vector<Value>& items, const Value& times);
std::string JoinReprs(const std::vector<Value>& items);
int64_t FindItem(const std::vector<Value>& items, const Value& v, int64_t from,
                 int64_t to);  // -1: absent.
// How often to repeat a sequence of `size` elements; checks that the result stays in memory.
size_t RepeatCount(const Value& times, size_t size);

// The index and count methods of list and tuple.
Value SequenceIndex(Args& a);
Value SequenceCount(Args& a);

// repr of a container that holds itself: true while `object` is being shown already.
class ReprGuard {
 public:
  explicit ReprGuard(const Object* object);
  ~ReprGuard();
  bool again() const { return again_; }

 private:
  bool again_;
};

}  // namespace tensh::shell
