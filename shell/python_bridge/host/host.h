// The table through which libtensh_python.so uses the values of the shell.
//
// The plug-in includes the headers of the values, but the program exports no symbols of the shell: the
// functions and types that the plug-in needs are in this table. It belongs to one build of tensh, which the
// plug-in checks by `size` and `version`. All functions need the interpreter's lock and may throw PyError.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shell/numpy/ndarray.h"
#include "shell/python/values/class.h"
#include "shell/python/values/collections/set.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/islands.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell::bridge {

// An ndarray as memory. `code` is numpy's type string ("<f4"); null for text and objects.
struct ArrayMemory {
  const char* code = nullptr;
  std::vector<int64_t> dims, strides;
  void* data = nullptr;
};

// How a value is converted for CPython.
enum class Kind : uint8_t {
  kOther,
  kBigInt,
  kStr,
  kBytes,
  kComplex,
  kList,
  kTuple,
  kDict,
  kSet,
  kFrozenSet,
  kSlice,
  kRange,
  kArray,
  kScalar,
  kDType,
  kException,
  kClass,
  kModule,
};

struct Host {
  size_t size;
  const char* version;
  ForeignHooks* hooks;
  Interp* interp;

  void (*dispose)(Object*) noexcept;
  const TypeInfo& (*type_of)(const Value&);
  bool (*derives_from)(const TypeInfo&, const TypeInfo&);
  Kind (*kind)(const Value&);
  const TypeInfo* exception_type;
  const TypeInfo* object_type;
  const TypeInfo* function_type;
  const TypeInfo* native_function_type;

  StrObject* (*intern)(std::string_view);
  Value (*make_str)(std::string);
  Value (*make_bytes)(std::string);
  Value (*make_complex)(double, double);
  Value (*make_list)(std::vector<Value>);
  Value (*make_tuple)(std::vector<Value>);
  Value (*make_set)(const std::vector<Value>&, bool frozen);
  Value (*make_dict)(const std::vector<Value>& keys, const std::vector<Value>& values);
  Value (*make_slice)(const Value&, const Value&, const Value&);
  Value (*int_from_text)(std::string_view, int base);
  std::string (*int_to_text)(const Value&, int base);
  std::vector<Value> (*to_vector)(const Value&);
  // Returns the keys and values of a dict, alternating.
  std::vector<Value> (*dict_items)(const Value&);
  Value (*bound_method)(const Value& function, const Value& self);

  Value (*find_attr)(const Value&, StrObject*);
  Value (*own_attr)(const Value&,
                    StrObject*);  // That of the instance itself; null if it does not exist.
  Value (*get_attr)(const Value&, StrObject*);
  void (*set_attr)(const Value&, StrObject*, const Value&);
  void (*del_attr)(const Value&, StrObject*);
  Value (*call)(const Value&, const CallArgs&);
  Value (*get_item)(const Value&, const Value&);
  void (*set_item)(const Value&, const Value&, const Value&);
  void (*del_item)(const Value&, const Value&);
  bool (*contains)(const Value&, const Value&);
  Value (*iter)(const Value&);
  bool (*next)(const Value&, Value*);
  int64_t (*len)(const Value&);
  bool (*truth)(const Value&);
  uint64_t (*hash)(const Value&);
  std::string (*repr)(const Value&);
  std::string (*str)(const Value&);
  Value (*compare)(CompareOp, const Value&, const Value&);
  Value (*binary)(BinaryOp, const Value&, const Value&);
  Value (*inplace)(BinaryOp, const Value&, const Value&);
  Value (*unary)(UnaryOp, const Value&);
  double (*to_double)(const Value&);
  int64_t (*to_index)(const Value&);
  bool (*is_callable)(const Value&);
  bool (*is_instance)(const Value&, const Value&);
  bool (*is_subclass)(const Value&, const Value&);
  Value (*enter)(const Value&);
  std::vector<std::string> (*dir)(const Value&);

  Value (*builtin)(std::string_view name);  // Null if it does not exist.
  Value (*import)(std::string_view name);
  Value (*type_value)(const TypeInfo&);
  // Calls __new__ of a user class without its __init__.
  Value (*allocate)(const Value& cls);
  // Returns the attribute of the class as it is stored, or null.
  Value (*lookup)(const Value& cls, StrObject* name);
  Value (*make_exception)(const Value& cls, const Value& args);
  // For clang, a pointer to a function has this attribute only in the form of GNU.
  __attribute__((noreturn)) void (*raise)(const Value& exception);

  // Returns the elements, which stay where they are from then on, and sets *keeper to a value that keeps them.
  // Returns false for text and objects.
  bool (*array_memory)(const Value&, ArrayMemory*, Value* keeper);
  // Makes an array of numbers. If `release` is not null and the strides allow it, the array shares the memory,
  // and release(context) is called when it is no longer needed; otherwise the elements are copied and
  // *copied is set. Returns null if there is no such dtype.
  Value (*array_from)(const ArrayMemory&, void (*release)(void*), void* context, bool* copied);
  Value (*object_array)(std::vector<Value> items, const std::vector<int64_t>& dims);
  Value (*scalar_from)(std::string_view code, const void* element);
  Value (*array_of)(const Value& nested);      // np.array(nested)
  Value (*array_list)(const Value& array);     // array.tolist()
  Value (*dtype_from)(std::string_view code);  // Null if it does not exist.
  std::string (*dtype_code)(const Value& dtype);
  const char* (*scalar_class)(const Value& cls);  // "float32" for np.float32, or null.

  void (*write)(std::string_view);  // to the standard output of the program
  void (*flush)();

  // The interpreter's lock: `release` and `take_back` around a call of CPython, `take` and `give_back` around
  // a callback, in any thread. The results are passed to the second function. `take` returns null after the end
  // of the program.
  void* (*release)();
  void (*take_back)(void*);
  void* (*take)();
  void (*give_back)(void*);
  // Takes the lock like `take`; returns null if another thread keeps it for so long.
  void* (*take_within)(std::chrono::milliseconds patience);

  std::vector<size_t> (*find_islands)(const heap::Border&);
  void (*collect_soon)();  // Requests a collection of the shell's own cycles.
};

// The plug-in exports a function of this type as tensh_python_bridge. It starts CPython and fills in the
// hooks. Returns null, or why it failed.
using Start = const char* (*)(const Host&, const char* python);
constexpr const char* kStart = "tensh_python_bridge";

const Host& TheHost();
// Sets foreign_hooks.import, which loads the plug-in at the first import of a module of CPython.
void Install();

}  // namespace tensh::shell::bridge
