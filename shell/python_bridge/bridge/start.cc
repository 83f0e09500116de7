// The start of the bridge in a process where CPython runs, and the import of CPython's modules.
#include <pthread.h>

#include <atomic>

#include "shell/python_bridge/bridge/bridge.h"
#include "shell/python_bridge/bridge/helpers_text.h"
#include "shell/python_bridge/bridge/proxy.h"

namespace tensh::shell::bridge {

Host host;

namespace {

PyObject* helpers = nullptr;  // the globals of helpers.py

PyObject* WriteText(PyObject*, PyObject* text) {
  return Guarded(
      [&] {
        const std::string written = TextOf(text);
        host.write(written);
        return Held::Share(Py_None).release();
      },
      static_cast<PyObject*>(nullptr));
}

PyObject* FlushText(PyObject*, PyObject*) {
  return Guarded(
      [&] {
        host.flush();
        return Held::Share(Py_None).release();
      },
      static_cast<PyObject*>(nullptr));
}

struct Pending {
  PyObject* (*operation)(void*);
  void* context;
};
thread_local Pending pending;

PyObject* CallPending(PyObject*, PyObject*) {
  const Pending now = pending;
  return now.operation(now.context);
}

PyMethodDef call_method = {"call", CallPending, METH_NOARGS, nullptr};
PyMethodDef write_method = {"write", WriteText, METH_O, nullptr};
PyMethodDef flush_method = {"flush", FlushText, METH_NOARGS, nullptr};

bool RunHelpers() {
  const Held code(Py_CompileString(kHelpersText, "<tensh/python_bridge>", Py_file_input));
  if (!code) return false;
  helpers = PyDict_New();
  PyDict_SetItemString(helpers, "__builtins__", PyEval_GetBuiltins());
  PyDict_SetItemString(helpers, "__name__", Held(PyUnicode_FromString("tensh")).get());
  const Held result(PyEval_EvalCode(code.get(), helpers, helpers));
  return static_cast<bool>(result);
}

Value Import(std::string_view name, ForeignAdvice* advice) {
  const Gil gil;
  const Held text = ToText(name);
  PyObject* found =
      CallOutside([&] { return PyImport_Import(text.get()); });  // of "a.b", returns a
  if (found != nullptr) {
    Py_DECREF(found);
    found = PyDict_GetItem(PyImport_GetModuleDict(), text.get());
    Py_XINCREF(found);
    if (found == nullptr) PyErr_Format(PyExc_ImportError, "cannot import %U", text.get());
  }
  if (found == nullptr && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    const Held missing(PyObject_GetAttrString(value, "name"));
    const bool this_one =
        missing && PyUnicode_Check(missing.get()) && TextOf(missing.get()) == name;
    PyErr_Restore(type, value, traceback);
    if (this_one && name.find('.') == name.npos) {
      PyErr_Clear();
      advice->similar = TextOf(CallHelper("similar_module", {text.get()}).get());
      const Held python = Held::Share(PySys_GetObject("executable"));
      if (advice->similar.empty())
        advice->text = "to use Python's package: " + TextOf(python.get()) + " -m pip install " +
                       std::string(name);
      return Value();
    }
  }
  const Held held = Check(found);
  return FromPython(found);
}

// Tells CPython of Ctrl-C. May run in a signal handler.
void Interrupt() {
  if (Outside::any()) PyErr_SetInterrupt();
}

}  // namespace

PyObject* CallInFrame(PyObject* (*operation)(void*), void* context) {
  static PyObject* const call = PyCFunction_New(&call_method, nullptr);
  static PyObject* const frame = Helper("frame");
  pending = {operation, context};
  return PyObject_CallFunctionObjArgs(frame, call, nullptr);
}

namespace {

bool forked = false;
std::atomic<bool> ending{false};

PyObject* NoteEnd(PyObject*, PyObject*) {
  ending = true;
  return Held::Share(Py_None).release();
}
PyMethodDef end_method = {"note_end", NoteEnd, METH_NOARGS, nullptr};

}  // namespace

bool IsEnding() { return ending; }

bool RefuseFork() {
  if (!forked) return false;
  PyErr_SetString(
      PyExc_RuntimeError,
      "this process was forked by one that used tensh, whose threads exist only there; start "
      "processes with\n  multiprocessing.set_start_method('spawn')");
  return true;
}

void MakeTypes() {
  if (helpers != nullptr) return;
  pthread_atfork(nullptr, nullptr, [] { forked = true; });
  const Held atexit = Check(PyImport_ImportModule("atexit")),
             note = Check(PyCFunction_New(&end_method, nullptr));
  const Held registered = Check(PyObject_CallMethod(atexit.get(), "register", "O", note.get()));
  if (!RunHelpers() || !MakeProxyType() || !WatchCollections()) ThrowPython();
  MakeForeignType();
  host.hooks->import = Import;
  host.hooks->interrupt = Interrupt;
}

void TakeOutput() {
  const Held write = Check(PyCFunction_New(&write_method, nullptr)),
             flush = Check(PyCFunction_New(&flush_method, nullptr));
  const Value sys = host.import("sys");
  const Held folders = ToPython(host.get_attr(sys, host.intern("path"))),
             argv = ToPython(host.get_attr(sys, host.intern("argv")));
  CallHelper("start", {write.get(), flush.get(), folders.get(), argv.get()});
}

PyObject* Helper(const char* name) { return PyDict_GetItemString(helpers, name); }

Held CallHelper(const char* name, std::initializer_list<PyObject*> args) {
  const Held tuple = Check(PyTuple_New(static_cast<Py_ssize_t>(args.size())));
  Py_ssize_t i = 0;
  for (PyObject* each : args) PyTuple_SetItem(tuple.get(), i++, Held::Share(each).release());
  return Check(module::OrWait([&] { return PyObject_Call(Helper(name), tuple.get(), nullptr); }));
}

}  // namespace tensh::shell::bridge
