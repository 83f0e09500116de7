#include "shell/python_bridge/module/graph.h"

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "shell/python_bridge/module/array.h"
#include "shell/python_bridge/module/attrs.h"
#include "shell/python_bridge/module/errors.h"
#include "tensh/tensh_import.h"

namespace tensh::shell::module {
namespace {

struct GraphObject {
  PyObject_HEAD tsh_graph* graph;
};
struct OutputObject {
  PyObject_HEAD PyObject* graph;
  tsh_output at;
};
PyTypeObject *g_graph_type = nullptr, *g_output_type = nullptr;

template <class T>
T* As(PyObject* self) {
  return reinterpret_cast<T*>(self);
}

// ---- Graph ----

int GraphInit(PyObject* self, PyObject*, PyObject*) {
  auto* graph = As<GraphObject>(self);
  if (graph->graph == nullptr) graph->graph = tsh_graph_new();
  if (graph->graph != nullptr) return 0;
  PyErr_NoMemory();
  return -1;
}

void GraphDealloc(PyObject* self) {
  if (!IsForked()) tsh_graph_unref(As<GraphObject>(self)->graph);
  FreeObject(self);
}

// Reads the arguments (node,) or (node, index) of a method.
bool ReadOutput(PyObject* args, tsh_output* at) {
  unsigned int node = 0, index = 0;
  if (!PyArg_ParseTuple(args, "I|I", &node, &index)) return false;
  *at = {node, index};
  return true;
}

PyObject* GraphAdd(PyObject* self, PyObject* args) {
  const char *op = nullptr, *name = nullptr, *device = nullptr;
  PyObject *inputs = nullptr, *controls = nullptr, *attrs = nullptr;
  if (!PyArg_ParseTuple(args, "szO!O!O!z", &op, &name, &PyList_Type, &inputs, &PyList_Type,
                        &controls, &PyDict_Type, &attrs, &device))
    return nullptr;
  std::vector<tsh_output> from;
  std::vector<tsh_node> after;
  for (PyObject* list : {inputs, controls})
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
      PyObject* item = PyList_GetItem(list, i);
      const tsh_output* at = OutputOf(item);
      if (at == nullptr || GraphOf(GraphOfOutput(item)) != GraphOf(self)) {
        PyErr_Format(PyExc_ValueError, "%s: %R is not a tensor of this graph", op, item);
        return nullptr;
      }
      if (list == inputs)
        from.push_back(*at);
      else
        after.push_back(at->node);
    }
  AttrList values;
  if (!values.Read(op, attrs)) return nullptr;
  tsh_node_spec spec = TSH_NODE_SPEC_INIT;
  spec.op = op;
  spec.name = name;
  spec.device = device;
  spec.inputs = from.data();
  spec.n_inputs = from.size();
  spec.controls = after.data();
  spec.n_controls = after.size();
  spec.attrs = values.data();
  spec.n_attrs = values.size();
  const CallStatus status;
  tsh_node node = 0;
  if (!tsh_graph_add(GraphOf(self), &spec, 1, &node, status.get()))
    return RaiseStatus(status.get());
  return PyLong_FromUnsignedLong(node);
}

PyObject* GraphImport(PyObject* self, PyObject* args) {
  const char *data = nullptr, *prefix = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(args, "y#|z", &data, &size, &prefix)) return nullptr;
  tsh_import options = TSH_IMPORT_INIT;
  options.prefix = prefix;
  const CallStatus status;
  if (!tsh_graph_import_known(GraphOf(self), data, static_cast<size_t>(size), &options, nullptr,
                              status.get()))
    return RaiseStatus(status.get());
  Py_RETURN_NONE;
}

PyObject* GraphExport(PyObject* self, PyObject*) {
  size_t size = 0;
  char* message = tsh_graph_export(GraphOf(self), 0, TSH_NO_NODE, nullptr, nullptr, &size);
  if (message == nullptr) return PyErr_NoMemory();
  PyObject* bytes = PyBytes_FromStringAndSize(message, static_cast<Py_ssize_t>(size));
  tsh_free(message);
  return bytes;
}

PyObject* GraphFind(PyObject* self, PyObject* name) {
  tsh_output at{};
  if (!FindOutput(GraphOf(self), name, &at)) return nullptr;
  return Py_BuildValue("II", at.node, at.index);
}

PyObject* GraphSize(PyObject* self, PyObject*) {
  return PyLong_FromSize_t(tsh_graph_size(GraphOf(self)));
}
PyObject* GraphJson(PyObject* self, PyObject*) { return TakeText(tsh_graph_json(GraphOf(self))); }

// Returns (name, op, device, number of outputs).
PyObject* GraphNode(PyObject* self, PyObject* args) {
  tsh_output at{};
  if (!ReadOutput(args, &at)) return nullptr;
  const tsh_graph* graph = GraphOf(self);
  return Py_BuildValue("sssn", tsh_node_name(graph, at.node), tsh_node_op(graph, at.node),
                       tsh_node_device(graph, at.node),
                       static_cast<Py_ssize_t>(tsh_node_num_outputs(graph, at.node)));
}

PyObject* GraphDType(PyObject* self, PyObject* args) {
  tsh_output at{};
  if (!ReadOutput(args, &at)) return nullptr;
  return PyUnicode_FromString(tsh_dtype_name(tsh_output_dtype(GraphOf(self), at) % 100));
}

// Returns the shape as a tuple, with None for an unknown extent, or None if the rank is unknown.
PyObject* GraphShape(PyObject* self, PyObject* args) {
  tsh_output at{};
  if (!ReadOutput(args, &at)) return nullptr;
  std::array<int64_t, TSH_MAX_RANK> dims;
  const int rank = tsh_output_shape(GraphOf(self), at, dims.data());
  if (rank < 0) Py_RETURN_NONE;
  Owned shape(PyTuple_New(rank));
  for (int i = 0; shape && i < rank; ++i) {
    const int64_t extent = dims.at(static_cast<size_t>(i));
    PyTuple_SetItem(shape.get(), i,
                    extent < 0 ? Owned::Share(Py_None).release() : PyLong_FromLongLong(extent));
  }
  return shape.release();
}

// Arguments: the ys and the xs as lists. Returns a list of (node, index), or None for an x that has no
// influence.
PyObject* GraphGradients(PyObject* self, PyObject* args) {
  PyObject *ys = nullptr, *xs = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &ys, &PyList_Type, &xs)) return nullptr;
  std::array<std::vector<tsh_output>, 2> ends;
  for (size_t e = 0; e < 2; ++e)
    for (Py_ssize_t i = 0; i < PyList_Size(e == 0 ? ys : xs); ++i) {
      const tsh_output* at = OutputOf(PyList_GetItem(e == 0 ? ys : xs, i));
      if (at == nullptr)
        return PyErr_SetString(PyExc_TypeError, "gradients expects tensors"), nullptr;
      ends.at(e).push_back(*at);
    }
  tsh_gradients request = TSH_GRADIENTS_INIT;
  request.ys = ends[0].data();
  request.n_ys = ends[0].size();
  request.xs = ends[1].data();
  request.n_xs = ends[1].size();
  std::vector<tsh_gradient> found(ends[1].size());
  const CallStatus status;
  if (!tsh_graph_gradients(GraphOf(self), &request, found.data(), status.get()))
    return RaiseStatus(status.get());
  Owned list(PyList_New(0));
  for (const tsh_gradient& one : found) {
    Owned item(one.value.node == TSH_NO_NODE
                   ? Owned::Share(Py_None).release()
                   : Py_BuildValue("II", one.value.node, one.value.index));
    if (!list || !item || PyList_Append(list.get(), item.get()) != 0) return nullptr;
  }
  return list.release();
}

PyMethodDef g_graph_methods[] = {{"_add", GraphAdd, METH_VARARGS, nullptr},
                                 {"_import", GraphImport, METH_VARARGS, nullptr},
                                 {"_export", GraphExport, METH_NOARGS, nullptr},
                                 {"_find", GraphFind, METH_O, nullptr},
                                 {"_size", GraphSize, METH_NOARGS, nullptr},
                                 {"_json", GraphJson, METH_NOARGS, nullptr},
                                 {"_node", GraphNode, METH_VARARGS, nullptr},
                                 {"_dtype", GraphDType, METH_VARARGS, nullptr},
                                 {"_shape", GraphShape, METH_VARARGS, nullptr},
                                 {"_gradients", GraphGradients, METH_VARARGS, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};
PyType_Slot g_graph_slots[] = {{Py_tp_init, reinterpret_cast<void*>(GraphInit)},
                               {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
                               {Py_tp_dealloc, reinterpret_cast<void*>(GraphDealloc)},
                               {Py_tp_methods, g_graph_methods},
                               {0, nullptr}};
PyType_Spec g_graph_spec = {"tensh._tensh.Graph", sizeof(GraphObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, g_graph_slots};

// ---- Output ----

int OutputInit(PyObject* self, PyObject* args, PyObject*) {
  PyObject* graph = nullptr;
  unsigned int node = 0, index = 0;
  if (!PyArg_ParseTuple(args, "O!II", g_graph_type, &graph, &node, &index)) return -1;
  auto* output = As<OutputObject>(self);
  Owned before(output->graph);
  Py_INCREF(graph);
  output->graph = graph;
  output->at = {node, index};
  return 0;
}

void OutputDealloc(PyObject* self) {
  Py_XDECREF(As<OutputObject>(self)->graph);
  FreeObject(self);
}

Py_hash_t OutputHash(PyObject* self) {
  const tsh_output at = As<OutputObject>(self)->at;
  return static_cast<Py_hash_t>(at.node) * 31 + static_cast<Py_hash_t>(at.index % 1024);
}

PyObject* OutputCompare(PyObject* self, PyObject* other, int how) {
  const tsh_output *a = OutputOf(self), *b = OutputOf(other);
  if (a == nullptr || b == nullptr || (how != Py_EQ && how != Py_NE))
    return Owned::Share(Py_NotImplemented).release();
  const bool same = a->node == b->node && a->index == b->index &&
                    GraphOf(GraphOfOutput(self)) == GraphOf(GraphOfOutput(other));
  return PyBool_FromLong(same == (how == Py_EQ) ? 1 : 0);
}

PyObject* OutputGraph(PyObject* self, void*) {
  PyObject* graph = As<OutputObject>(self)->graph;
  return Owned::Share(graph == nullptr ? Py_None : graph).release();
}
PyObject* OutputNode(PyObject* self, void*) {
  return PyLong_FromUnsignedLong(As<OutputObject>(self)->at.node);
}
PyObject* OutputIndex(PyObject* self, void*) {
  return PyLong_FromUnsignedLong(As<OutputObject>(self)->at.index);
}

PyGetSetDef g_output_getset[] = {
    {"graph", OutputGraph, nullptr, "The graph of the tensor.", nullptr},
    {"node", OutputNode, nullptr, "The number of the node in its graph.", nullptr},
    {"index", OutputIndex, nullptr, "The number of the output of the node.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot g_output_slots[] = {{Py_tp_init, reinterpret_cast<void*>(OutputInit)},
                                {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(OutputDealloc)},
                                {Py_tp_hash, reinterpret_cast<void*>(OutputHash)},
                                {Py_tp_richcompare, reinterpret_cast<void*>(OutputCompare)},
                                {Py_tp_getset, g_output_getset},
                                {0, nullptr}};
PyType_Spec g_output_spec = {"tensh._tensh.Output", sizeof(OutputObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, g_output_slots};

bool IsA(PyObject* object, PyTypeObject* type) {
  return Py_TYPE(object) == type || PyType_IsSubtype(Py_TYPE(object), type) != 0;
}

}  // namespace

bool AddGraphTypes(PyObject* module) {
  return AddType(module, "Graph", &g_graph_spec, &g_graph_type) &&
         AddType(module, "Output", &g_output_spec, &g_output_type);
}

tsh_graph* GraphOf(PyObject* object) {
  return object != nullptr && IsA(object, g_graph_type) ? As<GraphObject>(object)->graph : nullptr;
}
const tsh_output* OutputOf(PyObject* object) {
  return IsA(object, g_output_type) ? &As<OutputObject>(object)->at : nullptr;
}
PyObject* GraphOfOutput(PyObject* output) { return As<OutputObject>(output)->graph; }

bool FindOutput(const tsh_graph* graph, PyObject* name, tsh_output* found) {
  Owned utf8(PyUnicode_AsUTF8String(name));
  if (!utf8) return false;
  const std::string text = PyBytes_AsString(utf8.get());
  const size_t colon = text.rfind(':');
  found->node = tsh_graph_find(graph, text.substr(0, colon).c_str());
  found->index = colon == std::string::npos
                     ? kNoValue
                     : static_cast<uint32_t>(std::strtoul(text.c_str() + colon + 1, nullptr, 10));
  const bool exists =
      found->node != TSH_NO_NODE &&
      (found->index == kNoValue || found->index < tsh_node_num_outputs(graph, found->node));
  if (!exists)
    PyErr_Format(PyExc_KeyError, "the graph has no %s %R",
                 colon == std::string::npos ? "node" : "tensor", name);
  return exists;
}

}  // namespace tensh::shell::module
