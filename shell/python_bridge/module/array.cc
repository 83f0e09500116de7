#include "shell/python_bridge/module/array.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "shell/python_bridge/module/errors.h"
#include "tensh/tensh_plugin.h"

namespace tensh::shell::module {
namespace {

// The struct behind `__array_struct__`, as numpy documents it.
struct ArrayStruct {
  int two;
  int nd;
  char typekind;
  int itemsize;
  int flags;
  intptr_t* shape;
  intptr_t* strides;
  void* data;
  PyObject* descr;
};
enum : int { kContiguous = 0x1, kAligned = 0x100, kNotSwapped = 0x200, kWriteable = 0x400 };

// The struct of a Buffer with the storage of its extents. It keeps the Buffer alive.
struct Exported {
  ArrayStruct array;
  std::vector<intptr_t> shape, strides;
  PyObject* owner;
};

struct BufferObject {
  PyObject_HEAD tsh_tensor* tensor;
};

PyTypeObject* g_buffer_type = nullptr;
PyObject* g_numpy_asarray = nullptr;  // set at the first array, because numpy loads slowly
PyObject* g_numpy = nullptr;

struct Kind {
  int dtype;
  char kind;
  const char* name;  // of numpy's scalar type
};
constexpr std::array<Kind, 14> kKinds = {{{TSH_FLOAT, 'f', "float32"},
                                          {TSH_DOUBLE, 'f', "float64"},
                                          {TSH_HALF, 'f', "float16"},
                                          {TSH_INT32, 'i', "int32"},
                                          {TSH_INT64, 'i', "int64"},
                                          {TSH_INT16, 'i', "int16"},
                                          {TSH_INT8, 'i', "int8"},
                                          {TSH_UINT8, 'u', "uint8"},
                                          {TSH_UINT16, 'u', "uint16"},
                                          {TSH_UINT32, 'u', "uint32"},
                                          {TSH_UINT64, 'u', "uint64"},
                                          {TSH_BOOL, 'b', "bool_"},
                                          {TSH_COMPLEX64, 'c', "complex64"},
                                          {TSH_COMPLEX128, 'c', "complex128"}}};

const Kind* KindOf(int dtype) {
  for (const Kind& kind : kKinds)
    if (kind.dtype == dtype) return &kind;
  return nullptr;
}

int DTypeOf(char kind, int itemsize) {
  for (const Kind& k : kKinds)
    if (k.kind == kind && tsh_dtype_size(k.dtype) == static_cast<size_t>(itemsize)) return k.dtype;
  return 0;
}

bool LoadNumpy() {
  if (g_numpy_asarray != nullptr) return true;
  Owned numpy(PyImport_ImportModule("numpy"));
  if (!numpy) return false;
  g_numpy_asarray = PyObject_GetAttrString(numpy.get(), "asarray");
  g_numpy = numpy.release();
  return g_numpy_asarray != nullptr;
}

void FreeExported(PyObject* capsule) {
  auto* exported = static_cast<Exported*>(PyCapsule_GetPointer(capsule, nullptr));
  if (exported == nullptr) return PyErr_Clear();
  Py_DECREF(exported->owner);
  delete exported;
}

PyObject* BufferArrayStruct(PyObject* self, void*) {
  tsh_tensor* tensor = TensorOf(self);
  const Kind* kind = KindOf(tsh_tensor_dtype(tensor));
  if (kind == nullptr) {
    PyErr_SetString(PyExc_AttributeError, "__array_struct__");
    return nullptr;
  }
  auto* exported = new Exported{};
  const int rank = tsh_tensor_rank(tensor);
  const int64_t* dims = tsh_tensor_dims(tensor);
  exported->shape.resize(static_cast<size_t>(rank));
  exported->strides.resize(static_cast<size_t>(rank));
  auto stride = static_cast<intptr_t>(tsh_dtype_size(kind->dtype));
  exported->array.itemsize = static_cast<int>(stride);
  for (int i = rank; i-- > 0; stride *= static_cast<intptr_t>(dims[i])) {
    exported->shape.at(static_cast<size_t>(i)) = static_cast<intptr_t>(dims[i]);
    exported->strides.at(static_cast<size_t>(i)) = stride;
  }
  exported->array.two = 2;
  exported->array.nd = rank;
  exported->array.typekind = kind->kind;
  exported->array.flags = kContiguous | kAligned | kNotSwapped;
  if (tsh_tensor_unique(tensor)) exported->array.flags |= kWriteable;
  exported->array.shape = exported->shape.data();
  exported->array.strides = exported->strides.data();
  exported->array.data = tsh_tensor_data(tensor);
  exported->owner = self;
  Py_INCREF(self);
  PyObject* capsule = PyCapsule_New(exported, nullptr, FreeExported);
  if (capsule == nullptr) {
    Py_DECREF(self);
    delete exported;
  }
  return capsule;
}

PyObject* ShapeTuple(const tsh_tensor* tensor) {
  const int rank = tsh_tensor_rank(tensor);
  Owned shape(PyTuple_New(rank));
  for (int i = 0; shape && i < rank; ++i)
    PyTuple_SetItem(shape.get(), i, PyLong_FromLongLong(tsh_tensor_dims(tensor)[i]));
  return shape.release();
}

PyObject* BufferShape(PyObject* self, void*) { return ShapeTuple(TensorOf(self)); }
PyObject* BufferDType(PyObject* self, void*) {
  return PyUnicode_FromString(tsh_dtype_name(tsh_tensor_dtype(TensorOf(self))));
}

void BufferDealloc(PyObject* self) {
  tsh_tensor_unref(reinterpret_cast<BufferObject*>(self)->tensor);
  FreeObject(self);
}

PyGetSetDef g_buffer_getset[] = {
    {"__array_struct__", BufferArrayStruct, nullptr, "The elements, for numpy.", nullptr},
    {"shape", BufferShape, nullptr, "The extents, as a tuple.", nullptr},
    {"dtype", BufferDType, nullptr, "The name of the element type.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot g_buffer_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(BufferDealloc)},
                                {Py_tp_getset, g_buffer_getset},
                                {Py_tp_doc, const_cast<char*>("A tensor of the runtime.")},
                                {0, nullptr}};
PyType_Spec g_buffer_spec = {"tensh._tensh.Buffer", sizeof(BufferObject), 0, Py_TPFLAGS_DEFAULT,
                             g_buffer_slots};

// Returns an array of bytes objects, or bytes for rank 0.
PyObject* StringsToNumpy(tsh_tensor* tensor) {
  const auto text = [&](int64_t i) {
    size_t length = 0;
    const char* data = tsh_tensor_string(tensor, i, &length);
    return PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(length));
  };
  if (tsh_tensor_rank(tensor) == 0) return text(0);
  Owned shape(ShapeTuple(tensor));
  Owned array(PyObject_CallMethod(g_numpy, "empty", "(ns)",
                                  static_cast<Py_ssize_t>(tsh_tensor_elements(tensor)), "O"));
  for (int64_t i = 0; array && i < tsh_tensor_elements(tensor); ++i) {
    Owned item(text(i));
    if (!item || PySequence_SetItem(array.get(), static_cast<Py_ssize_t>(i), item.get()) != 0)
      return nullptr;
  }
  if (!array || !shape) return nullptr;
  return PyObject_CallMethod(array.get(), "reshape", "(O)", shape.get());
}

// Returns a tensor with copies of dense elements, or null with an exception.
tsh_tensor* CopyElements(int dtype, const int64_t* dims, int rank, const void* elements) {
  const CallStatus status;
  tsh_tensor* copy = tsh_tensor_new(dtype, dims, rank, status.get());
  if (copy == nullptr) return RaiseStatus(status.get()), nullptr;
  const size_t bytes = static_cast<size_t>(tsh_tensor_elements(copy)) * tsh_dtype_size(dtype);
  if (bytes > 0) std::memcpy(tsh_tensor_data(copy), elements, bytes);
  return copy;
}

// Casts the elements. Takes over the reference; returns null with an exception on failure.
tsh_tensor* Cast(tsh_tensor* tensor, int dtype) {
  const CallStatus status;
  tsh_attr to = TSH_ATTR_INIT;
  to.name = "DstT";
  to.kind = TSH_ATTR_TYPE;
  to.i = dtype;
  tsh_tensor* cast = nullptr;
  size_t n = 0;
  const int ok = tsh_op_run("Cast", &tensor, 1, &to, 1, &cast, 1, &n, status.get());
  tsh_tensor_unref(tensor);
  if (!ok) RaiseStatus(status.get());
  return ok ? cast : nullptr;
}

// Returns false with an exception if an array has too many dimensions for a tensor.
bool HasRank(Py_ssize_t rank) {
  if (rank <= TSH_MAX_RANK) return true;
  PyErr_Format(PyExc_ValueError, "an array has %zd dimensions; tensh has at most %d", rank,
               TSH_MAX_RANK);
  return false;
}

// Makes a tensor of the bytes and texts of an array. Returns null with an exception on failure.
tsh_tensor* StringsFromNumpy(PyObject* value) {
  Owned array(PyObject_CallFunction(g_numpy_asarray, "Os", value, "O"));
  if (!array) return nullptr;
  Owned shape(PyObject_GetAttrString(array.get(), "shape"));
  Owned flat(PyObject_CallMethod(array.get(), "ravel", nullptr));
  if (!shape || !flat) return nullptr;
  std::array<int64_t, TSH_MAX_RANK> dims;
  const Py_ssize_t rank = PyTuple_Size(shape.get());
  if (!HasRank(rank)) return nullptr;
  for (Py_ssize_t i = 0; i < rank; ++i)
    dims.at(static_cast<size_t>(i)) = PyLong_AsLongLong(PyTuple_GetItem(shape.get(), i));
  const CallStatus status;
  tsh_tensor* tensor =
      tsh_tensor_new(TSH_STRING, dims.data(), static_cast<int>(rank), status.get());
  if (tensor == nullptr) return RaiseStatus(status.get()), nullptr;
  for (int64_t i = 0; i < tsh_tensor_elements(tensor); ++i) {
    Owned item(PySequence_GetItem(flat.get(), static_cast<Py_ssize_t>(i)));
    Owned bytes(item && PyUnicode_Check(item.get()) ? PyUnicode_AsUTF8String(item.get())
                                                    : Owned::Share(item.get()).release());
    char* data = nullptr;
    Py_ssize_t length = 0;
    if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &data, &length) != 0) {
      tsh_tensor_unref(tensor);
      return nullptr;
    }
    tsh_tensor_set_string(tensor, i, data, static_cast<size_t>(length));
  }
  return tensor;
}

bool IsDense(const ArrayStruct& array) {
  return (array.flags & kContiguous) != 0 && (array.flags & kNotSwapped) != 0;
}

constexpr size_t kBorrowed = size_t{1}
                             << 15;  // bytes from which a copy takes longer than borrowing

// Drops a reference from any thread. At the end of the interpreter, the object is left to the system.
void Release(void* object) {
  if (!Py_IsInitialized()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(object));
  PyGILState_Release(state);
}

// Returns a tensor over the elements of an array, or null without an exception if they must be copied.
// The capsule keeps the array, and thereby its elements.
tsh_tensor* BorrowArray(const ArrayStruct& array, int dtype, PyObject* capsule) {
  if ((array.flags & kAligned) == 0 || array.nd > TSH_MAX_RANK || !CanBorrow(dtype)) return nullptr;
  std::array<int64_t, TSH_MAX_RANK> dims;
  size_t bytes = tsh_dtype_size(dtype);
  for (int i = 0; i < array.nd; ++i) {
    dims.at(static_cast<size_t>(i)) = array.shape[i];
    bytes *= static_cast<size_t>(array.shape[i]);  // cannot overflow: the array exists
  }
  if (bytes < kBorrowed) return nullptr;
  Py_INCREF(capsule);
  tsh_tensor* tensor =
      tsh_tensor_borrow(dtype, dims.data(), array.nd, array.data, Release, capsule, nullptr);
  if (tensor == nullptr) Py_DECREF(capsule);
  return tensor;
}

// Copies a dense array of the right type. Returns null with an exception on failure.
tsh_tensor* CopyArray(const ArrayStruct& array, int dtype) {
  if (!HasRank(array.nd)) return nullptr;
  std::array<int64_t, TSH_MAX_RANK> dims;
  for (int i = 0; i < array.nd; ++i) dims.at(static_cast<size_t>(i)) = array.shape[i];
  return CopyElements(dtype, dims.data(), array.nd, array.data);
}

// Converts an object that exports its elements. Sets *fits to false if its type or its order differ.
tsh_tensor* FromExporter(PyObject* value, int dtype, bool borrow, bool* fits) {
  Owned capsule(PyObject_GetAttrString(value, "__array_struct__"));
  if (!capsule) return PyErr_Clear(), *fits = false, nullptr;
  const auto* array = static_cast<const ArrayStruct*>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (array == nullptr) return nullptr;
  const int own = DTypeOf(array->typekind, array->itemsize);
  if (own == 0 || (dtype != 0 && own != dtype) || !IsDense(*array)) return *fits = false, nullptr;
  tsh_tensor* borrowed = borrow ? BorrowArray(*array, own, capsule.get()) : nullptr;
  return borrowed != nullptr ? borrowed : CopyArray(*array, own);
}

tsh_tensor* FromNumber(PyObject* value, int dtype) {
  if (dtype != TSH_FLOAT || !PyFloat_CheckExact(value)) return nullptr;
  tsh_tensor* tensor = tsh_tensor_new(TSH_FLOAT, nullptr, 0, nullptr);
  if (tensor != nullptr)
    *static_cast<float*>(tsh_tensor_data(tensor)) = static_cast<float>(PyFloat_AsDouble(value));
  return tensor;
}

// Returns true for a type that numpy does not have and that is not made of strings.
bool HasNoArrays(int dtype) {
  return dtype != 0 && dtype != TSH_STRING && dtype != TSH_BFLOAT16 && KindOf(dtype) == nullptr;
}

}  // namespace

bool AddBufferType(PyObject* module) {
  return AddType(module, "Buffer", &g_buffer_spec, &g_buffer_type);
}

PyObject* MakeBuffer(tsh_tensor* tensor) {
  auto* alloc = reinterpret_cast<allocfunc>(PyType_GetSlot(g_buffer_type, Py_tp_alloc));
  PyObject* made = alloc(g_buffer_type, 0);
  if (made == nullptr) return tsh_tensor_unref(tensor), nullptr;
  reinterpret_cast<BufferObject*>(made)->tensor = tensor;
  return made;
}

tsh_tensor* TensorOf(PyObject* object) {
  return Py_TYPE(object) == g_buffer_type ? reinterpret_cast<BufferObject*>(object)->tensor
                                          : nullptr;
}

PyObject* ToNumpy(tsh_tensor* tensor) {
  if (!LoadNumpy()) return tsh_tensor_unref(tensor), nullptr;
  const int dtype = tsh_tensor_dtype(tensor);
  if (dtype == TSH_STRING) {
    PyObject* strings = StringsToNumpy(tensor);
    tsh_tensor_unref(tensor);
    return strings;
  }
  if (dtype == TSH_BFLOAT16) {
    tensor = Cast(tensor, TSH_FLOAT);  // exact; numpy has no bfloat16
    if (tensor == nullptr) return nullptr;
  } else if (KindOf(dtype) != nullptr && !tsh_tensor_unique(tensor)) {
    tsh_tensor* shared = tensor;
    tensor = CopyElements(dtype, tsh_tensor_dims(shared), tsh_tensor_rank(shared),
                          tsh_tensor_data(shared));
    tsh_tensor_unref(shared);
    if (tensor == nullptr) return nullptr;
  }
  const bool scalar = tsh_tensor_rank(tensor) == 0;
  Owned buffer(MakeBuffer(tensor));
  if (!buffer || KindOf(tsh_tensor_dtype(tensor)) == nullptr) return buffer.release();
  Owned array(PyObject_CallFunctionObjArgs(g_numpy_asarray, buffer.get(), nullptr));
  if (!array || !scalar) return array.release();
  Owned none(PyTuple_New(0));
  return PyObject_GetItem(array.get(), none.get());
}

bool CanBorrow(int dtype) {
  return dtype == TSH_FLOAT || dtype == TSH_DOUBLE || dtype == TSH_COMPLEX64 ||
         dtype == TSH_COMPLEX128;
}

tsh_tensor* FromPython(PyObject* value, int dtype, bool borrow) {
  if (tsh_tensor* tensor = TensorOf(value); tensor != nullptr) return tsh_tensor_ref(tensor);
  if (tsh_tensor* number = FromNumber(value, dtype)) return number;
  if (HasNoArrays(dtype)) {
    PyErr_Format(PyExc_TypeError, "a value of type %s cannot be made from a Python object",
                 tsh_dtype_name(dtype));
    return nullptr;
  }
  if (!LoadNumpy()) return nullptr;
  if (dtype == TSH_STRING) return StringsFromNumpy(value);
  if (dtype == TSH_BFLOAT16) {  // numpy has no such type
    tsh_tensor* wide = FromPython(value, TSH_FLOAT);
    return wide == nullptr ? nullptr : Cast(wide, TSH_BFLOAT16);
  }
  // numpy.asarray does not know objects that offer only DLPack.
  Owned shared;
  if (PyObject_HasAttrString(value, "__dlpack__") && !PyObject_HasAttrString(value, "__array__")) {
    shared = Owned(PyObject_CallMethod(g_numpy, "from_dlpack", "O", value));
    if (!shared) return nullptr;
    value = shared.get();
  }
  bool fits = true;
  tsh_tensor* tensor = FromExporter(value, dtype, borrow, &fits);
  if (tensor != nullptr || fits) return tensor;
  // Not ascontiguousarray, which makes a scalar a vector.
  Owned array(dtype == 0
                  ? PyObject_CallFunctionObjArgs(g_numpy_asarray, value, nullptr)
                  : PyObject_CallFunction(g_numpy_asarray, "Oss", value, KindOf(dtype)->name, "C"));
  if (!array) return nullptr;
  if (dtype == 0) {
    Owned kind(PyObject_GetAttrString(array.get(), "dtype"));
    Owned letter(kind ? PyObject_GetAttrString(kind.get(), "kind") : nullptr);
    Owned utf8(letter ? PyUnicode_AsUTF8String(letter.get()) : nullptr);
    if (!utf8) return nullptr;
    const char c = *PyBytes_AsString(utf8.get());
    if (c == 'U' || c == 'S' || c == 'O') return StringsFromNumpy(value);
    array = Owned(PyObject_CallFunction(g_numpy_asarray, "OOs", array.get(), Py_None, "C"));
    if (!array) return nullptr;
  }
  fits = true;
  tensor = FromExporter(array.get(), dtype, borrow, &fits);
  if (tensor == nullptr && !fits) {
    Owned type(PyObject_GetAttrString(array.get(), "dtype"));
    PyErr_Format(PyExc_TypeError, "tensh has no tensors of numpy's type %S", type.get());
  }
  return tensor;
}

}  // namespace tensh::shell::module
