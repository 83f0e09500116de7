// RefIdentity: passes a reference on.
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

Status PassReference(KernelCtx& c) {
  c.ForwardRef(0, 0);
  return {};
}

Status PassGradient(GradScope& g) { return g.Return({g.dy(0)}); }

}  // namespace

TENSH_OPS(state_ref_identity) {
  r.Op({.name = "RefIdentity",
        .inputs = "input: Ref(T)",
        .outputs = "output: Ref(T)",
        .attrs = "T: type",
        .doc = "Returns its input. input is a reference to a variable of type T; output is the "
               "same reference.",
        .shape = SameAsInput<0>,
        .grad = PassGradient,
        .allows_uninitialized_input = true,
        .role = OpRole::kIdentity,
        .examples = {{"tf.raw_ops.RefIdentity(input=tf.assign(tf.Variable([1, 2]), [1, 2]))",
                      "[1 2]"}}})
      .CpuAny(PassReference);
}

}  // namespace tensh::ops
