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

extern const TypeInfo kEnumerate, kZip, kMap, kFilter, kReversed;

}  // namespace tensh::shell
