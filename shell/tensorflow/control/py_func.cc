// The node of a Python function (tf.py_func) that must be called in the middle of a step: in a loop or branch, after
// control inputs, or for its effect only. Its kernel runs on any thread of the step and takes the interpreter's lock
// for the call, which the thread that waits for the step has released. Other functions are called before the step
// (docs/adr/0008-elements-are-fed.md).
#include <cstring>

#include "shell/numpy/types.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/library.h"
#include "shell/python/vm/threads.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/rows.h"
#include "tensh/tensh_op.h"

namespace tensh::shell::tf {
namespace {

// Returns a copy, because the function may keep its argument after the step.
TensorHandle CopyOf(tsh_tensor* shared) {
  const TensorHandle from = TensorHandle::Share(shared);
  TensorHandle to = TensorHandle::Make(from.dtype(), from.dims());
  if (from.dtype() == TSH_STRING) {
    for (int64_t i = 0; i < from.elements(); ++i) to.SetString(i, from.string_at(i));
  } else if (from.elements() > 0) {
    std::memcpy(to.raw(), from.raw(),
                static_cast<size_t>(from.elements() * np::ItemSize(from.dtype())));
  }
  return to;
}

// Calls the function of the node's token. py_functions.py returns a list of arrays, or a tuple of the code and the message
// of an error. Returns 0 and sets the status if it fails.
int CallFunction(tsh_kernel_call* call, tsh_status* status) {
  const char* token = tsh_attrs_string(tsh_kernel_attrs(call), "token", nullptr);
  std::vector<Value> inputs;
  for (size_t i = 0; i < tsh_kernel_num_inputs(call); ++i)
    inputs.push_back(ToValue(CopyOf(tsh_kernel_input(call, i))));
  const Value made = Call(FromLibrary("py_functions", Intern("_call_node")),
                          {MakeStr(token), MakeList(std::move(inputs))});
  const std::vector<Value>& items = *Sequence(made);
  if (As<TupleObject>(made)) {
    tsh_status_set(status, static_cast<int>(ToIndex(items[0])), Str(items[1]).c_str(), "");
    return 0;
  }
  if (items.size() != tsh_kernel_num_outputs(call)) {
    tsh_status_set(status, TSH_INVALID_ARGUMENT,
                   "the node has not as many outputs as its function has results", "");
    return 0;
  }
  for (size_t i = 0; i < items.size(); ++i) {
    const TensorHandle result = ToFeed(items[i], tsh_kernel_output_dtype(call, i), "PyFunc");
    if (!tsh_kernel_set_output(call, i, result.get(), status)) return 0;
  }
  return 1;
}

int RunPyFunc(tsh_kernel_call* call, void*, tsh_status* status) {
  const threads::Guest guest;
  if (!guest.taken()) {
    tsh_status_set(status, TSH_CANCELLED, "the program ended before its function was called", "");
    return 0;
  }
  try {
    return CallFunction(call, status);
  } catch (const threads::Ended&) {
    tsh_status_set(status, TSH_CANCELLED, "the program ended in its function", "");
  } catch (const PyError& error) {
    const bool interrupted = error.Is(kKeyboardInterrupt);
    if (interrupted) Interp::Current().Interrupt();  // for the thread that waits for the step
    tsh_status_set(status, interrupted ? TSH_CANCELLED : TSH_UNKNOWN, error.what(), "");
  } catch (const std::exception& error) {
    tsh_status_set(status, TSH_UNKNOWN, error.what(), "");
  }
  return 0;
}

void Register(const char* name) {
  tsh_op_spec spec = TSH_OP_SPEC_INIT;
  spec.name = name;
  spec.inputs = "input: Tin";
  spec.outputs = "output: Tout";
  spec.attrs = "token: string, Tin: list(type) >= 0, Tout: list(type) >= 0";
  spec.doc =
      "Calls a Python function. input: its arguments. output: its results. token: its name. Tin: "
      "the types of the "
      "arguments. Tout: those of the results.";
  spec.stateful = 1;
  spec.no_gradient = 1;
  spec.kernel = RunPyFunc;
  Status status;
  if (!tsh_op_register(&spec, status)) status.Check();
}

// inputs, token, types, stateful, name: adds the node. Returns its operation.
Value AddPyFunc(Args& a) {
  threads::Expect();
  static const bool registered = [] {
    for (const char* name : {"PyFunc", "PyFuncStateless"}) Register(name);
    return true;
  }();
  static_cast<void>(registered);
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, Truth(a[3]) ? "PyFunc" : "PyFuncStateless", NameText(a[4]));
  call.InList(ToVector(a[0])).Attr("token", a[1]).Attr("Tout", a[2]);
  return g.Operation(call.AddNode());
}

// Tells whether nodes are being created in a loop or branch, or under control inputs.
Value IsMidStep(Args&) {
  const GraphObject& g = DefaultGraph();
  return Value::Bool(g.flow != nullptr || !g.controls.empty());
}

constexpr FunctionRow kRows[] = {
    {"add", "inputs, token, types, stateful, name", AddPyFunc, "Adds the node of a function."},
    {"is_mid_step", "", IsMidStep, "Tells whether a function needs a node here."},
};

}  // namespace

const ModuleDef kPyFuncModule = {.name = "_py_func", .functions = kRows};

}  // namespace tensh::shell::tf
