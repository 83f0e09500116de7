// Unsupported, the output of an operator of another format that no op can compute.
#include "ops/op_file.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

struct Reason : KernelState {
  std::string message;
  void Read(PrepareCtx& c) { message = c.attrs().String("message"); }
};

Status Refuse(KernelCtx& c) { return Unimplemented(c.state<Reason>().message); }

Status ShapeAttr(ShapeCtx& c) {
  c.Set(0, c.attrs().Get<Shape>("shape"));
  return {};
}

}  // namespace

TENSH_OPS(control_unsupported) {
  r.Op({.name = "Unsupported",
        .outputs = "output: dtype",
        .attrs = "dtype: type, shape: shape = {unknown}, message: string",
        .doc = "Stands for an operator of an opened model that tensh cannot compute. A step that "
               "needs output, of type dtype and this shape, without a feed fails with the message.",
        .shape = ShapeAttr,
        .no_gradient = true,
        .stateful = true,
        .examples =
            {{"tf.raw_ops.Unsupported(dtype=tf.float32, shape=[2], message='no rule').shape",
              "(2,)"}}})
      .CpuAny(Refuse, PrepareFrom<Reason>);
}

}  // namespace tensh::ops
