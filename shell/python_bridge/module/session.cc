#include "shell/python_bridge/module/session.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/python_bridge/module/array.h"
#include "shell/python_bridge/module/errors.h"
#include "shell/python_bridge/module/graph.h"
#include "shell/python_bridge/module/interrupts.h"
#include "tensh/tensh.h"

namespace tensh::shell::module {
namespace {

// For feeds of a graph with `size` nodes: whether all consumers only read them.
struct FeedUses {
  size_t size = 0;
  std::map<std::pair<uint32_t, uint32_t>, bool> only_reads = {};
};

struct SessionObject {
  PyObject_HEAD;
  PyObject* graph;
  tsh_session* session;
  FeedUses* uses;
};

// Ops whose results never share memory with their inputs and that do not keep them, so that they may read
// the array of a caller who changes it after the step.
constexpr std::array<std::string_view, 27> kReaders = {
    "Add",     "AddN",    "AddV2",  "AvgPool", "BatchMatMulV2", "BiasAdd", "Conv2D",
    "Exp",     "Log",     "Max",    "MaxPool", "Maximum",       "Mean",    "MatMul",
    "Min",     "Minimum", "Mul",    "Neg",     "RealDiv",       "Relu",    "Sigmoid",
    "Softmax", "Sqrt",    "Square", "Sub",     "Sum",           "Tanh"};

bool ConsumersOnlyRead(const tsh_graph* graph, tsh_output feed) {
  for (tsh_node node = 0; node < tsh_graph_size(graph); ++node)
    for (size_t i = 0; i < tsh_node_num_inputs(graph, node); ++i) {
      const tsh_output input = tsh_node_input(graph, node, i);
      if (input.node == feed.node && input.index == feed.index &&
          std::find(kReaders.begin(), kReaders.end(), tsh_node_op(graph, node)) == kReaders.end())
        return false;
    }
  return true;
}

SessionObject* As(PyObject* self) { return reinterpret_cast<SessionObject*>(self); }

int SessionInit(PyObject* self, PyObject* args, PyObject*) {
  PyObject* graph = nullptr;
  const char *target = nullptr, *config = nullptr;
  if (!PyArg_ParseTuple(args, "O|zz", &graph, &target, &config) || RefuseFork()) return -1;
  if (GraphOf(graph) == nullptr) {
    PyErr_Format(PyExc_TypeError, "Session expects a tensh.Graph, not %R", graph);
    return -1;
  }
  if (As(self)->session != nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "the session is already open");
    return -1;
  }
  const CallStatus status;
  tsh_session* session = nullptr;
  {
    const WithoutGil without;
    session = tsh_session_new(GraphOf(graph), target, config, status.get());
  }
  if (session == nullptr) return RaiseStatus(status.get()), -1;
  As(self)->session = session;
  As(self)->uses = new FeedUses;
  As(self)->graph = Owned::Share(graph).release();
  return 0;
}

void SessionDealloc(PyObject* self) {
  if (tsh_session* session = As(self)->session; session != nullptr && !IsForked()) {
    const WithoutGil without;  // waits for steps of other threads
    tsh_session_unref(session);
  }
  delete As(self)->uses;
  Py_XDECREF(As(self)->graph);
  FreeObject(self);
}

// One call of run: the parts of the signature, and the values.
class Step {
 public:
  explicit Step(PyObject* self) : self_(self), graph_(GraphOf(As(self)->graph)) {}
  ~Step() {
    for (tsh_tensor* value : values_) tsh_tensor_unref(value);
    for (tsh_tensor* value : fetched_) tsh_tensor_unref(value);
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  bool Read(PyObject* fetches, PyObject* feeds) {
    return AddFetches(fetches, 0, &form_) &&
           (feeds == nullptr || feeds == Py_None || AddFeeds(feeds));
  }

  tsh_run Request() const {
    tsh_run run = TSH_RUN_INIT;
    run.feeds = feeds_.data();
    run.values = values_.data();
    run.n_feeds = feeds_.size();
    run.fetches = fetches_.data();
    run.n_fetches = fetches_.size();
    run.targets = targets_.data();
    run.n_targets = targets_.size();
    return run;
  }

  // Calls `body(session, run, fetched, status)` without the GIL. Sets an exception on failure.
  template <class Body>
  bool Run(Body body) {
    if (RefuseFork()) return false;
    CatchInterrupts();
    const tsh_run run = Request();
    fetched_.assign(fetches_.size(), nullptr);
    const CallStatus status;
    // The object may be used by another thread meanwhile, but not freed: the caller holds it.
    tsh_session* session = As(self_)->session;
    int ok = 0;
    {
      const WithoutGil without;
      const Interruptible interruptible(session);
      ok = body(session, run, fetched_.data(), status.get());
    }
    if (PyErr_CheckSignals() != 0) return false;
    if (!ok) RaiseStatus(status.get());
    return ok != 0;
  }

  // Builds the result in the form of the fetches.
  PyObject* Result() { return Build(form_); }

 private:
  // The form of the fetches. The objects themselves may change while Python code runs.
  struct Form {
    enum Kind : uint8_t { kValue, kNone, kList, kTuple, kDict } kind = kNone;
    std::vector<Form> parts = {};
    std::vector<Owned> keys = {};  // of a dict
  };

  PyObject* Build(const Form& form) {
    if (form.kind == Form::kNone) return Owned::Share(Py_None).release();
    if (form.kind == Form::kValue) return ToNumpy(std::exchange(fetched_[next_++], nullptr));
    Owned made(form.kind == Form::kDict ? PyDict_New() : PyList_New(0));
    for (size_t i = 0; made && i < form.parts.size(); ++i) {
      Owned item(Build(form.parts[i]));
      if (!item ||
          (form.kind == Form::kDict ? PyDict_SetItem(made.get(), form.keys[i].get(), item.get())
                                    : PyList_Append(made.get(), item.get())) != 0)
        return nullptr;
    }
    return made && form.kind == Form::kTuple ? PyList_AsTuple(made.get()) : made.release();
  }

  // Returns true for a tensor, an operation or a name.
  static bool IsPosition(PyObject* object) {
    return OutputOf(object) != nullptr || PyUnicode_Check(object);
  }
  bool FindPosition(PyObject* object, tsh_output* at) {
    const tsh_output* output = OutputOf(object);
    if (output == nullptr) return FindOutput(graph_, object, at);
    *at = *output;
    if (GraphOf(GraphOfOutput(object)) == graph_) return true;
    PyErr_Format(PyExc_ValueError, "%R belongs to another graph than the session", object);
    return false;
  }

  static constexpr int kMaxDepth = 100;  // of nested fetches

  bool AddFetches(PyObject* fetches, int depth, Form* form) {
    if (tsh_output at{}; IsPosition(fetches))
      return FindPosition(fetches, &at) && (Add(at, form), true);
    if (depth > kMaxDepth) {
      PyErr_SetString(PyExc_ValueError, "the fetches are nested too deeply");
      return false;
    }
    const bool dict = PyDict_Check(fetches);
    if (!dict && !PyList_Check(fetches) && !PyTuple_Check(fetches)) {
      PyErr_Format(
          PyExc_TypeError,
          "a fetch is a tensor, an operation, a name such as 'x:0', or a list, tuple or dict "
          "of these, not %R",
          fetches);
      return false;
    }
    form->kind = dict ? Form::kDict : PyTuple_Check(fetches) ? Form::kTuple : Form::kList;
    const Owned list(dict ? PyDict_Values(fetches) : PySequence_List(fetches));
    const Owned keys(dict ? PyDict_Keys(fetches) : nullptr);
    if (!list || (dict && (!keys || PyList_Size(keys.get()) != PyList_Size(list.get()))))
      return false;
    for (Py_ssize_t i = 0; i < PyList_Size(list.get()); ++i) {
      if (dict) form->keys.push_back(Owned::Share(PyList_GetItem(keys.get(), i)));
      if (!AddFetches(PyList_GetItem(list.get(), i), depth + 1, &form->parts.emplace_back()))
        return false;
    }
    return true;
  }

  void Add(tsh_output at, Form* form) {
    if (at.index == kNoValue) return targets_.push_back(at.node);
    form->kind = Form::kValue;
    fetches_.push_back(at);
  }

  bool AddFeeds(PyObject* feeds) {
    if (!PyDict_Check(feeds)) {
      PyErr_Format(PyExc_TypeError, "feed_dict is a dict of tensors and values, not %R", feeds);
      return false;
    }
    // The conversion of a value can run Python code, which may change the dict.
    const Owned items(PyDict_Items(feeds));
    if (!items) return false;
    for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
      PyObject* item = PyList_GetItem(items.get(), i);
      PyObject *key = PyTuple_GetItem(item, 0), *value = PyTuple_GetItem(item, 1);
      tsh_output to{};
      if (!IsPosition(key)) {
        PyErr_Format(PyExc_TypeError, "a feed is a tensor or a name such as 'x:0', not %R", key);
        return false;
      }
      if (!FindPosition(key, &to)) return false;
      if (to.index == kNoValue) to.index = 0;
      const int dtype = tsh_output_dtype(graph_, to) % 100;
      tsh_tensor* tensor = FromPython(value, dtype, CanBorrow(dtype) && OnlyReads(to));
      if (tensor == nullptr) return false;
      feeds_.push_back(to);
      values_.push_back(tensor);
    }
    return true;
  }

  // Returns true if every consumer of a feed only reads it. The answers for a graph of the same size
  // are kept.
  bool OnlyReads(tsh_output feed) {
    FeedUses& uses = *As(self_)->uses;
    const size_t size = tsh_graph_size(graph_);
    if (uses.size != size) uses = {.size = size, .only_reads = {}};
    const auto [at, is_new] = uses.only_reads.try_emplace({feed.node, feed.index}, false);
    if (is_new) at->second = ConsumersOnlyRead(graph_, feed);
    return at->second;
  }

  PyObject* self_;
  tsh_graph* graph_;
  std::vector<tsh_output> feeds_, fetches_;
  std::vector<tsh_node> targets_;
  std::vector<tsh_tensor*> values_, fetched_;
  Form form_;
  size_t next_ = 0;
};

// Reads the arguments (fetches, feed_dict=None).
bool ReadArguments(PyObject* self, PyObject* args, PyObject* named, PyObject** fetches,
                   PyObject** feeds) {
  static constexpr const char* kNames[] = {"fetches", "feed_dict", nullptr};
  if (As(self)->session == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "the session was not opened");
    return false;
  }
  return PyArg_ParseTupleAndKeywords(args, named, "O|O", const_cast<char**>(kNames), fetches,
                                     feeds) != 0;
}

PyObject* SessionRun(PyObject* self, PyObject* args, PyObject* named) {
  PyObject *fetches = nullptr, *feeds = nullptr;
  if (!ReadArguments(self, args, named, &fetches, &feeds)) return nullptr;
  Step step(self);
  if (!step.Read(fetches, feeds) ||
      !step.Run([](tsh_session* session, const tsh_run& run, tsh_tensor** fetched,
                   tsh_status* status) { return tsh_session_run(session, &run, fetched, status); }))
    return nullptr;
  return step.Result();
}

// Returns the plan as JSON, without running the step.
PyObject* SessionExplain(PyObject* self, PyObject* args, PyObject* named) {
  PyObject *fetches = nullptr, *feeds = nullptr;
  if (!ReadArguments(self, args, named, &fetches, &feeds)) return nullptr;
  Step step(self);
  char* report = nullptr;
  constexpr size_t kPruned = 100;
  if (!step.Read(fetches, feeds) ||
      !step.Run([&](tsh_session* session, const tsh_run& run, tsh_tensor**, tsh_status* status) {
        report = tsh_session_explain(session, &run, kPruned, status);
        return report != nullptr ? 1 : 0;
      }))
    return nullptr;
  return TakeText(report);
}

// Runs the step and returns (result, report as JSON).
PyObject* SessionTrace(PyObject* self, PyObject* args, PyObject* named) {
  PyObject *fetches = nullptr, *feeds = nullptr;
  if (!ReadArguments(self, args, named, &fetches, &feeds)) return nullptr;
  Step step(self);
  char* report = nullptr;
  if (!step.Read(fetches, feeds) || !step.Run([&](tsh_session* session, const tsh_run& run,
                                                  tsh_tensor** fetched, tsh_status* status) {
        return tsh_session_run_traced(session, &run, fetched, &report, status);
      }))
    return nullptr;
  Owned text(TakeText(report));
  Owned result(text ? step.Result() : nullptr);
  return result ? PyTuple_Pack(2, result.get(), text.get()) : nullptr;
}

PyObject* SessionClose(PyObject* self, PyObject*) {
  tsh_session* session = As(self)->session;
  if (session != nullptr && !IsForked()) {
    const WithoutGil without;
    tsh_session_close(session, nullptr);
  }
  Py_RETURN_NONE;
}

PyObject* SessionCancel(PyObject* self, PyObject*) {
  if (As(self)->session != nullptr && !RefuseFork()) {
    const WithoutGil without;
    tsh_session_cancel(As(self)->session);
  }
  if (PyErr_Occurred() != nullptr) return nullptr;
  Py_RETURN_NONE;
}

PyObject* SessionClosed(PyObject* self, void*) {
  return PyBool_FromLong(tsh_session_closed(As(self)->session));
}
PyObject* SessionGraph(PyObject* self, void*) {
  PyObject* graph = As(self)->graph;
  return Owned::Share(graph == nullptr ? Py_None : graph).release();
}

template <class F>
PyCFunction Method(F function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

PyMethodDef g_methods[] = {
    {"run", Method(SessionRun), METH_VARARGS | METH_KEYWORDS,
     "run($self, fetches, feed_dict=None)\n--\n\n"
     "Run one step and return the values of the fetches, in the same form.\n\n"
     "A fetch is a tensor, an operation, a name such as 'x:0', or a list, tuple or dict of\n"
     "these. feed_dict replaces tensors by values: {x: [1, 2]}. Other Python threads run\n"
     "meanwhile, and Ctrl-C cancels the step."},
    {"_explain", Method(SessionExplain), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"_trace", Method(SessionTrace), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"close", SessionClose, METH_NOARGS,
     "close($self)\n--\n\nCancel the steps in flight and free the variables. Later steps fail."},
    {"cancel", SessionCancel, METH_NOARGS,
     "cancel($self)\n--\n\nCancel the steps in flight, which fail with CancelledError."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef g_getset[] = {
    {"closed", SessionClosed, nullptr, "True if the session is closed.", nullptr},
    {"graph", SessionGraph, nullptr, "The graph of the session.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot g_slots[] = {{Py_tp_init, reinterpret_cast<void*>(SessionInit)},
                         {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(SessionDealloc)},
                         {Py_tp_methods, g_methods},
                         {Py_tp_getset, g_getset},
                         {0, nullptr}};
PyType_Spec g_spec = {"tensh._tensh.Session", sizeof(SessionObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, g_slots};

}  // namespace

bool AddSessionType(PyObject* module) {
  PyTypeObject* type = nullptr;
  return AddType(module, "Session", &g_spec, &type);
}

}  // namespace tensh::shell::module
