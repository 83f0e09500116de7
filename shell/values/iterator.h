// Iterators written in C++: derive, implement Step, and give the class an IteratorType table.
#pragma once

#include "shell/values/containers.h"
#include "shell/values/type.h"

namespace tensh::shell {

class Iterator : public TrackedObject {
 public:
  explicit Iterator(const TypeInfo& type) : TrackedObject(type) {}
  virtual bool Step(Value* out) = 0;  // False: exhausted, and stays so.
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
