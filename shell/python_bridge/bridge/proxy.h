// CPython's proxies of the shell's values. Private to proxy.cc and classes.cc.
#pragma once

#include <functional>

#include "shell/python_bridge/bridge/bridge.h"

namespace tensh::shell::bridge {

struct Proxy {
  PyObject_HEAD Value value;
  PyObject* island;  // During a full collection; otherwise null.
};

// The class of all proxies.
extern PyTypeObject* proxy_type;

// Makes a proxy of a given class, or returns the one that exists. `cls` is borrowed.
Held MakeProxy(const Value& v, PyTypeObject* cls);
// True for a class that a program in CPython derived from a class of the shell.
bool IsDerived(PyTypeObject* cls);
void ForEachProxy(const std::function<void(Proxy*)>& visit);
std::vector<Object*> AllForeign();  // The proxies in the shell.

// Makes the collector of CPython find cycles through both heaps. Returns false with an exception on failure.
bool WatchCollections();
// Makes the running collection keep all islands, because code runs that may change them.
void ForgetIslands();

// Returns the slots of a class for values of this type.
std::vector<PyType_Slot> SlotsFor(const TypeInfo& info);

}  // namespace tensh::shell::bridge
