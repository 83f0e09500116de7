// DisableCopyOnRead: turns off TensorFlow's copy-on-read mode of a variable. Models of TF 2 use it when
// they save their variables.
#include "ops/op_file.h"
#include "ops/state/handle_example.h"

namespace tensh::ops {
namespace {

// Variables have no such mode here: a read shares the value, and a later update makes a new one.
Status Disable(KernelCtx& c) {
  Variable* variable = c.variable(0);
  if (variable && variable->Read()) return {};
  return FailedPrecondition("Could not find variable ", variable ? variable->name : "",
                            ". This could mean that the variable has been deleted. In TF1, it can "
                            "also mean the variable is uninitialized.");
}

}  // namespace

TENSH_OPS(state_disable_copy_on_read) {
  r.Op({.name = "DisableCopyOnRead",
        .inputs = "resource: resource",
        .doc = "Turns off the copy-on-read mode of the variable of resource. tensh has no such "
               "mode, so nothing changes.",
        .shape = NoOutputs,
        .no_gradient = true,
        .stateful = true,
        .never_waits = true,
        .examples = {{StrCat("tf.raw_ops.DisableCopyOnRead(resource=", HandleExample("1."), ")"),
                      ""}}})
      .CpuAny(Disable);
}

}  // namespace tensh::ops
