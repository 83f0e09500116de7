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
