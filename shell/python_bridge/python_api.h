// The limited API of CPython 3.9, and counted references to its objects.
//
// One build of the module serves every CPython from 3.9 on. Only functions of the limited API are used.
// Threads: every function needs the GIL unless its comment says otherwise.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

#include <string_view>
#include <utility>

namespace tensh::shell::module {

// An owned reference, or null.
class Owned {
 public:
  Owned() = default;
  explicit Owned(PyObject* object) : object_(object) {}  // takes over the reference
  static Owned Share(PyObject* object) {
    Py_XINCREF(object);
    return Owned(object);
  }
  Owned(Owned&& o) noexcept : object_(std::exchange(o.object_, nullptr)) {}
  Owned& operator=(Owned&& o) noexcept {
    std::swap(object_, o.object_);
    return *this;
  }
  ~Owned() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Returns a str of UTF-8; bytes that are not UTF-8 are replaced.
inline PyObject* Unicode(std::string_view text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

// Frees an object of a heap type after its members: the end of a tp_dealloc.
inline void FreeObject(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// Creates a type and adds it to the module. Returns false with an exception on failure.
inline bool AddType(PyObject* module, const char* name, PyType_Spec* spec, PyTypeObject** type) {
  *type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(spec));
  return *type != nullptr &&
         PyObject_SetAttrString(module, name, reinterpret_cast<PyObject*>(*type)) == 0;
}

// Calls an operation of CPython that may run its code or take the GIL. While the interpreter ends, CPython before 3.14 ends
// each daemon thread that does so by pthread_exit, which must not unwind the frames of the shell; such a thread then
// waits for the end of the process.
template <class F>
auto OrWait(F operation) -> decltype(operation()) {
  try {
    return operation();
  } catch (abi::__forced_unwind&) {
    while (true) ::pause();
  }
}

inline void RestoreThread(PyThreadState* state) {
  OrWait([state] { PyEval_RestoreThread(state); });
}

// Releases the GIL during its lifetime.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { RestoreThread(state_); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace tensh::shell::module
