// The extension module tensh._tensh: the runtime and the shell for the Python package `tensh`, whose
// Python files (shell/python_bridge/package/tensh) are what users see.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "shell/explain/export.h"
#include "shell/explain/report.h"
#include "shell/explain/view.h"
#include "shell/program.h"
#include "shell/python_bridge/module/array.h"
#include "shell/python_bridge/module/compat.h"
#include "shell/python_bridge/module/errors.h"
#include "shell/python_bridge/module/graph.h"
#include "shell/python_bridge/module/session.h"
#include "shell/python_bridge/module/shell_thread.h"

namespace tensh::shell::module {
namespace {

// Calls `body` without the GIL, and converts an exception of the shell to a RuntimeError.
template <class Body>
bool Guarded(Body body) {
  if (RefuseFork()) return false;
  std::string message;
  try {
    const WithoutGil without;
    body();
    return true;
  } catch (const std::exception& error) {
    message = error.what();
  }
  if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_RuntimeError, message.c_str());
  return false;
}

// Returns true if Ctrl-C was pressed. The exception of the handler is kept for the caller.
bool PollSignals() {
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool pressed = PyErr_Occurred() == nullptr && PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return pressed;
}

// Returns ([(kind, text, mime, data), …], error or None, whether the cell was `quit`).
PyObject* Execute(PyObject*, PyObject* args) {
  const char* cell = nullptr;
  if (!PyArg_ParseTuple(args, "s", &cell)) return nullptr;
  CellResult result;
  const std::string text = cell;
  if (!Guarded([&] { result = RunShellCell(text, PollSignals); })) return nullptr;
  if (PyErr_Occurred() != nullptr) return nullptr;
  Owned output(PyList_New(0));
  for (const Shown& shown : result.output) {
    Owned part_text(Unicode(shown.text)), data(Unicode(shown.data));
    Owned part(part_text && data ? Py_BuildValue("sOsO", shown.kind.c_str(), part_text.get(),
                                                 shown.mime.c_str(), data.get())
                                 : nullptr);
    if (!output || !part || PyList_Append(output.get(), part.get()) != 0) return nullptr;
  }
  Owned error(Owned::Share(Py_None));
  if (!result.error_name.empty()) {
    Owned message(Unicode(result.error_message)), whole(Unicode(result.error_text));
    if (!message || !whole) return nullptr;
    error = Owned(Py_BuildValue("sOO", result.error_name.c_str(), message.get(), whole.get()));
  }
  if (!error || !output) return nullptr;
  return Py_BuildValue("OOi", output.get(), error.get(), result.ended ? 1 : 0);
}

PyObject* SetArray(PyObject*, PyObject* args) {
  const char* name = nullptr;
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(args, "sO", &name, &value)) return nullptr;
  tsh_tensor* tensor = FromPython(value, 0);
  if (tensor == nullptr) return nullptr;
  const TensorHandle handle = TensorHandle::Adopt(tensor);
  const std::string text = name;
  if (!Guarded([&] { SetShellArray(text, handle); })) return nullptr;
  Py_RETURN_NONE;
}

class Arrays : public ValueVisitor {
 public:
  void Tensor(const std::string& key, const TensorHandle& tensor) override {
    items.emplace_back(key, tensor);
  }
  std::vector<std::pair<std::string, TensorHandle>> items;
};

// Returns {key: array}, or {"": array} for a variable that is one array, and removes the variable.
PyObject* TakeArrays(PyObject*, PyObject* args) {
  const char* name = nullptr;
  if (!PyArg_ParseTuple(args, "s", &name)) return nullptr;
  const std::string text = name;
  Arrays arrays;
  bool found = false;
  if (!Guarded([&] {
        found = VisitShellArrays(text, arrays);
        DropShellName(text);
      }))
    return nullptr;
  if (!found) Py_RETURN_NONE;
  Owned made(PyDict_New());
  for (auto& [key, tensor] : arrays.items) {
    tsh_tensor* taken = tsh_tensor_ref(tensor.get());
    tensor = {};
    Owned item(ToNumpy(taken));
    if (!made || !item || PyDict_SetItemString(made.get(), key.c_str(), item.get()) != 0)
      return nullptr;
  }
  return made.release();
}

// Arguments: a report of Session._explain or _trace, "text", "html" or "svg", and the width of the text.
PyObject* Render(PyObject*, PyObject* args) {
  const char *json = nullptr, *form = nullptr, *request = nullptr;
  int width = 0;
  if (!PyArg_ParseTuple(args, "sss|i", &json, &form, &request, &width)) return nullptr;
  std::string made;
  const bool ok = Guarded([&] {
    Report report;
    if (!ParseReport(json, &report)) throw std::runtime_error("the report cannot be read");
    ViewOptions view;
    view.width = width > 0 ? static_cast<size_t>(width) : 0;
    view.request = request;
    const std::string_view as = form;
    made = as == "html"  ? RenderHtml(report, view)
           : as == "svg" ? RenderSvg(report, view)
                         : RenderExplain(report, view);
  });
  return ok ? Unicode(made) : nullptr;
}

// Runs the program `tensh` with a list of arguments, and ends the process.
PyObject* Main(PyObject*, PyObject* args) {
  PyObject* list = nullptr;
  if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &list)) return nullptr;
  std::vector<std::string> texts;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    Owned bytes(PyUnicode_EncodeFSDefault(PyList_GetItem(list, i)));
    if (!bytes) return nullptr;
    texts.emplace_back(PyBytes_AsString(bytes.get()));
  }
  std::vector<char*> argv;
  argv.reserve(texts.size() + 1);
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  OfferPackages();
  const WithoutGil without;
  const int code = RunTensh(static_cast<int>(texts.size()), argv.data());
  std::fflush(nullptr);
  _exit(code);
}

PyObject* Version(PyObject*, PyObject*) { return PyUnicode_FromString(tsh_version()); }

PyMethodDef g_functions[] = {{"execute", Execute, METH_VARARGS, nullptr},
                             {"set_array", SetArray, METH_VARARGS, nullptr},
                             {"take_arrays", TakeArrays, METH_VARARGS, nullptr},
                             {"render", Render, METH_VARARGS, nullptr},
                             {"main", Main, METH_VARARGS, nullptr},
                             {"import_module", ImportShellModule, METH_VARARGS, nullptr},
                             {"version", Version, METH_NOARGS, nullptr},
                             {nullptr, nullptr, 0, nullptr}};
PyModuleDef g_module = {PyModuleDef_HEAD_INIT,
                        "_tensh",
                        "The compiled part of the package tensh.",
                        -1,
                        g_functions,
                        nullptr,
                        nullptr,
                        nullptr,
                        nullptr};

}  // namespace
}  // namespace tensh::shell::module

PyMODINIT_FUNC PyInit__tensh() {
  using namespace tensh::shell::module;
  Owned module(PyModule_Create(&g_module));
  if (!module || !AddBufferType(module.get()) || !AddGraphTypes(module.get()) ||
      !AddSessionType(module.get()))
    return nullptr;
  WatchForks();
  return module.release();
}
