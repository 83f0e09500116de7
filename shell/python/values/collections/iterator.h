// A base class for iterators written in C++. Derive from it, implement Step, and give the class an
// IteratorType table.
#pragma once

#include "shell/python/values/containers.h"
#include "shell/python/values/type.h"

namespace tensh::shell {

class Iterator : public TrackedObject {
 public:
  explicit Iterator(const TypeInfo& type) : TrackedObject(type) {}
  // Returns false when the iterator is exhausted, and in all later calls.
  virtual bool Step(Value* out) = 0;
  // How far a loop has come. `total` is -1 if it is unknown.
  struct Position {
    int64_t taken = 0, total = -1;
  };
  virtual Position position() const { return {}; }
};

Value IteratorSelf(const Value& v);
bool IteratorNext(const Value& v, Value* out);

constexpr TypeInfo IteratorType(const char* name, const FunctionRow* construct = nullptr) {
  TypeInfo t;
  t.name = name;
  t.construct = construct;
  t.iter = IteratorSelf;
  t.next = IteratorNext;
  return t;
}

Value IterList(const Value& list);
Value IterTuple(const Value& tuple);
Value IterString(const Value& str);
Value IterBytes(const Value& bytes);
Value IterRange(const Value& range);
Value Reversed(const Value& v);

// Returns null if the value is not an iterator written in C++.
const Iterator* AsIterator(const Value& v);

extern const TypeInfo kEnumerate, kZip, kMap, kFilter, kReversed;

}  // namespace tensh::shell
