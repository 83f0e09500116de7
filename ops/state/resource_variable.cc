// Resource variables. A variable shares its buffer with the tensors that were read from it, so
// every update first makes the buffer unique (LockedVariables does this).
#include "ops/op_file.h"
#include "ops/state/handle_example.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/var_update.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct HandleState : KernelState {
  Tensor handle;
};

std::string ResourceName(PrepareCtx& c) {
  // As in TensorFlow, the name of the node is not used if shared_name is empty: all such handles
  // refer to the same variable.
  return InContainer(c.attrs(), c.attrs().String("shared_name"));
}

Result<std::unique_ptr<KernelState>> PrepareHandle(PrepareCtx& c) {
  const std::string name = ResourceName(c);
  const DType dtype = c.attrs().Type("dtype");
  auto variable = c.resources().FindOrMake<Variable>(name, [&] {
    auto made = std::make_shared<Variable>();
    made->name = name;
    made->dtype = dtype;
    return made;
  });
  if (!variable || variable->dtype != dtype)
    return InvalidArgument("the resource '", name, "' is not a variable of type ", Name(dtype));
  auto state = std::make_unique<HandleState>();
  state->handle = Tensor::Scalar(ResourceHandle{std::move(variable), name});
  return std::unique_ptr<KernelState>(std::move(state));
}

Status Handle(KernelCtx& c) {
  c.SetOutput(0, c.state<HandleState>().handle);
  return {};
}

Status NoValue(const Variable& variable) {
  return FailedPrecondition("Error while reading resource variable ", variable.name,
                            " from Container: localhost. This could mean that the variable was "
                            "uninitialized. Not found: Resource localhost/",
                            variable.name, "/N10tensorflow3VarE does not exist.");
}

Status Read(KernelCtx& c) {
  Variable* variable = c.variable(0);
  if (!variable) return NoVariable();
  Tensor value = variable->Read();
  if (!value) return NoValue(*variable);
  if (value.dtype() != c.out_dtype(0))
    return InvalidArgument("Trying to read variable with wrong dtype. Expected ",
                           SignatureName(c.out_dtype(0)), " got ", SignatureName(value.dtype()));
  c.SetOutput(0, std::move(value));
  return {};
}

struct AssignVariableState : KernelState {
  bool validate_shape;
  void Read(PrepareCtx& c) { validate_shape = c.attrs().Bool("validate_shape"); }
};

Status AssignVariable(KernelCtx& c) {
  Variable* variable = c.variable(0);
  if (!variable) return NoVariable();
  const Tensor& value = c.in(1);
  if (variable->dtype != value.dtype())
    return InvalidArgument("Trying to assign variable with wrong dtype. Expected ",
                           SignatureName(variable->dtype), " got ", SignatureName(value.dtype()));
  std::lock_guard lock(variable->mu);
  if (c.state<AssignVariableState>().validate_shape && variable->value &&
      !(variable->value.shape() == value.shape()))
    return InvalidArgument("Trying to assign to variable with tensor with wrong shape. Expected ",
                           variable->value.shape(), " got ", value.shape());
  variable->value = c.TakeInput(1);
  return {};
}

template <bool kSubtract>
struct UpdateVariable {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& update = c.in(1);
    LockedVariables<1> vars(c);
    if (const Variable* v = c.variable(0); v && !v->value)
      return NotFound("Resource localhost/", v->name, "/N10tensorflow3VarE does not exist.");
    TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
    if (vars[0].dtype() != update.dtype())
      return InvalidArgument("Trying to update a variable of another dtype");
    if (!(vars[0].shape() == update.shape()))
      return InvalidArgument("Cannot update variable with shape ", vars[0].shape(),
                             " using a Tensor with shape ", update.shape(),
                             ", shapes must be equal.");
    T* var = vars[0].template data<T>();
    const T* by = update.data<T>();
    for (int64_t i = 0; i < update.num_elements(); ++i)
      var[i] = kSubtract ? WrapSub(var[i], by[i]) : WrapAdd(var[i], by[i]);
    return {};
  }
};

Status IsInitialized(KernelCtx& c) {
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  Variable* variable = c.variable(0);
  *out->data<bool>() = variable && static_cast<bool>(variable->Read());
  return {};
}

struct DestroyState : KernelState {
  ResourceTable* resources;
  bool ignore_lookup_error;
  void Read(PrepareCtx& c) {
    resources = &c.resources();
    ignore_lookup_error = c.attrs().Bool("ignore_lookup_error");
  }
};

// Plans that hold the variable see it uninitialized.
Status Destroy(KernelCtx& c) {
  if (c.in(0).num_elements() != 1) return InvalidArgument("resource must be a scalar");
  const ResourceHandle& handle = *c.in(0).data<ResourceHandle>();
  const auto& state = c.state<DestroyState>();
  auto* variable = dynamic_cast<Variable*>(handle.resource.get());
  const bool gone = variable ? !variable->Read() : !state.resources->Find(handle.name);
  if (gone && !state.ignore_lookup_error)
    return NotFound("Resource localhost/", handle.name, " does not exist.");
  if (variable) {
    std::lock_guard lock(variable->mu);
    variable->value = Tensor();
  } else {
    state.resources->Erase(handle.name);
  }
  return {};
}

Status VariableShapeKernel(KernelCtx& c) {
  Variable* variable = c.variable(0);
  if (!variable) return NoVariable();
  Tensor value = variable->Read();
  if (!value) return NoValue(*variable);
  c.SetOutput(0, IndexVector(c.out_dtype(0), value.shape().dims()));
  return {};
}

Status HandleShape(ShapeCtx& c) {
  c.Set(0, Shape());
  return {};
}

// Shape inference stores the shape of a variable as the constant value of its handle.
Status ReadShape(ShapeCtx& c) {
  c.Set(0, c.ConstantAsShape(0));
  return {};
}

Status AssignedShape(ShapeCtx& c) { return Shape::Merge(c.ConstantAsShape(0), c.in(1)).status(); }

Status ReadGrad(GradScope& g) { return g.Return({g.dy(0)}); }

Status VariableShapeShape(ShapeCtx& c) {
  const Shape variable = c.ConstantAsShape(0);
  c.Set(0, variable.has_rank() ? Shape{variable.rank()} : Shape::UnknownOfRank(1));
  return {};
}

}  // namespace

TENSH_OPS(state_resource_variable) {
  r.Op({.name = "VarHandleOp",
        .outputs = "resource: resource",
        .attrs = "container: string = '', shared_name: string = '', debug_name: string = '', "
                 "dtype: type, shape: shape, allowed_devices: list(string) = []",
        .doc = "A handle to a variable of type dtype and the given shape. resource is the argument "
               "for other ops. If shared_name is not empty, nodes with the same shared_name in the "
               "same container refer to the same variable. debug_name and allowed_devices are "
               "ignored.",
        .shape = HandleShape,
        .no_gradient = true,
        .stateful = true,
        .role = OpRole::kVarHandle,
        .never_waits = true,
        .examples = {{"tf.raw_ops.VarIsInitializedOp(resource=tf.raw_ops.VarHandleOp("
                      "dtype=tf.float32, shape=[]))",
                      "False"}}})
      .CpuAny(Handle, PrepareHandle);
  r.Op({.name = "ReadVariableOp",
        .inputs = "resource: resource",
        .outputs = "value: dtype",
        .attrs = "dtype: type",
        .doc = "The value of the variable of resource, of type dtype. value does not change when "
               "the variable is updated later.",
        .contract = "resource: scalar",
        .shape = ReadShape,
        .grad = ReadGrad,
        .stateful = true,
        .role = OpRole::kReadVariable,
        .variable_type = "dtype",
        .examples = {{StrCat("tf.raw_ops.ReadVariableOp(resource=", HandleExample("1."),
                             ", dtype=tf.float32)"),
                      "1.0"}}})
      .CpuAny(Read);
  r.Op({.name = "AssignVariableOp",
        .inputs = "resource: resource, value: dtype",
        .attrs = "dtype: type, validate_shape: bool = false",
        .doc = "Assigns a value of type dtype to the variable of resource. validate_shape: the "
               "shape must not change.",
        .contract = "resource: scalar",
        .shape = AssignedShape,
        .no_gradient = true,
        .stateful = true,
        .variable_type = "dtype",
        .examples = {{"tf.Variable(1., use_resource=True).initializer", ""}}})
      .CpuAny(AssignVariable, PrepareFrom<AssignVariableState>);
  r.Op({.name = "AssignAddVariableOp",
        .inputs = "resource: resource, value: dtype",
        .attrs = "dtype: type",
        .doc = "Adds value, of type dtype, to the variable of resource.",
        .contract = "resource: scalar",
        .shape = AssignedShape,
        .no_gradient = true,
        .stateful = true,
        .variable_type = "dtype",
        .examples = {{StrCat("tf.raw_ops.AssignAddVariableOp(resource=", HandleExample("1."),
                             ", value=1.)"),
                      ""}}})
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           std::complex<float>, std::complex<double>>(UpdateVariable<false>{},
                                                      {.type_attr = "dtype"});
  r.Op({.name = "AssignSubVariableOp",
        .inputs = "resource: resource, value: dtype",
        .attrs = "dtype: type",
        .doc = "Subtracts value, of type dtype, from the variable of resource.",
        .contract = "resource: scalar",
        .shape = AssignedShape,
        .no_gradient = true,
        .stateful = true,
        .variable_type = "dtype",
        .examples = {{StrCat("tf.raw_ops.AssignSubVariableOp(resource=", HandleExample("1."),
                             ", value=1.)"),
                      ""}}})
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           std::complex<float>, std::complex<double>>(UpdateVariable<true>{},
                                                      {.type_attr = "dtype"});
  r.Op({.name = "VarIsInitializedOp",
        .inputs = "resource: resource",
        .outputs = "is_initialized: bool",
        .doc = "True if the variable of resource has a value: is_initialized is a scalar.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = true,
        .never_waits = true,
        .examples = {{"tf.is_variable_initialized(tf.Variable(1., use_resource=True))", "False"}}})
      .CpuAny(IsInitialized);
  r.Op({.name = "DestroyResourceOp",
        .inputs = "resource: resource",
        .attrs = "ignore_lookup_error: bool = true",
        .doc = "Destroys the resource. ignore_lookup_error: it need not exist.",
        .shape = NoOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.DestroyResourceOp(resource=tf.Variable(1., "
                      "use_resource=True).handle)",
                      ""}}})
      .CpuAny(Destroy, PrepareFrom<DestroyState>);
  r.Op({.name = "VariableShape",
        .inputs = "input: resource",
        .outputs = "output: out_type",
        .attrs = "out_type: {int32, int64} = int32",
        .doc = "The shape of the variable of input: output is a vector of type out_type.",
        .shape = VariableShapeShape,
        .no_gradient = true,
        .stateful = true,
        .never_waits = true,
        .examples = {{StrCat("tf.raw_ops.VariableShape(input=", HandleExample("[1., 2.]"), ")"),
                      "[2]"}}})
      .CpuAny(VariableShapeKernel);
}

}  // namespace tensh::ops
