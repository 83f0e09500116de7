// LogicalAnd, LogicalOr and LogicalNot.
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

Status And(KernelCtx& c) {
  return MapBinary<bool>(
      c, [](bool x, bool y) { return x && y; }, 0.1);
}
Status Or(KernelCtx& c) {
  return MapBinary<bool>(
      c, [](bool x, bool y) { return x || y; }, 0.1);
}
Status Not(KernelCtx& c) {
  return MapUnary<bool>(
      c, [](bool x) { return !x; }, 0.1);
}

}  // namespace

TENSH_OPS(math_elementwise_logical) {
  r.Op({.name = "LogicalAnd",
        .inputs = "x: bool, y: bool",
        .outputs = "z: bool",
        .doc = "x and y, elementwise, with broadcasting. x, y: booleans.",
        .shape = BroadcastInputs,
        .no_gradient = true,
        .commutative = true,
        .examples = {{"tf.logical_and([True, False], True)", "[ True False]"}}})
      .CpuAny(And);
  r.Op({.name = "LogicalOr",
        .inputs = "x: bool, y: bool",
        .outputs = "z: bool",
        .doc = "x or y, elementwise, with broadcasting. x, y: booleans.",
        .shape = BroadcastInputs,
        .no_gradient = true,
        .commutative = true,
        .examples = {{"tf.logical_or([True, False], False)", "[ True False]"}}})
      .CpuAny(Or);
  r.Op({.name = "LogicalNot",
        .inputs = "x: bool",
        .outputs = "y: bool",
        .doc = "not x, elementwise. x: booleans.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .elementwise = Elementwise::kSameShape,
        .examples = {{"tf.logical_not([True, False])", "[False  True]"}}})
      .CpuAny(Not);
}

}  // namespace tensh::ops
