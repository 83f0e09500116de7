// Stacks of tensors: what the gradient of a loop keeps of every iteration.
#include "ops/op_file.h"
#include "ops/support/tensor_list.h"

namespace tensh::ops {
namespace {

struct StackState : KernelState {
  std::string name;
  DType dtype = DType::kInvalid;
};

Result<std::unique_ptr<KernelState>> PrepareStack(PrepareCtx& c) {
  auto state = std::make_unique<StackState>();
  state->name = c.attrs().String("stack_name").empty() ? std::string(c.node_name())
                                                       : c.attrs().String("stack_name");
  state->dtype = c.attrs().Type("elem_type");
  return std::unique_ptr<KernelState>(std::move(state));
}

Status MakeStack(KernelCtx& c) noexcept {
  const auto& state = c.state<StackState>();
  if (c.in(0).num_elements() != 1)
    return InvalidArgument("Stack size must be a scalar, but had shape: ", c.in(0).shape());
  auto stack = std::make_shared<TensorStack>(state.name, state.dtype, c.in(0).IntScalar());
  TENSH_ASSIGN(Tensor handle, Tensor::Make(DType::kResource, Shape()));
  *handle.data<ResourceHandle>() = {std::move(stack), state.name};
  c.SetOutput(0, std::move(handle));
  return {};
}

Status Push(KernelCtx& c) noexcept {
  TENSH_ASSIGN(auto stack, HeldBy<TensorStack>(c, 0, "Stack"));
  const Tensor& value = c.in(1);
  if (value.dtype() != stack->dtype)
    return InvalidArgument("Must have type ", SignatureName(stack->dtype), " but got ",
                           SignatureName(value.dtype()));
  {
    std::lock_guard lock(stack->mu);
    if (stack->closed) return InvalidArgument("Stack[", stack->name, "] has already been closed.");
    if (stack->max_size >= 0 && static_cast<int64_t>(stack->values.size()) >= stack->max_size)
      return InvalidArgument("Stack[", stack->name, "] overflowed its max_size (", stack->max_size,
                             ")");
    stack->values.push_back(value);
  }
  c.SetOutput(0, value);
  return {};
}

Status Pop(KernelCtx& c) noexcept {
  TENSH_ASSIGN(auto stack, HeldBy<TensorStack>(c, 0, "Stack"));
  if (c.out_dtype(0) != stack->dtype)
    return InvalidArgument("Must have type ", SignatureName(stack->dtype), " but got ",
                           SignatureName(c.out_dtype(0)));
  std::lock_guard lock(stack->mu);
  if (stack->closed) return InvalidArgument("Stack[", stack->name, "] has already been closed.");
  if (stack->values.empty())
    return InvalidArgument("Stack[", stack->name, "] is empty when calling Pop().");
  c.SetOutput(0, std::move(stack->values.back()));
  stack->values.pop_back();
  return {};
}

Status CloseStack(KernelCtx& c) noexcept {
  TENSH_ASSIGN(auto stack, HeldBy<TensorStack>(c, 0, "Stack"));
  std::lock_guard lock(stack->mu);
  stack->values.clear();
  stack->closed = true;
  return {};
}

}  // namespace

TENSH_OPS(control_stack) {
  r.Op({.name = "StackV2",
        .inputs = "max_size: int32",
        .outputs = "handle: resource",
        .attrs = "elem_type: type, stack_name: string = ''",
        .doc = "A stack of tensors that lives for one step. max_size bounds it unless negative, "
               "elem_type is the type of its tensors, stack_name the name messages use; handle is "
               "what StackPushV2 and StackPopV2 take.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.gradients(tf.while_loop(lambda x: x < 10., lambda x: x * x, [2.]), "
                      "[tf.constant(0.)])[0] is None",
                      "True"}}})
      .CpuAny(MakeStack, PrepareStack);
  r.Op({.name = "StackPushV2",
        .inputs = "handle: resource, elem: T",
        .outputs = "output: T",
        .attrs = "T: type, swap_memory: bool = false",
        .doc = "Puts elem on the stack of handle. output is elem, T its type; swap_memory is "
               "accepted and means nothing where there is one memory.",
        .shape = SameAsInput<1>,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.gradients(tf.while_loop(lambda x: x < 10., lambda x: x * x, [2.]), "
                      "[tf.constant(0.)])[0] is None",
                      "True"}}})
      .CpuAny(Push);
  r.Op({.name = "StackPopV2",
        .inputs = "handle: resource",
        .outputs = "elem: elem_type",
        .attrs = "elem_type: type",
        .doc = "Takes the last tensor off the stack of handle: elem, of type elem_type.",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.gradients(tf.while_loop(lambda x: x < 10., lambda x: x * x, [2.]), "
                      "[tf.constant(0.)])[0] is None",
                      "True"}}})
      .CpuAny(Pop);
  r.Op({.name = "StackCloseV2",
        .inputs = "handle: resource",
        .doc = "Frees what the stack of handle holds.",
        .shape = NoOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.gradients(tf.while_loop(lambda x: x < 10., lambda x: x * x, [2.]), "
                      "[tf.constant(0.)])[0] is None",
                      "True"}}})
      .CpuAny(CloseStack);
}

}  // namespace tensh::ops
