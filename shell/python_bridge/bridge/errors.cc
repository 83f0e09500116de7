// Exceptions across the bridge. An exception that returns to the side that raised it is the same object.
#include "shell/python_bridge/bridge/bridge.h"

namespace tensh::shell::bridge {
namespace {

constexpr const char* kOrigin = "_tensh";   // CPython's attribute with the shell's exception
constexpr const char* kObject = "_python";  // the shell's attribute with CPython's exception

ExceptionObject& Exception(const Value& v) { return *static_cast<ExceptionObject*>(v.object()); }

// Converts the arguments of an exception; one that cannot be converted becomes its text.
Value ArgumentsFrom(PyObject* exception) {
  const Held args = Check(PyObject_GetAttrString(exception, "args"));
  return FromPython(args.get());
}

// The trace of an exception has the frames of the script. The hint says where CPython raised it.
void AddOrigin(PyObject* exception, ExceptionObject* made) {
  const Held where = CallHelper("origin_of", {exception});
  if (where.get() != Py_None) made->hint.text = "Raised in Python: " + TextOf(where.get());
}

Value NameOfClass(PyObject* cls, const char* attribute) {
  const Held name = Check(PyObject_GetAttrString(cls, attribute));
  return host.make_str(PyUnicode_Check(name.get()) ? TextOf(name.get()) : "builtins");
}

}  // namespace

void Fail(const char* builtin_class, const std::string& message) {
  host.raise(
      host.make_exception(host.builtin(builtin_class), host.make_tuple({host.make_str(message)})));
}

Value ExceptionClassFrom(PyObject* cls) {
  if (Value known = KnownClass(cls); !known.is_null()) return known;
  const Held bases = Check(PyObject_GetAttrString(cls, "__bases__"));
  std::vector<Value> shell_bases;
  for (Py_ssize_t i = 0; i < PyTuple_Size(bases.get()); ++i) {
    PyObject* base = PyTuple_GetItem(bases.get(), i);
    if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(base),
                         reinterpret_cast<PyTypeObject*>(PyExc_BaseException)))
      shell_bases.push_back(ExceptionClassFrom(base));
  }
  // An exception shows the text of CPython's.
  const Value names =
      host.make_dict({Value(host.intern("__module__")), Value(host.intern("__str__"))},
                     {NameOfClass(cls, "__module__"), FromPython(Helper("text"))});
  const auto make = [&](std::vector<Value> from) {
    const std::vector<Value> args = {NameOfClass(cls, "__name__"), host.make_tuple(std::move(from)),
                                     names};
    return host.call(host.builtin("type"), CallArgs{args});
  };
  Value made;
  try {
    made = make(shell_bases);
  } catch (const PyError&) {  // the bases do not combine
    made = make({shell_bases[0]});
  }
  Pair(made, cls);
  return made;
}

Value ExceptionFrom(PyObject* exception) {
  PyObject* origin = PyObject_GetAttrString(exception, kOrigin);
  if (origin == nullptr) PyErr_Clear();
  const Held held(origin);
  if (origin != nullptr && IsProxy(origin)) return ValueOf(origin);
  const Value cls = ExceptionClassFrom(reinterpret_cast<PyObject*>(Py_TYPE(exception)));
  const Value args = ArgumentsFrom(exception);
  const Value made = host.make_exception(cls, args);
  const auto& items = static_cast<TupleObject*>(args.object())->items;
  Exception(made).payload = items.empty() ? Value::None() : items[0];
  const Held attributes = Check(PyObject_GetAttrString(exception, "__dict__"));
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(attributes.get(), &at, &key, &value);)
    host.set_attr(made, host.intern(TextOf(key)), FromPython(value, Containers::kShared));
  host.set_attr(made, host.intern(kObject), ForeignFor(exception));
  AddOrigin(exception, &Exception(made));
  return made;
}

void ThrowPython() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Held held_type(type), held(value), held_traceback(traceback);
  if (value == nullptr) Fail("SystemError", "a function of Python failed without an exception");
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Value exception;
  static thread_local bool converting = false;  // an error of the conversion must not be converted
  if (!std::exchange(converting, true)) {
    try {
      exception = ExceptionFrom(value);
    } catch (const PyError&) {
      PyErr_Clear();
    }
    converting = false;
  }
  if (exception.is_null()) {
    const bool deep = PyErr_GivenExceptionMatches(value, PyExc_RecursionError) != 0;
    Fail(deep ? "RecursionError" : "RuntimeError",
         deep ? "maximum recursion depth exceeded" : "an exception of Python cannot be converted");
  }
  // The interrupt was answered by CPython.
  if (PyErr_GivenExceptionMatches(value, PyExc_KeyboardInterrupt)) host.interp->ClearInterrupt();
  host.raise(exception);
}

Held ExceptionClassTo(const Value& cls) {
  const auto& type = *static_cast<Type*>(cls.object());
  static PyObject* builtins = PyImport_ImportModule("builtins");
  const char* name = type.info().name;
  if (!const_cast<Type&>(type).is_user() && std::string_view(type.info().module) == "builtins" &&
      PyObject_HasAttrString(builtins, name))
    return Check(PyObject_GetAttrString(builtins, name));
  Value base = const_cast<Type&>(type).is_user()
                   ? static_cast<const UserClass&>(type).bases()[0]
                   : host.type_value(type.info().base ? *type.info().base : *host.exception_type);
  const Held text = ToText(name), module = ToText(type.info().module);
  return CallHelper("derived_error", {text.get(), ClassFor(base), module.get()});
}

Held ExceptionTo(const Value& exception) {
  const Value object = host.own_attr(exception, host.intern(kObject));
  if (IsForeign(object)) return Held::Share(ObjectOf(object));
  PyObject* cls = ClassFor(host.type_value(host.type_of(exception)));
  const Held args = ToPython(Exception(exception).args);
  PyObject* made = PyObject_Call(cls, args.get(), nullptr);
  if (made == nullptr) {  // its class expects other arguments
    PyErr_Clear();
    const Held text = ToText(host.str(exception));
    made = PyObject_CallFunction(PyExc_RuntimeError, "O", text.get());
  }
  Held held = Check(made);
  const Held proxy = PlainProxyFor(exception);
  Check(PyObject_SetAttrString(made, kOrigin, proxy.get()));
  return held;
}

void SetPython(const PyError& error) {
  try {
    const Held exception = ExceptionTo(error.value());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
    // The shell answered Ctrl-C, which CPython has also been told of.
    if (PyErr_GivenExceptionMatches(exception.get(), PyExc_KeyboardInterrupt)) {
      PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
      PyErr_Fetch(&type, &value, &traceback);
      if (PyErr_CheckSignals() != 0) PyErr_Clear();
      PyErr_Restore(type, value, traceback);
    }
  } catch (const PyError&) {
    PyErr_SetString(PyExc_RuntimeError, "an exception of tensh could not be converted");
  }
}

}  // namespace tensh::shell::bridge
