#include "ops/op_file.h"

namespace tensh::ops {
namespace {

Status Nothing(KernelCtx&) { return {}; }

}  // namespace

TENSH_OPS(control_no_op) {
  r.Op({.name = "NoOp",
        .doc = "Does nothing. Useful as what control dependencies meet in.",
        .shape = NoOutputs,
        .no_gradient = true,
        .examples = {{"tf.no_op()", ""}}})
      .CpuAny(Nothing);
  r.Op({.name = "ControlTrigger",
        .doc = "Does nothing. Runs even when what it waits for was on a branch not taken.",
        .shape = NoOutputs,
        .no_gradient = true,
        .examples = {{"tf.control_trigger()", ""}}})
      .CpuAny(Nothing);
}

}  // namespace tensh::ops
