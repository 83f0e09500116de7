// While and For, whose conditions and bodies are functions. The gradient of While is in
// ops/control/while_gradient.cc.
#include "ops/control/called_functions.h"
#include "ops/control/while_gradient.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

Result<std::unique_ptr<KernelState>> PrepareWhile(PrepareCtx& c) {
  return PrepareFunctions(c, {"cond", "body"});
}

Status RunWhile(KernelCtx& c) {
  const auto& functions = c.state<CallState>().functions;
  const size_t n = static_cast<size_t>(c.num_inputs());
  std::vector<Tensor> values(n), next(n);
  for (size_t i = 0; i < n; ++i) values[i] = c.TakeInput(static_cast<int>(i));
  Tensor holds;
  for (;;) {
    next = values;  // Run consumes its arguments
    TENSH_RETURN_IF_ERROR(functions[0]->Run(c, next, {&holds, 1}));
    TENSH_ASSIGN(const bool again, IsTrue(holds));
    if (!again) break;
    holds = Tensor();
    for (Tensor& t : next) t = Tensor();
    TENSH_RETURN_IF_ERROR(functions[1]->Run(c, values, next));
    std::swap(values, next);
    if (c.cancelled()) return c.cancel()->Why();
  }
  return GiveResults(c, *functions[1], values);
}

// Uses output_shapes, if given. Otherwise shapes are unknown, because the shape of a loop variable
// may change.
Status WhileShape(ShapeCtx& c) { return ShapesFromAttr(c); }

Result<std::unique_ptr<KernelState>> PrepareFor(PrepareCtx& c) {
  return PrepareFunctions(c, {"body"});
}

Status RunFor(KernelCtx& c) {
  CalledFunction& body = *c.state<CallState>().functions[0];
  for (int i = 0; i < 3; ++i)
    if (c.in(i).rank() != 0)
      return InvalidArgument(i == 0   ? "start"
                             : i == 1 ? "limit"
                                      : "delta",
                             " must be a scalar, but has shape ", c.in(i).shape());
  const int64_t start = *c.in(0).data<int32_t>(), limit = *c.in(1).data<int32_t>(),
                delta = *c.in(2).data<int32_t>();
  if (delta == 0 || (delta > 0 ? start > limit : start < limit)) {
    if (delta == 0) return InvalidArgument("delta cannot be zero");
    return InvalidArgument("For: start ", start, " is beyond limit ", limit, " for delta ", delta);
  }
  std::vector<Tensor> args(1), results(static_cast<size_t>(c.num_outputs()));
  for (int i = 3; i < c.num_inputs(); ++i) args.push_back(c.TakeInput(i));
  for (int64_t i = start; delta > 0 ? i < limit : i > limit; i += delta) {
    args[0] = Tensor::Scalar<int32_t>(static_cast<int32_t>(i));
    TENSH_RETURN_IF_ERROR(body.Run(c, args, results));
    for (size_t k = 0; k < results.size(); ++k) args[k + 1] = std::move(results[k]);
    if (c.cancelled()) return c.cancel()->Why();
  }
  return GiveResults(c, body, std::span(args).subspan(1));
}

OpSpec WhileSpec(const char* name, bool stateful) {
  return {
      .name = name,
      .inputs = "input: T",
      .outputs = "output: T",
      .attrs =
          "T: list(type) >= 0, cond: func, body: func, output_shapes: list(shape) = [], "
          "parallel_iterations: int = 10",
      .doc =
          "Calls body repeatedly while cond returns true. Both take the loop variables, of the "
          "types T: first input, then the results of body. The last results are output, with the "
          "shapes output_shapes if given. parallel_iterations is a hint for TensorFlow's runtime.",
      .shape = WhileShape,
      .grad = WhileGradient,
      .stateful = stateful,
      .examples = {{StrCat("tf.raw_ops.", name, ".__name__"), name}}};
}

}  // namespace

TENSH_OPS(control_function_loop) {
  r.Op(WhileSpec("While", true)).CpuAny(RunWhile, PrepareWhile);
  r.Op(WhileSpec("StatelessWhile", false)).CpuAny(RunWhile, PrepareWhile);
  r.Op({.name = "For",
        .inputs = "start: int32, limit: int32, delta: int32, input: T",
        .outputs = "output: T",
        .attrs = "T: list(type) >= 0, body: func",
        .doc = "Calls body for each number from start to limit in steps of delta. body also takes "
               "the loop variables, of the types T: first input, then the results of body.",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.For.__name__", "For"}}})
      .CpuAny(RunFor, PrepareFor);
}

}  // namespace tensh::ops
