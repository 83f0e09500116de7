// Calls of functions: PartitionedCall and its relatives, functions called by name as ops,
// RemoteCall, and SymbolicGradient, the gradient of a function.
#include "ops/control/called_functions.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

// A node whose op is the name of a function also uses this. Its attributes are those of the
// function.
Result<std::unique_ptr<KernelState>> PrepareCall(PrepareCtx& c) {
  const std::string_view op = c.op_name();
  if (op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "RemoteCall" ||
      op == "BatchFunction")
    return PrepareFunctions(c, {"f"});
  auto state = std::make_unique<CallState>();
  const FuncAttr function{std::string(op),
                          std::make_shared<const std::vector<NamedAttr>>(c.attrs().all())};
  TENSH_ASSIGN(CalledFunction * f, FindFunction(c, function));
  state->functions.push_back(f);
  return std::unique_ptr<KernelState>(std::move(state));
}

Status Call(KernelCtx& c) { return CallFunction(c, *c.state<CallState>().functions[0], 0); }

FuncAttr CalledBy(GradScope& g) {
  const AttrValue* f = g.attrs().Find("f");
  const FuncAttr* function = f ? f->Find<FuncAttr>() : nullptr;
  const std::string_view op = g.op_name();
  const bool by_attr = op == "PartitionedCall" || op == "StatefulPartitionedCall";
  if (by_attr && function) return *function;
  return {std::string(op), std::make_shared<const std::vector<NamedAttr>>(g.attrs().all())};
}

// The gradient function recomputes the forward pass, as in TensorFlow 1.x.
Status CallGrad(GradScope& g) {
  const FuncAttr f = CalledBy(g);
  AttrValue::Types in;
  const AttrValue::Types out = GradientTypes(g, 0, {&f, 1});
  const std::vector<Out> inputs = GradientInputs(g, 0, &in);
  if (out.empty()) return g.Return({});
  const Out call = g.OpN("SymbolicGradient", inputs, {{"Tin", in}, {"Tout", out}, {"f", f}});
  return ReturnFrom(g, call, 0, {&f, 1});
}

Result<std::unique_ptr<KernelState>> PrepareGradient(PrepareCtx& c) {
  auto state = std::make_unique<CallState>();
  TENSH_ASSIGN(CalledFunction * f, FindFunction(c, GradientOf(c.attrs().Func("f"))));
  state->functions.push_back(f);
  return std::unique_ptr<KernelState>(std::move(state));
}

Status GradientGrad(GradScope& g) {
  const FuncAttr f = GradientOf(g.attrs().Func("f"));
  AttrValue::Types in;
  const AttrValue::Types out = GradientTypes(g, 0, {&f, 1});
  const std::vector<Out> inputs = GradientInputs(g, 0, &in);
  const Out call = g.OpN("SymbolicGradient", inputs, {{"Tin", in}, {"Tout", out}, {"f", f}});
  return ReturnFrom(g, call, 0, {&f, 1});
}

// A gradient has the shape of the input it is the gradient of.
Status GradientShape(ShapeCtx& c) {
  for (int i = 0; i < c.num_outputs() && i < c.num_inputs(); ++i)
    if (c.in_dtype(i) != DType::kResource) c.Set(i, c.in(i));
  return {};
}

Status CallThere(KernelCtx& c) {
  const Tensor& target = c.in(0);
  if (target.rank() != 0)
    return InvalidArgument("target must be a scalar, but has shape ", target.shape());
  const std::string& name = *target.data<std::string>();
  // All devices of a session share one process, so the call is local. The nodes of the body have
  // their own devices.
  if (name.find("/job:") != name.npos && name.find("/job:localhost") == name.npos)
    return NotFound("RemoteCall: there is no device ", name, " in this process");
  return CallFunction(c, *c.state<CallState>().functions[0], 1);
}

constexpr char kCallAttrs[] =
    "Tin: list(type) >= 0, Tout: list(type) >= 0, f: func, config: string = '', config_proto: "
    "string = '', executor_type: string = ''";

OpSpec CallSpec(const char* name, const char* doc, bool stateful) {
  return {.name = name,
          .inputs = "args: Tin",
          .outputs = "output: Tout",
          .attrs = kCallAttrs,
          .doc = std::string(doc) +
                 " Calls function f with args, of the types Tin. Its results have the types Tout. "
                 "config, config_proto and executor_type are hints for TensorFlow's runtime.",
          .shape = UnknownOutputs,
          .grad = CallGrad,
          .stateful = stateful,
          .examples = {{StrCat("tf.raw_ops.", name, ".__name__"), name}}};
}

}  // namespace

TENSH_OPS(control_function_call) {
  r.Op(CallSpec("PartitionedCall", "A call of a function without side effects.", false))
      .CpuAny(Call, PrepareCall);
  r.Op(CallSpec("StatefulPartitionedCall", "A call of a function that may have side effects.",
                true))
      .CpuAny(Call, PrepareCall);
  r.Op({.name = "RemoteCall",
        .inputs = "target: string, args: Tin",
        .outputs = "output: Tout",
        .attrs = "Tin: list(type) >= 1, Tout: list(type) >= 1, f: func",
        .doc = "Calls function f on the device target with args, of the types Tin. Its results "
               "have the types Tout.",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.RemoteCall.__name__", "RemoteCall"}}})
      .CpuAny(CallThere, PrepareCall);
  r.Op({.name = "BatchFunction",
        .inputs = "in_tensors: Tin, captured_tensors: Tcaptured",
        .outputs = "out_tensors: Tout",
        .attrs =
            "f: func, num_batch_threads: int, max_batch_size: int, batch_timeout_micros: int, "
            "max_enqueued_batches: int = 10, allowed_batch_sizes: list(int) = [], container: "
            "string = '', shared_name: string = '', batching_queue: string = '', "
            "low_priority_max_batch_size: int = 0, low_priority_batch_timeout_micros: int = 0, "
            "low_priority_allowed_batch_sizes: list(int) = [], low_priority_max_enqueued_batches: "
            "int = 0, mixed_priority_policy: {'low_priority_padding_with_max_batch_size', "
            "'low_priority_padding_with_next_allowed_batch_size', 'priority_isolation', "
            "'priority_merge'} = 'low_priority_padding_with_max_batch_size', batch_padding_policy: "
            "{'PAD_UP', 'BATCH_DOWN', 'MINIMIZE_TPU_COST_PER_REQUEST'} = 'PAD_UP', Tin: list(type) "
            ">= 1, Tcaptured: list(type) >= 0, Tout: list(type) >= 1, "
            "enable_large_batch_splitting: "
            "bool = false",
        .doc = "Calls function f. Its arguments are in_tensors, of the types Tin, followed by "
               "captured_tensors, of the types Tcaptured. Its results have the types Tout. "
               "TensorFlow joins the rows of several steps to one batch. tensh runs each step as a "
               "batch of its own and ignores num_batch_threads, max_batch_size, "
               "batch_timeout_micros, max_enqueued_batches, allowed_batch_sizes, container, "
               "shared_name, batching_queue, low_priority_max_batch_size, "
               "low_priority_batch_timeout_micros, low_priority_allowed_batch_sizes, "
               "low_priority_max_enqueued_batches, mixed_priority_policy, batch_padding_policy "
               "and enable_large_batch_splitting.",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.BatchFunction.__name__", "BatchFunction"}}})
      .CpuAny(Call, PrepareCall);
  r.Op({.name = "SymbolicGradient",
        .inputs = "input: Tin",
        .outputs = "output: Tout",
        .attrs = "Tin: list(type) >= 1, Tout: list(type) >= 1, f: func",
        .doc = "The gradients of function f. input, of the types Tin, is the arguments of f, "
               "followed by one gradient for each of its results. Returns one gradient for each "
               "argument, of the types Tout.",
        .shape = GradientShape,
        .grad = GradientGrad,
        .examples = {{"tf.raw_ops.SymbolicGradient.__name__", "SymbolicGradient"}}})
      .CpuAny(Call, PrepareGradient);
}

}  // namespace tensh::ops
