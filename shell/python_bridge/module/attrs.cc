#include "shell/python_bridge/module/attrs.h"

#include <algorithm>
#include <string_view>

#include "shell/python_bridge/module/array.h"

namespace tensh::shell::module {
namespace {

const tsh_op_attr* FindAttr(const tsh_op_info& info, std::string_view name) {
  for (size_t i = 0; i < info.n_attrs; ++i)
    if (name == info.attrs[i].name) return &info.attrs[i];
  return nullptr;
}

// Reads a number; a type may also be given by its name.
bool ReadInt(PyObject* value, bool type, int64_t* to) {
  if (type && PyUnicode_Check(value)) {
    Owned utf8(PyUnicode_AsUTF8String(value));
    if (!utf8) return false;
    *to = tsh_dtype_parse(PyBytes_AsString(utf8.get()));
    if (*to == 0) PyErr_Format(PyExc_ValueError, "no element type is called %R", value);
    return *to != 0;
  }
  *to = PyLong_AsLongLong(value);
  return *to != -1 || PyErr_Occurred() == nullptr;
}

}  // namespace

AttrList::~AttrList() {
  for (tsh_tensor* tensor : tensors_) tsh_tensor_unref(tensor);
}

bool AttrList::Read(const char* op, PyObject* dict) {
  const tsh_op_info* info = tsh_op_info_of(op);
  if (info == nullptr) {
    PyErr_Format(PyExc_ValueError, "tensh has no op '%s'; list them with\n  tensh.shell('ops %s')",
                 op, op);
    return false;
  }
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);) {
    const char* name = nullptr;
    size_t length = 0;
    if (!ReadText(key, &name, &length)) return false;
    // Attributes with an underscore belong to no signature.
    static constexpr tsh_op_attr kFree{.name = "_",
                                       .kind = TSH_ATTR_STRING,
                                       .is_list = 0,
                                       .inferred = 0,
                                       .has_default = 0,
                                       .default_type = 0,
                                       .allowed = nullptr,
                                       .n_allowed = 0};
    const tsh_op_attr* kind = *name == '_' ? &kFree : FindAttr(*info, name);
    if (kind == nullptr) {
      PyErr_Format(PyExc_ValueError, "%s has no attribute '%s'", op, name);
      return false;
    }
    tsh_attr attr = TSH_ATTR_INIT;
    attr.name = name;
    attr.kind = kind->kind;
    attr.is_list = kind->is_list;
    if (!(kind->is_list ? ReadList(*kind, value, &attr) : ReadOne(*kind, value, &attr)))
      return false;
    attrs_.push_back(attr);
  }
  return true;
}

bool AttrList::ReadText(PyObject* value, const char** text, size_t* length) {
  Owned bytes(PyUnicode_Check(value) ? PyUnicode_AsUTF8String(value)
                                     : Owned::Share(value).release());
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &data, &size) != 0) return false;
  texts_.emplace_back(data, static_cast<size_t>(size));
  *text = texts_.back().c_str();
  *length = texts_.back().size();
  return true;
}

bool AttrList::ReadShape(PyObject* value, tsh_attr* attr) {
  attr->rank = -1;
  if (value == Py_None) return true;
  const Py_ssize_t rank = PySequence_Size(value);
  if (rank < 0) return false;
  std::vector<int64_t>& dims = ints_.emplace_back();
  for (Py_ssize_t i = 0; i < rank; ++i) {
    Owned item(PySequence_GetItem(value, i));
    int64_t extent = -1;
    if (!item || (item.get() != Py_None && !ReadInt(item.get(), false, &extent))) return false;
    dims.push_back(extent);
  }
  attr->rank = static_cast<int>(rank);
  attr->dims = dims.data();
  return true;
}

bool AttrList::ReadOne(const tsh_op_attr& kind, PyObject* value, tsh_attr* attr) {
  switch (kind.kind) {
    case TSH_ATTR_INT:
    case TSH_ATTR_TYPE:
      return ReadInt(value, kind.kind == TSH_ATTR_TYPE, &attr->i);
    case TSH_ATTR_BOOL:
      attr->i = PyObject_IsTrue(value);
      return attr->i >= 0;
    case TSH_ATTR_FLOAT:
      attr->f = PyFloat_AsDouble(value);
      return PyErr_Occurred() == nullptr;
    case TSH_ATTR_STRING:
    case TSH_ATTR_FUNC:
      return ReadText(value, &attr->string, &attr->length);
    case TSH_ATTR_SHAPE:
      return ReadShape(value, attr);
    case TSH_ATTR_TENSOR:
      attr->tensor = FromPython(value, 0);
      if (attr->tensor != nullptr) tensors_.push_back(attr->tensor);
      return attr->tensor != nullptr;
  }
  return false;
}

bool AttrList::ReadList(const tsh_op_attr& kind, PyObject* value, tsh_attr* attr) {
  const Py_ssize_t size = PySequence_Size(value);
  if (size < 0) return false;
  const bool text = kind.kind == TSH_ATTR_STRING, number = kind.kind == TSH_ATTR_FLOAT;
  if (kind.kind == TSH_ATTR_SHAPE || kind.kind == TSH_ATTR_TENSOR || kind.kind == TSH_ATTR_FUNC) {
    PyErr_Format(PyExc_NotImplementedError, "attribute '%s': a list of this kind", kind.name);
    return false;
  }
  std::vector<int64_t>& ints = ints_.emplace_back();
  std::vector<double>& floats = floats_.emplace_back();
  std::vector<const char*>& texts = lists_.emplace_back();
  std::vector<size_t>& lengths = lengths_.emplace_back();
  for (Py_ssize_t i = 0; i < size; ++i) {
    Owned item(PySequence_GetItem(value, i));
    tsh_attr one = TSH_ATTR_INIT;
    if (!item || !ReadOne(kind, item.get(), &one)) return false;
    if (text) texts.push_back(one.string), lengths.push_back(one.length);
    if (number) floats.push_back(one.f);
    if (!text && !number) ints.push_back(one.i);
  }
  attr->n = static_cast<size_t>(size);
  attr->ints = ints.data();
  attr->floats = floats.data();
  attr->strings = texts.data();
  attr->lengths = lengths.data();
  return true;
}

}  // namespace tensh::shell::module
