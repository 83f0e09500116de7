// Identity, Snapshot, StopGradient and PreventGradient, which pass their input on. They differ only
// in their gradients.
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

Status PassInput(KernelCtx& c) {
  c.SetOutput(0, c.in(0));
  return {};
}

Status PassGradient(GradScope& g) { return g.Return({g.dy(0)}); }

Status Refuse(GradScope& g) {
  return Status(Code::kNotFound,
                StrCat("Gradient explicitly disabled. Reason: ", g.attrs().String("message")));
}

}  // namespace

TENSH_OPS(array_identity) {
  r.Op({.name = "Identity",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: type",
        .doc = "Returns its input. output shares the data of input; T is the type of both.",
        .shape = SameAsInput<0>,
        .grad = PassGradient,
        .role = OpRole::kIdentity,
        .examples = {{"tf.identity([1., 2.])", "[1. 2.]"}}})
      .CpuAny(PassInput);
  r.Op({.name = "Snapshot",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: type",
        .doc = "Returns a snapshot of its input. output is input; T is the type of both.",
        .shape = SameAsInput<0>,
        .grad = PassGradient,
        .examples = {{"snapshot([1., 2.])", "[1. 2.]"}}})
      .CpuAny(PassInput);
  for (const char* name : {"Copy", "CopyHost"})
    r.Op({.name = name,
          .inputs = "input: T",
          .outputs = "output: T",
          .attrs = "T: type, tensor_name: string = '', debug_ops_spec: list(string) = []",
          .doc = "Returns its input, in graphs that TensorFlow's debugger has changed. output is "
                 "input; T is the type of both. tensor_name and debug_ops_spec are notes of the "
                 "debugger.",
          .shape = SameAsInput<0>,
          .no_gradient = true,
          .examples = {{StrCat("tf.raw_ops.", name, "(input=[1., 2.])"), "[1. 2.]"}}})
        .CpuAny(PassInput);
  r.Op({.name = "DebugIdentityV2",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: type, tfdbg_context_id: string = '', op_name: string = '', output_slot: int "
                 "= -1, tensor_debug_mode: int = -1, debug_urls: list(string) = [], "
                 "circular_buffer_size: int = 1000, tfdbg_run_id: string = ''",
        .doc = "Returns its input, in graphs that TensorFlow's debugger has changed. output is "
               "input; T is the type of both. The other attributes are notes of the debugger: "
               "tfdbg_context_id, op_name, output_slot, tensor_debug_mode, debug_urls, "
               "circular_buffer_size, tfdbg_run_id.",
        .shape = SameAsInput<0>,
        .grad = PassGradient,
        .stateful = true,
        .examples = {{"tf.raw_ops.DebugIdentityV2(input=[1., 2.])", "[1. 2.]"}}})
      .CpuAny(PassInput);
  r.Op({.name = "StopGradient",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: type",
        .doc = "Returns its input and stops gradients. output is input; T is the type of both.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.stop_gradient([1., 2.])", "[1. 2.]"}}})
      .CpuAny(PassInput);
  r.Op({.name = "PreventGradient",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: type, message: string = ''",
        .doc = "Returns its input; requesting its gradient is an error. output is input; T is the "
               "type of both. message explains why there is no gradient.",
        .shape = SameAsInput<0>,
        .grad = Refuse,
        .examples = {{"prevent_gradient([1., 2.])", "[1. 2.]"}}})
      .CpuAny(PassInput);
}

}  // namespace tensh::ops
