// NoOp and ControlTrigger, which only carry control dependencies.
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

Status Nothing(KernelCtx&) { return {}; }

}  // namespace

TENSH_OPS(control_no_op) {
  r.Op({.name = "NoOp",
        .doc = "Does nothing. Useful as a node for control dependencies.",
        .shape = NoOutputs,
        .no_gradient = true,
        .examples = {{"tf.no_op()", ""}}})
      .CpuAny(Nothing);
  r.Op({.name = "ControlTrigger",
        .doc =
            "Does nothing. It runs even if its control inputs are on a branch that was not taken.",
        .shape = NoOutputs,
        .no_gradient = true,
        .role = OpRole::kControlTrigger,
        .examples = {{"control_trigger()", ""}}})
      .CpuAny(Nothing);
}

}  // namespace tensh::ops
