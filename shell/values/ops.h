// What the language's operators and builtins do to any Value: one function per operation,
// dispatching through the type's slots as Python does. All may run the user's code and throw
// PyError.
#pragma once

#include <string>
#include <string_view>

#include "shell/values/type.h"
#include "shell/values/value.h"

namespace tensh::shell {

std::string Repr(const Value& v);
std::string Str(const Value& v);  // str(v)
std::string Format(const Value& v, std::string_view spec);
bool Truth(const Value& v);
uint64_t Hash(const Value& v);
bool Equal(const Value& a, const Value& b);  // a is b or a == b, as containers compare.
Value Compare(CompareOp op, const Value& a, const Value& b);
bool CompareTruth(CompareOp op, const Value& a, const Value& b);
Value Binary(BinaryOp op, const Value& a, const Value& b);
Value Inplace(BinaryOp op, const Value& a, const Value& b);
Value Unary(UnaryOp op, const Value& v);

int64_t Len(const Value& v);
Value GetItem(const Value& v, const Value& key);
void SetItem(const Value& v, const Value& key, const Value& value);
void DelItem(const Value& v, const Value& key);
bool Contains(const Value& container, const Value& item);
Value Iter(const Value& v);
Value IterCallable(const Value& f, const Value& sentinel);  // iter(f, sentinel)
bool Next(const Value& iterator, Value* out);               // False: exhausted.

Value GetAttr(const Value& v, StrObject* name);
Value GetAttr(const Value& v, std::string_view name);
Value FindAttr(const Value& v, StrObject* name);  // Null when there is none.
void SetAttr(const Value& v, StrObject* name, const Value& value);
void DelAttr(const Value& v, StrObject* name);
void SetAttrDirect(const Value& v, StrObject* name, const Value& value);  // object.__setattr__

bool IsCallable(const Value& v);
bool IsInstance(const Value& v, const Value& class_or_tuple);
bool IsSubclass(const Value& cls, const Value& class_or_tuple);
void PollInterrupt();                  // Throws KeyboardInterrupt when the user asked to stop.
std::string TypeName(const Value& v);  // 'int', as error texts name it.

// Conversions with Python's errors. Index takes what __index__ takes and fits 64 bits.
int64_t ToIndex(const Value& v);
bool IsIndex(const Value& v);  // An int, a bool, or something with __index__.
bool IsInt(const Value& v);    // int of any size, bool included.
double ToDouble(const Value& v);
std::string ToText(const Value& v, std::string_view what);  // A str, or TypeError.

// Bounds recursion through native code: RecursionError past the limit shared with Python calls.
class RecursionGuard {
 public:
  explicit RecursionGuard(const char* where = "");
  ~RecursionGuard() { --depth_; }
  RecursionGuard(const RecursionGuard&) = delete;
  static int depth_;
  static int limit_;
  // Where the native stack of the thread that runs must end; 0: the main thread's.
  static uintptr_t floor_;
};

}  // namespace tensh::shell
