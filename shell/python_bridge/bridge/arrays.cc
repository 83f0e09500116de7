// Arrays, numbers and dtypes of numpy. numpy itself is used through its Python functions only.
#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "shell/python_bridge/bridge/bridge.h"

namespace tensh::shell::bridge {
namespace {

// numpy's array that shares the elements of an array of the shell, for each array that crossed. It is not
// owned: it is removed when numpy's array or the shell's memory is freed.
std::unordered_map<Object*, PyObject*>& Shared() {
  static auto* shared = new std::unordered_map<Object*, PyObject*>();
  return *shared;
}

void Forget(PyObject* capsule) {
  Shared().erase(static_cast<Object*>(PyCapsule_GetPointer(capsule, nullptr)));
}

Held Integers(const std::vector<int64_t>& values) {
  Held tuple = Check(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i),
                    Check(PyLong_FromLongLong(values[i])).release());
  return tuple;
}

std::vector<int64_t> IntegersFrom(PyObject* tuple) {
  std::vector<int64_t> values;
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i)
    values.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, i)));
  return values;
}

Held ListTo(const Value& v) {
  const Held list = ToPython(host.array_list(v));
  if (Numpy() == nullptr) return Held::Share(list.get());
  const bool objects =
      host.dtype_code(host.get_attr(v, host.intern("dtype"))).find('O') != std::string::npos;
  return Check(objects ? PyObject_CallMethod(Numpy(), "array", "Os", list.get(), "O")
                       : PyObject_CallMethod(Numpy(), "array", "O", list.get()));
}

Held ArrayTo(const Value& v) {
  ArrayMemory memory;
  Value keeper;
  if (Numpy() == nullptr || !host.array_memory(v, &memory, &keeper)) return ListTo(v);
  const Held address = Check(PyLong_FromVoidPtr(memory.data));
  const Held code = ToText(memory.code), dims = Integers(memory.dims),
             strides = Integers(memory.strides);
  const auto known = Shared().find(v.object());
  if (known != Shared().end()) {
    Held array = Held::Share(known->second);
    const Held same =
        CallHelper("is_same", {array.get(), address.get(), dims.get(), strides.get(), code.get()});
    if (same.get() == Py_True) return array;
    Shared().erase(v.object());
  }
  const Held owner = ProxyFor(v), memory_owner = ProxyFor(keeper);
  const Held handle = Check(PyCapsule_New(v.object(), nullptr, Forget));
  Held array = CallHelper("export", {address.get(), dims.get(), strides.get(), code.get(),
                                     owner.get(), memory_owner.get(), handle.get()});
  Shared()[v.object()] = array.get();
  return array;
}

// Returns the array of the shell whose elements this one shares, or null.
Value OriginOf(PyObject* array) {
  const Held found = CallHelper("origin", {array});
  if (found.get() == Py_None) return Value();
  const Value owner = ValueOf(PyTuple_GetItem(found.get(), 0));
  if (host.kind(owner) != Kind::kArray) return Value();
  const auto& own = static_cast<NdArray*>(owner.object())->array;
  const void* data = PyLong_AsVoidPtr(PyTuple_GetItem(found.get(), 1));
  const std::vector<int64_t> dims = IntegersFrom(PyTuple_GetItem(found.get(), 2));
  const bool same = own.buffer && own.buffer->data() + own.offset == data &&
                    std::equal(dims.begin(), dims.end(), own.dims().begin(), own.dims().end());
  return same ? owner : Value();
}

// Drops numpy's array whose elements an array of the shell shared. May run in any thread.
void ReleaseArray(void* array) {
  const PyGILState_STATE state = PyGILState_Ensure();
  auto& shared = Shared();
  for (auto at = shared.begin(); at != shared.end();)
    at = at->second == array ? shared.erase(at) : std::next(at);
  Py_DECREF(static_cast<PyObject*>(array));
  PyGILState_Release(state);
}

Value NumbersFrom(PyObject* described) {
  const std::string code = TextOf(PyTuple_GetItem(described, 0));
  const ArrayMemory memory = {.code = code.c_str(),
                              .dims = IntegersFrom(PyTuple_GetItem(described, 1)),
                              .strides = IntegersFrom(PyTuple_GetItem(described, 2)),
                              .data = PyLong_AsVoidPtr(PyTuple_GetItem(described, 3))};
  const bool shares = PyTuple_GetItem(described, 4) == Py_True;
  PyObject* array = PyTuple_GetItem(described, 5);
  bool copied = false;
  Py_INCREF(array);
  const Value made = host.array_from(memory, shares ? ReleaseArray : nullptr, array, &copied);
  if (copied || made.is_null()) Py_DECREF(array);
  if (!copied && !made.is_null()) Shared()[made.object()] = array;
  return made;
}

Value ArrayFrom(PyObject* array) {
  if (Value origin = OriginOf(array); !origin.is_null()) return origin;
  const Held described = CallHelper("describe", {array});
  if (described.get() == Py_None) return Value();
  const Py_ssize_t parts = PyTuple_Size(described.get());
  if (parts > 2) return NumbersFrom(described.get());
  const Value list = FromPython(PyTuple_GetItem(described.get(), 0));
  if (parts == 1) return host.array_of(list);
  return host.object_array(host.to_vector(list), IntegersFrom(PyTuple_GetItem(described.get(), 1)));
}

Value ScalarFrom(PyObject* number) {
  const Held described = CallHelper("scalar", {number});
  if (described.get() == Py_None)
    return PyUnicode_Check(number) ? host.make_str(TextOf(number)) : Value();
  char* bytes = nullptr;
  Py_ssize_t size = 0;
  Check(PyBytes_AsStringAndSize(PyTuple_GetItem(described.get(), 1), &bytes, &size));
  return host.scalar_from(TextOf(PyTuple_GetItem(described.get(), 0)), bytes);
}

// The classes of numpy, once some extension has imported it.
struct Classes {
  PyObject *ndarray = nullptr, *generic = nullptr, *dtype = nullptr;
};

const Classes* Loaded() {
  static Classes classes;
  if (classes.dtype != nullptr) return &classes;
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* numpy = PyDict_GetItemString(modules, "numpy");
  if (numpy == nullptr || !PyObject_HasAttrString(numpy, "dtype")) return nullptr;
  classes.ndarray = PyObject_GetAttrString(numpy, "ndarray");
  classes.generic = PyObject_GetAttrString(numpy, "generic");
  classes.dtype = PyObject_GetAttrString(numpy, "dtype");
  if (classes.ndarray == nullptr || classes.generic == nullptr || classes.dtype == nullptr)
    ThrowPython();
  return &classes;
}

bool Is(PyObject* object, PyObject* cls) {
  return PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject*>(cls)) != 0;
}

}  // namespace

PyObject* Numpy() {
  static PyObject* numpy = nullptr;
  if (numpy == nullptr) numpy = PyImport_ImportModule("numpy");
  if (numpy == nullptr) PyErr_Clear();
  return numpy;
}

Value FromNumpy(PyObject* object) {
  const Classes* classes = Loaded();
  if (classes == nullptr) return Value();
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) == classes->ndarray) return ArrayFrom(object);
  if (Is(object, classes->generic)) return ScalarFrom(object);
  if (!Is(object, classes->dtype)) return Value();
  const Held code = Check(PyObject_GetAttrString(object, "str"));
  return host.dtype_from(TextOf(code.get()));
}

Held ToNumpy(const Value& v, Kind kind) {
  if (kind == Kind::kArray) return ArrayTo(v);
  const bool scalar = kind == Kind::kScalar;
  const auto number = [&] {
    return ToPython(host.call(host.get_attr(v, host.intern("item")), CallArgs{}));
  };
  const Value dtype = scalar ? host.get_attr(v, host.intern("dtype")) : v;
  if (Numpy() == nullptr) return scalar ? number() : ToText(host.dtype_code(dtype));
  const Held type =
      Check(PyObject_CallMethod(Numpy(), "dtype", "s", host.dtype_code(dtype).c_str()));
  if (!scalar) return Held::Share(type.get());
  return Check(PyObject_CallMethod(type.get(), "type", "O", number().get()));
}

}  // namespace tensh::shell::bridge
