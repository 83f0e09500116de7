// The meeting of CPython's objects and the shell's values.
//
// Numbers, text and containers are converted by value. Arrays share their memory when they go to CPython. Every
// other object becomes a proxy on the other side, and a proxy that returns becomes the original: Foreign is the
// shell's proxy of an object, Proxy is CPython's proxy of a value. A list, dict or set that is read from an
// attribute or an item of an object stays a proxy, so that changes of it are seen by the object.
//
// Locks: the interpreter's lock of the shell is taken before the GIL. Conversions hold both. While CPython runs,
// the first is released (Outside); while the shell runs, the second is (Inside). Errors inside the bridge are
// PyErrors of the shell; functions that CPython calls translate them (Guarded).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "shell/python_bridge/host/host.h"
#include "shell/python_bridge/python_api.h"

namespace tensh::shell::bridge {

extern Host host;

using Held = module::Owned;

// Takes the GIL, in a thread that holds the shell's lock.
class Gil {
 public:
  Gil();
  ~Gil();
  Gil(const Gil&) = delete;

 private:
  bool before_;
  PyGILState_STATE state_;
};

// Releases the shell's lock while CPython runs. The GIL is held before and after.
class Outside {
 public:
  Outside();
  ~Outside();
  Outside(const Outside&) = delete;
  static bool any();  // True while some thread runs CPython. May be called in a signal handler.

 private:
  void* released_;
};

// Calls operation(context) below two frames of Python, because functions such as sys._getframe expect a caller.
PyObject* CallInFrame(PyObject* (*operation)(void*), void* context);

// Takes the shell's lock in a function that CPython called. The GIL is held before and after.
class Entered {
 public:
  Entered();
  ~Entered();
  Entered(const Entered&) = delete;
  bool ended() const { return ended_; }  // True if the shell's program has ended.
  // Lets the main thread of the process be asked whether it is in the shell, from any thread. Then an interrupt that
  // the shell did not answer is forgotten when the thread leaves it, because CPython answers it.
  static void WatchMain();
  static bool main_is_inside();

 private:
  void* taken_ = nullptr;
  bool ended_ = false;
};

// Releases the GIL while the shell runs. The shell's lock is held before and after.
using Inside = module::WithoutGil;

// Calls an operation of CPython while other threads of the shell may run. Returns its result, which may be null
// with CPython's error set.
template <class F>
PyObject* CallOutside(F operation) {
  const Outside outside;
  return module::OrWait([&] {
    if (PyEval_GetFrame() != nullptr) return operation();
    const auto call = [](void* context) { return (*static_cast<F*>(context))(); };
    return CallInFrame(call, &operation);
  });
}

// The shell's proxy of an object of CPython.
class Foreign : public Object {
 public:
  Foreign(const TypeInfo& type, PyObject* object);
  ~Foreign() override;
  PyObject* object;
};
inline PyObject* ObjectOf(const Value& v) { return static_cast<Foreign*>(v.object())->object; }
Value ForeignFor(PyObject* object);
void MakeForeignType();

// ---- conversion; both locks are held ----

enum class Containers : uint8_t { kCopied, kShared };
Value FromPython(PyObject* object, Containers how = Containers::kCopied);
// `argument` is the name of the keyword argument that the value probably was.
Held ToPython(const Value& v, const StrObject* argument = nullptr);
Held ToTuple(std::span<const Value> values);
Held ToText(std::string_view text);
std::string TextOf(PyObject* str);
// Arguments of a call of a shell's function.
struct Arguments {
  std::vector<Value> values;
  std::vector<PyObject*> objects;  // The same as CPython passed them. Borrowed.
  Value keywords;
  CallArgs args() const;
};
// While a function of the shell runs, numbers and texts among its arguments go back to CPython as the same objects.
// scikit-learn requires it of the parameters that __init__ stores.
class Echoes {
 public:
  explicit Echoes(const Arguments& arguments);
  ~Echoes();
  Echoes(const Echoes&) = delete;

 private:
  const Arguments* before_;
};
Arguments FromArguments(PyObject* args, PyObject* kwargs);

// Converts an object of numpy.ndarray, numpy.generic or numpy.dtype. Returns null for any other object.
Value FromNumpy(PyObject* object);
Held ToNumpy(const Value& v, Kind kind);
PyObject* Numpy();  // Borrowed; null if numpy is not installed.

// ---- classes ----

// CPython's class for a class of the shell, and the reverse for classes that are in use on both sides.
PyObject* ClassFor(const Value& cls);  // Borrowed.
Value KnownClass(PyObject* cls);       // Null if the class is only CPython's.
void Pair(const Value& cls, PyObject* object);
// Gives a class of the shell the attributes that a function of CPython, such as a decorator, has set or deleted.
void TakeAttributes(const Value& cls);
bool IsProxy(PyObject* object);
const Value& ValueOf(PyObject* proxy);
Held ProxyFor(const Value& v);
// Returns a proxy without operations, for an exception whose class in CPython is that of an exception.
Held PlainProxyFor(const Value& v);
// Returns the class of the proxies of the instances of a class. Borrowed.
PyObject* InstanceClassFor(const Value& cls);
bool MakeProxyType();
// Says whether this thread has the shell's lock, while CPython starts.
void SetHasLock(bool has);
bool HasLock();
Value BuildClass(const Value& name, const Value& bases, const Value& dict, const Value& keywords);
// Makes the shell's class for a class that a program in CPython derives from one of the shell.
void DeriveInShell(PyObject* cls);

// ---- errors ----

// Throws the error that CPython has set.
[[noreturn]] void ThrowPython();
inline Held Check(PyObject* result) {
  if (result == nullptr) ThrowPython();
  return Held(result);
}
inline void Check(int result) {
  if (result < 0) ThrowPython();
}
void SetPython(const PyError& error);
Value ExceptionFrom(PyObject* exception);
Held ExceptionTo(const Value& exception);
Value ExceptionClassFrom(PyObject* cls);
Held ExceptionClassTo(const Value& cls);
[[noreturn]] void Fail(const char* builtin_class, const std::string& message);

// Sets an exception and returns true in a process that was forked after the bridge started: the shell's threads and the
// owner of its lock exist only in the parent.
bool RefuseFork();
bool IsEnding();  // True when the functions of atexit run.

// Runs a function that CPython calls. Returns `failed` with CPython's error set if it throws.
template <class F, class T>
T Guarded(F body, T failed) {
  if (RefuseFork()) return failed;
  const Entered entered;
  try {
    if (!entered.ended()) return body();
    PyErr_SetString(PyExc_SystemExit, "the program has ended");
  } catch (const PyError& error) {
    SetPython(error);
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (...) {  // the program ends
    PyErr_SetNone(PyExc_SystemExit);
  }
  return failed;
}

// ---- start ----

// Makes the types of the proxies and sets the hooks of the shell, once. `host` is set.
void MakeTypes();
// Makes sys.stdout, sys.path and sys.argv those of the shell's program.
void TakeOutput();

// A function of helpers.py. Borrowed.
PyObject* Helper(const char* name);
Held CallHelper(const char* name, std::initializer_list<PyObject*> args);

}  // namespace tensh::shell::bridge
