// Reference cycles through both heaps (docs/adr/0030-cycles-through-both-heaps.md).
//
// CPython's collector does not see that an object is kept alive by a value, and the value by a proxy. Before a
// full collection, the shell's heap is divided into islands: groups of values that only proxies keep alive. For the
// time of the collection, each proxy refers to an object that stands for its island, and this object to
// the objects of CPython that the island keeps alive. The collector then finds the cycles and clears the proxies.
#include <unistd.h>

#include <map>

#include "shell/python_bridge/bridge/proxy.h"

namespace tensh::shell::bridge {
namespace {

// An island. Its type lists the references that the Foreigns own as those of the island.
struct Island {
  PyObject_HEAD std::vector<PyObject*>* objects;
};

PyTypeObject* island_type = nullptr;

constexpr long kFull = 2;  // the number of the oldest generation

// True from the start of a full collection until code of the program runs, which may change the islands.
bool islands_hold = false;

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
  const auto* objects = reinterpret_cast<Island*>(self)->objects;
  if (!islands_hold || objects == nullptr) return 0;
  for (PyObject* object : *objects) Py_VISIT(object);
  return 0;
}

void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  delete reinterpret_cast<Island*>(self)->objects;
  module::FreeObject(self);
}

// Gives every proxy on an island a reference to the island. The shell's lock is held.
void MarkIslands() {
  std::vector<Proxy*> proxies;
  heap::Border border;
  ForEachProxy([&](Proxy* proxy) {
    proxies.push_back(proxy);
    border.held.push_back(proxy->value.object());
  });
  border.holders = AllForeign();
  const std::vector<size_t> numbers = host.find_islands(border);
  std::map<size_t, Held> islands;
  for (size_t i = 0; i < proxies.size(); ++i) {
    if (numbers[i] == SIZE_MAX) continue;
    Held& island = islands[numbers[i]];
    if (!island) island = Held(PyType_GenericAlloc(island_type, 0));
    if (!island) return PyErr_Clear();
    proxies[i]->island = Held::Share(island.get()).release();
  }
  for (size_t i = 0; i < border.holders.size(); ++i) {
    const auto island = islands.find(numbers[proxies.size() + i]);
    if (island == islands.end()) continue;
    auto*& objects = reinterpret_cast<Island*>(island->second.get())->objects;
    if (objects == nullptr) objects = new std::vector<PyObject*>;
    objects->push_back(static_cast<Foreign*>(border.holders[i])->object);
  }
  islands_hold = true;
}

// The shell's lock, which the collection holds, unless its thread had it before.
void* taken = nullptr;
bool marked = false;

void Start() {
  static const pid_t process = ::getpid();
  if (process != ::getpid()) return;  // another thread of the parent may have held the lock
  if (!HasLock()) {
    taken = host.take_within(std::chrono::milliseconds::zero());
    if (taken == nullptr) return;  // the next collection finds the cycles
    SetHasLock(true);
  }
  marked = true;
  MarkIslands();
}

void Stop() {
  if (!std::exchange(marked, false)) return;
  islands_hold = false;
  ForEachProxy([](Proxy* proxy) { const Held dropped(std::exchange(proxy->island, nullptr)); });
  host.collect_soon();  // the island may also contain cycles within the shell's heap
  if (taken == nullptr) return;
  SetHasLock(false);
  host.give_back(std::exchange(taken, nullptr));
}

// Called by CPython at the start and at the end of a collection.
PyObject* Collecting(PyObject*, PyObject* args) {
  const char* phase = nullptr;
  PyObject* info = nullptr;
  if (!PyArg_ParseTuple(args, "sO", &phase, &info)) return nullptr;
  PyObject* generation = PyDict_GetItemString(info, "generation");
  if (std::string_view(phase) == "stop")
    Stop();
  else if (generation != nullptr && PyLong_AsLong(generation) >= kFull)
    Start();
  return Held::Share(Py_None).release();
}

PyMethodDef collecting_method = {"collecting", Collecting, METH_VARARGS, nullptr};

}  // namespace

void ForgetIslands() { islands_hold = false; }

bool WatchCollections() {
  PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                         {0, nullptr}};
  PyType_Spec spec = {"tensh.island", sizeof(Island), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                      slots};
  island_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  const Held gc(PyImport_ImportModule("gc"));
  const Held callbacks(gc ? PyObject_GetAttrString(gc.get(), "callbacks") : nullptr);
  const Held collecting(PyCFunction_New(&collecting_method, nullptr));
  return island_type != nullptr && callbacks && collecting &&
         PyList_Append(callbacks.get(), collecting.get()) == 0;
}

}  // namespace tensh::shell::bridge
