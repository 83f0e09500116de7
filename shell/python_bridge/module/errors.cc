#include "shell/python_bridge/module/errors.h"

#include <pthread.h>

namespace tensh::shell::module {
namespace {

bool g_forked = false;

}  // namespace

PyObject* TakeText(char* text) {
  if (text == nullptr) return PyErr_NoMemory();
  PyObject* made = Unicode(text);
  tsh_free(text);
  return made;
}

PyObject* RaiseStatus(const tsh_status* status) {
  // An exception that is already set, such as KeyboardInterrupt, is the reason for the failure.
  if (PyErr_Occurred() != nullptr) return nullptr;
  Owned errors(PyImport_ImportModule("tensh.errors"));
  if (!errors) return nullptr;
  Owned error(PyObject_CallMethod(errors.get(), "_make", "isss", tsh_status_code(status),
                                  tsh_status_message(status), tsh_status_hint(status),
                                  tsh_status_node(status)));
  if (error) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  return nullptr;
}

bool IsForked() { return g_forked; }
void WatchForks() {
  pthread_atfork(nullptr, nullptr, [] { g_forked = true; });
}

bool RefuseFork() {
  if (!g_forked) return false;
  PyErr_SetString(
      PyExc_RuntimeError,
      "tensh was loaded before this process was forked, and its threads exist only in the "
      "parent process; start processes with\n"
      "  multiprocessing.set_start_method('spawn')");
  return true;
}

}  // namespace tensh::shell::module
