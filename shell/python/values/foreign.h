// Hooks for the values of another interpreter: objects of CPython, which the plug-in libtensh_python.so
// represents by proxies (shell/python_bridge).
//
// A proxy is an Object whose type derives from `type`, so the slots of TypeInfo serve most operations. The
// hooks serve those that ask for a class of this language. All of them are null until the first import of a
// module of CPython, except `import`, which the program sets unless it runs with --sandbox.
//
// Only the thread that holds the interpreter's lock may use them.
#pragma once

#include <string>
#include <string_view>

#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

// Advice of the other interpreter for a module that it cannot import. All is empty if there is no Python.
struct ForeignAdvice {
  std::string similar;  // the most similar name of a module that it has
  std::string text;     // otherwise the reason, or the command that installs the module
};

struct ForeignHooks {
  const TypeInfo* type = nullptr;  // The base of the types of all proxies.
  // Imports a module ("scipy.sparse"). If it cannot be used, returns null and sets *advice. Throws the error of a module that fails.
  Value (*import)(std::string_view name, ForeignAdvice* advice) = nullptr;
  bool (*is_instance)(const Value& v, const Value& cls) = nullptr;
  bool (*is_subclass)(const Value& derived, const Value& cls) = nullptr;
  // Makes a class with a proxy among its bases. `bases` is a tuple, `dict` and `keywords` are dicts.
  Value (*build_class)(const Value& name, const Value& bases, const Value& dict,
                       const Value& keywords) = nullptr;
  Value (*super)(const Value& cls, const Value& self) = nullptr;
  Value (*type_of)(const Value& v) = nullptr;
  // Returns the array, list, number or text that a proxy stands for where an array is expected, or the proxy
  // itself.
  Value (*local)(const Value& v) = nullptr;
  // Ends the other interpreter's program: waits for its threads and writes its files.
  void (*end)() = nullptr;
  // Called by Interrupt, also in signal handlers.
  void (*interrupt)() = nullptr;
};
extern ForeignHooks foreign_hooks;

inline bool IsForeign(const Value& v) {
  return foreign_hooks.type != nullptr && v.is_object() &&
         DerivesFrom(v.object()->type(), *foreign_hooks.type);
}

}  // namespace tensh::shell
