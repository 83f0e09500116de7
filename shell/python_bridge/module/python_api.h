// The limited API of CPython 3.9, and counted references to its objects.
//
// One build of the module serves every CPython from 3.9 on. Only functions of the limited API are used.
// Threads: every function needs the GIL unless its comment says otherwise.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

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

// Releases the GIL during its lifetime.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state_); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace tensh::shell::module
