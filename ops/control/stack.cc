// Stacks of tensors, in which a loop saves the values of every iteration for its gradient.
#include <atomic>

#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/tensor_list.h"

namespace tensh::ops {
namespace {

// The variable behind the handle of the old ops. Before resource handles, such handles were
// references to strings.
class StackReference : public Variable {
 public:
  std::shared_ptr<TensorStack> stack;
};

Result<std::shared_ptr<TensorStack>> StackOf(KernelCtx& c) {
  const Tensor& handle = c.in(0);
  if (handle.dtype() != DType::kResource) return NotFound("the handle is not that of a Stack");
  if (handle.num_elements() == 1)
    if (auto* old = dynamic_cast<StackReference*>(handle.data<ResourceHandle>()->resource.get()))
      return old->stack;
  return HeldBy<TensorStack>(c, 0, "Stack");
}

struct StackState : KernelState {
  std::string name;
  DType dtype = DType::kInvalid;
  void Read(PrepareCtx& c) {
    name = c.attrs().String("stack_name").empty() ? std::string(c.node_name())
                                                  : c.attrs().String("stack_name");
    dtype = c.attrs().Type("elem_type");
  }
};

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
  // The text of every handle differs, as that of TensorFlow's handles does.
  static std::atomic<int64_t> made{0};
  const std::string parts[] = {"_stacks", StrCat(state.name, "_", made++)};
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
constexpr char kNew[] = "tf.raw_ops.StackV2(max_size=-1, elem_type=tf.float32)";

// The ops of graphs older than resource handles.
void AddOldStack(OpRegistry& r) {
  r.Op({.name = "Stack",
        .outputs = "handle: Ref(string)",
        .attrs = "elem_type: type, stack_name: string = ''",
        .doc = "A stack of tensors that lives for one step. elem_type is the type of its tensors, "
               "stack_name the name used in messages. handle is the argument for StackPush and "
               "StackPop.",
        .shape = HandleShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.StackPush", kOld, ", elem=2.)"), "2.0"}}})
      .CpuAny(MakeOldStack, PrepareFrom<StackState>);
  r.Op({.name = "StackPush",
        .inputs = "handle: Ref(string), elem: T",
        .outputs = "output: T",
        .attrs = "T: type, swap_memory: bool = false",
        .doc = "Pushes elem on the stack of handle. output is elem, T its type. swap_memory is "
               "ignored.",
        .shape = SameAsInput<1>,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.StackPush", kOld, ", elem=2.)"), "2.0"}}})
      .CpuAny(Push);
  r.Op({.name = "StackPop",
        .inputs = "handle: Ref(string)",
        .outputs = "elem: elem_type",
        .attrs = "elem_type: type",
        .doc = "Pops the last tensor from the stack of handle: elem, of type elem_type.",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .examples = {{"[tf.raw_ops.StackPush(handle=(h := tf.raw_ops.Stack(elem_type=tf.float32)), "
                      "elem=2.), tf.raw_ops.StackPop(handle=h, elem_type=tf.float32)]",
                      "[2.0, 2.0]"}}})
      .CpuAny(Pop);
  r.Op({.name = "StackClose",
        .inputs = "handle: Ref(string)",
        .doc = "Frees the tensors on the stack of handle.",
        .shape = NoOutputs,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.StackClose", kOld, ")"), ""}}})
      .CpuAny(CloseStack);
}

}  // namespace

TENSH_OPS(control_stack) {
  AddOldStack(r);
  r.Op({.name = "StackV2",
        .inputs = "max_size: int32",
        .outputs = "handle: resource",
        .attrs = "elem_type: type, stack_name: string = ''",
        .doc = "A stack of tensors that lives for one step. max_size limits it unless it is "
               "negative, elem_type is the type of its tensors, stack_name the name used in "
               "messages. handle is the argument for StackPushV2 and StackPopV2.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.StackPushV2(handle=", kNew, ", elem=2.)"), "2.0"}}})
      .CpuAny(MakeStack, PrepareFrom<StackState>);
  r.Op({.name = "StackPushV2",
        .inputs = "handle: resource, elem: T",
        .outputs = "output: T",
        .attrs = "T: type, swap_memory: bool = false",
        .doc = "Pushes elem on the stack of handle. output is elem, T its type. swap_memory is "
               "ignored.",
        .shape = SameAsInput<1>,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.StackPushV2(handle=", kNew, ", elem=2.)"), "2.0"}}})
      .CpuAny(Push);
  r.Op({.name = "StackPopV2",
        .inputs = "handle: resource",
        .outputs = "elem: elem_type",
        .attrs = "elem_type: type",
        .doc = "Pops the last tensor from the stack of handle: elem, of type elem_type.",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.StackPopV2(handle=tf.tuple([(h := ", kNew,
                             ")], control_inputs=[tf.raw_ops.StackPushV2(handle=h, elem=2.)])[0], "
                             "elem_type=tf.float32)"),
                      "2.0"}}})
      .CpuAny(Pop);
  r.Op({.name = "StackCloseV2",
        .inputs = "handle: resource",
        .doc = "Frees the tensors on the stack of handle.",
        .shape = NoOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.StackCloseV2(handle=", kNew, ")"), ""}}})
      .CpuAny(CloseStack);
}

}  // namespace tensh::ops
