// The operators and builtins of the language, applied to any Value. There is one function per
// operation, which dispatches through the type's slots as Python does.
//
// All of them may run the user's code and throw PyError. Only the thread that holds the
// interpreter's lock may call them.
#pragma once

#include <string>
#include <string_view>

#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

std::string Repr(const Value& v);
std::string Str(const Value& v);  // str(v)
std::string Format(const Value& v, std::string_view spec);
bool Truth(const Value& v);
uint64_t Hash(const Value& v);
// Returns true if a is b or a == b, as containers compare.
bool Equal(const Value& a, const Value& b);
Value Compare(CompareOp op, const Value& a, const Value& b);
bool CompareTruth(CompareOp op, const Value& a, const Value& b);
Value Binary(BinaryOp op, const Value& a, const Value& b);
// Likewise, but returns NotImplemented if neither operand supports the operation.
Value TryBinary(BinaryOp op, const Value& a, const Value& b);
Value Inplace(BinaryOp op, const Value& a, const Value& b);
Value Unary(UnaryOp op, const Value& v);

int64_t Len(const Value& v);
Value GetItem(const Value& v, const Value& key);
void SetItem(const Value& v, const Value& key, const Value& value);
void DelItem(const Value& v, const Value& key);
bool Contains(const Value& container, const Value& item);
Value Iter(const Value& v);
Value IterCallable(const Value& f, const Value& sentinel);  // iter(f, sentinel)
bool Next(const Value& iterator, Value* out);  // Returns false if the iterator is exhausted.

Value GetAttr(const Value& v, StrObject* name);
// Called by GetAttr for an attribute that a value lacks, unless it is null. Returns null if the
// function does not have it either. Python 2 sets it.
using MissingAttribute = Value (*)(const Value& v, StrObject* name);
extern MissingAttribute missing_attribute;
Value GetAttr(const Value& v, std::string_view name);
Value FindAttr(const Value& v, StrObject* name);  // Returns null if the attribute does not exist.
void SetAttr(const Value& v, StrObject* name, const Value& value);
void DelAttr(const Value& v, StrObject* name);
void SetAttrDirect(const Value& v, StrObject* name, const Value& value);  // object.__setattr__

bool IsCallable(const Value& v);
bool IsInstance(const Value& v, const Value& class_or_tuple);
bool IsSubclass(const Value& cls, const Value& class_or_tuple);
void PollInterrupt();                  // Throws KeyboardInterrupt if the user pressed Ctrl-C.
bool Interrupted();                    // True if PollInterrupt would throw in the main thread.
std::string TypeName(const Value& v);  // The type's name as in error messages: 'int'.

// Conversions that throw Python's errors. ToIndex accepts values with __index__ that fit 64 bits.
int64_t ToIndex(const Value& v);
bool IsIndex(const Value& v);  // True for an int, a bool, or a value with __index__.
bool IsInt(const Value& v);    // True for an int of any size or a bool.
double ToDouble(const Value& v);
// Returns the text of a str; otherwise throws TypeError.
std::string ToText(const Value& v, std::string_view what);

// Bounds recursion through native code. Throws RecursionError beyond the limit, which calls of
// Python functions share.
class RecursionGuard {
 public:
  explicit RecursionGuard(const char* where = "");
  ~RecursionGuard() { --depth_; }
  RecursionGuard(const RecursionGuard&) = delete;
  static int depth_;
  static int limit_;
  // The lowest address that the running thread's native stack may reach; 0 means the main thread's.
  static uintptr_t floor_;
};

}  // namespace tensh::shell
