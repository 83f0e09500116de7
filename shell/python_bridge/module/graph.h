// The types Graph and Output of the Python module.
#pragma once

#include "shell/python_bridge/python_api.h"
#include "tensh/tensh.h"

namespace tensh::shell::module {

// The index of an Output that stands for a node without a value.
inline constexpr uint32_t kNoValue = UINT32_MAX;

bool AddGraphTypes(PyObject* module);
// Return the graph of a Graph, and the position of an Output, borrowed. Return null if the object is of
// another type.
tsh_graph* GraphOf(PyObject* object);
const tsh_output* OutputOf(PyObject* object);
// Returns the Graph of an Output, borrowed.
PyObject* GraphOfOutput(PyObject* output);
// Finds a tensor ("x:0") or a node ("x") by its name. Sets KeyError and returns false if it does not
// exist.
bool FindOutput(const tsh_graph* graph, PyObject* name, tsh_output* found);

}  // namespace tensh::shell::module
