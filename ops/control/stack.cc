// Stacks of tensors: what the gradient of a loop keeps of every iteration.
#include "ops/op_file.h"
#include "ops/support/tensor_list.h"

namespace tensh::ops {
namespace {

// What the handle of the old ops refers to: a string, as it was before resources.
class StackReference : public Variable {
 public:
  std::shared_ptr<TensorStack> stack;
};

Result<std::shared_ptr<TensorStack>> StackOf(KernelCtx& c) {
  const Tensor& handle = c.in(0);
  if (handle.dtype() != DType::kResource) return NotFound("the handle is not one of a Stack");
  if (handle.num_elements() == 1)
    if (auto* old = dynamic_cast<StackReference*>(handle.data<ResourceHandle>()->resource.get()))
      return old->stack;
  return HeldBy<TensorStack>(c, 0, "Stack");
}

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

Status MakeStack(KernelCtx& c) {
  const auto& state = c.state<StackState>();
  if (c.in(0).num_elements() != 1)
    return InvalidArgument("Stack size must be a scalar, but had shape: ", c.in(0).shape());
  auto stack = std::make_shared<TensorStack>(state.name, state.dtype, c.in(0).IntScalar());
  TENSH_ASSIGN(Tensor handle, Tensor::Make(DType::kResource, Shape()));
  *handle.data<ResourceHandle>() = {std::move(stack), state.name};
  c.SetOutput(0, std::move(handle));
  return {};
}

Status MakeOldStack(KernelCtx& c) {
  const auto& state = c.state<StackState>();
  auto reference = std::make_shared<StackReference>();
  reference->name = state.name;
  reference->dtype = DType::kString;
  const std::string parts[] = {"_stacks", state.name};
  reference->value = Tensor::Vector<std::string>(parts);
  reference->stack = std::make_shared<TensorStack>(state.name, state.dtype, -1);
  c.SetOutput(0, Tensor::Scalar(ResourceHandle{std::move(reference), state.name}));
  return {};
}

Status Push(KernelCtx& c) {
  TENSH_ASSIGN(auto stack, StackOf(c));
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

Status Pop(KernelCtx& c) {
  TENSH_ASSIGN(auto stack, StackOf(c));
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

Status CloseStack(KernelCtx& c) {
  TENSH_ASSIGN(auto stack, StackOf(c));
  std::lock_guard lock(stack->mu);
  stack->values.clear();
  stack->closed = true;
  return {};
}

Status HandleShape(ShapeCtx& c) {
  c.Set(0, Shape({2}));
  return {};
}

constexpr char kOld[] = "(handle=tf.raw_ops.Stack(elem_type=tf.float32)";

// As graphs from before resources have them.
void AddOldStack(OpRegistry& r) {
  r.Op({.name = "Stack",
        .outputs = "handle: Ref(string)",
        .attrs = "elem_type: type, stack_name: string = ''",
        .doc = "A stack of tensors that lives for one step. elem_type is the type of its tensors, "
               "stack_name the name messages use; handle is what StackPush and StackPop take.",
        .shape = HandleShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.Stack(elem_type=tf.float32).op.type", "Stack"}}})
      .CpuAny(MakeOldStack, PrepareStack);
  r.Op({.name = "StackPush",
        .inputs = "handle: Ref(string), elem: T",
        .outputs = "output: T",
        .attrs = "T: type, swap_memory: bool = false",
        .doc = "Puts elem on the stack of handle. output is elem, T its type; swap_memory is "
               "accepted and means nothing where there is one memory.",
        .shape = SameAsInput<1>,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.StackPush", kOld, ", elem=2.)"), "2.0"}}})
      .CpuAny(Push);
  r.Op({.name = "StackPop",
        .inputs = "handle: Ref(string)",
        .outputs = "elem: elem_type",
        .attrs = "elem_type: type",
        .doc = "Takes the last tensor off the stack of handle: elem, of type elem_type.",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.StackPop", kOld, ", elem_type=tf.float32).op.type"),
                      "StackPop"}}})
      .CpuAny(Pop);
  r.Op({.name = "StackClose",
        .inputs = "handle: Ref(string)",
        .doc = "Frees what the stack of handle holds.",
        .shape = NoOutputs,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.StackClose", kOld, ").type"), "StackClose"}}})
      .CpuAny(CloseStack);
}

}  // namespace

TENSH_OPS(control_stack) {
  AddOldStack(r);
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
