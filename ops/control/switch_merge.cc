// Switch and Merge. A dead value (on the branch not taken) is an empty tensor in its slot. The
// executor skips the nodes that depend on it.
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

Status RouteByPredicate(KernelCtx& c) {
  const Tensor& pred = c.in(1);
  if (pred.rank() != 0)
    return InvalidArgument("The second input must be a scalar, but it has shape ", pred.shape());
  const int taken = *pred.data<bool>() ? 1 : 0;
  Tensor data = c.in(0);
  c.SetOutput(1 - taken, Tensor());
  c.SetOutput(taken, std::move(data));
  return {};
}

Status TakeFirst(KernelCtx& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.in(i)) continue;
    c.SetOutput(0, c.in(i));
    TENSH_OUTPUT(index, c.Output(1, Shape()));
    *index->data<int32_t>() = i;
    return {};
  }
  c.SetOutput(0, Tensor());
  c.SetOutput(1, Tensor());
  return {};
}

Status SwitchShape(ShapeCtx& c) { return SameAsInput<0>(c); }

// Returns the most specific shape that is compatible with every input.
Status MergeShape(ShapeCtx& c) {
  Shape out = c.in(0);
  for (int i = 1; i < c.num_inputs() && out.has_rank(); ++i) {
    const Shape& in = c.in(i);
    if (in.rank() != out.rank()) {
      out = Shape::Unknown();
      break;
    }
    for (int d = 0; d < out.rank(); ++d)
      if (in[d] != out[d]) out.set_dim(d, Shape::kUnknownDim);
  }
  c.Set(0, out);
  c.Set(1, Shape());
  return {};
}

}  // namespace

TENSH_OPS(control_switch_merge) {
  r.Op({.name = "Switch",
        .inputs = "data: T, pred: bool",
        .outputs = "output_false: T, output_true: T",
        .attrs = "T: type",
        .doc = "Forwards data to one of two outputs: to output_true if the scalar pred is true, "
               "otherwise to output_false. Nodes that depend on the other output do not run. T is "
               "data's type.",
        .contract = "pred: scalar",
        .shape = SwitchShape,
        .role = OpRole::kSwitch,
        .examples = {{"tf.raw_ops.Switch(data=5, pred=True)[1]", "5"}}})
      .CpuAny(RouteByPredicate);
  r.Op({.name = "RefSwitch",
        .inputs = "data: Ref(T), pred: bool",
        .outputs = "output_false: Ref(T), output_true: Ref(T)",
        .attrs = "T: type",
        .doc = "Switch for a reference to a variable: forwards data to output_true if pred is "
               "true, otherwise to output_false. T is the variable's type.",
        .contract = "pred: scalar",
        .shape = SwitchShape,
        .allows_uninitialized_input = true,
        .role = OpRole::kSwitch,
        .examples = {{"tf.raw_ops.RefSwitch(data=tf.assign(tf.Variable(5), 5), pred=True)[1]",
                      "5"}}})
      .CpuAny(RouteByPredicate);
  r.Op({.name = "Merge",
        .inputs = "inputs: N * T",
        .outputs = "output: T, value_index: int32",
        .attrs = "T: type, N: int >= 1",
        .doc = "Forwards the first available of its inputs. output is that input, value_index its "
               "number. N is the number of inputs and T their type.",
        .shape = MergeShape,
        .role = OpRole::kMerge,
        .examples = {{"tf.raw_ops.Merge(inputs=[1.5])[0]", "1.5"}}})
      .CpuAny(TakeFirst);
  r.Op({.name = "RefMerge",
        .inputs = "inputs: Ref(N * T)",
        .outputs = "output: Ref(T), value_index: int32",
        .attrs = "T: type, N: int >= 1",
        .doc = "Merge for references to variables: output is the first available of inputs, "
               "value_index its number. N is the number of inputs and T their type.",
        .shape = MergeShape,
        .role = OpRole::kMerge,
        .examples = {{"tf.raw_ops.RefMerge(inputs=[tf.assign(tf.Variable(7), 7)])[0]", "7"}}})
      .CpuAny(TakeFirst);
}

}  // namespace tensh::ops
