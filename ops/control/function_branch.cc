// If and Case, whose branches are functions, and the ops that their conditions use: ToBool and
// DeviceIndex.
#include <limits>

#include "ops/control/called_functions.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

Result<std::unique_ptr<KernelState>> PrepareIf(PrepareCtx& c) {
  return PrepareFunctions(c, {"then_branch", "else_branch"});
}

Status RunIf(KernelCtx& c) {
  TENSH_ASSIGN(const bool cond, IsTrue(c.in(0)));
  return CallFunction(c, *c.state<CallState>().functions[cond ? 0 : 1], 1);
}

Result<std::unique_ptr<KernelState>> PrepareCase(PrepareCtx& c) {
  auto state = std::make_unique<CallState>();
  for (const FuncAttr& branch : c.attrs().Get<AttrValue::Funcs>("branches")) {
    TENSH_ASSIGN(CalledFunction * f, FindFunction(c, branch));
    state->functions.push_back(f);
  }
  if (state->functions.empty()) return InvalidArgument("Case needs at least one branch");
  return std::unique_ptr<KernelState>(std::move(state));
}

Status RunCase(KernelCtx& c) {
  const auto& branches = c.state<CallState>().functions;
  if (c.in(0).rank() != 0)
    return InvalidArgument("branch_index must be scalar, but has shape ", c.in(0).shape());
  const int32_t index = *c.in(0).data<int32_t>();
  const bool is_one = index >= 0 && static_cast<size_t>(index) < branches.size();
  return CallFunction(c, *(is_one ? branches[static_cast<size_t>(index)] : branches.back()), 1);
}

// The gradient is the same choice between the gradients of the branches.
Status BranchGrad(GradScope& g, std::span<const FuncAttr> functions, std::vector<NamedAttr> attrs) {
  AttrValue::Types in;
  const AttrValue::Types out = GradientTypes(g, 1, functions);
  std::vector<Out> inputs = GradientInputs(g, 1, &in);
  inputs.insert(inputs.begin(), g.x(0));
  AttrValue::Shapes shapes;
  for (int i = 1; i < g.num_inputs(); ++i)
    shapes.push_back(g.dtype(g.x(i)) == DType::kResource ? Shape::Unknown() : g.shape(g.x(i)));
  attrs.insert(attrs.end(), {{"Tin", in}, {"Tout", out}, {"output_shapes", shapes}});
  const Out call = out.empty() ? Out() : g.OpN(g.op_name(), inputs, std::move(attrs));
  return ReturnFrom(g, call, 1, functions);
}

Status IfGrad(GradScope& g) {
  const FuncAttr functions[] = {g.attrs().Func("then_branch"), g.attrs().Func("else_branch")};
  return BranchGrad(
      g, functions,
      {{"then_branch", GradientOf(functions[0])}, {"else_branch", GradientOf(functions[1])}});
}

Status CaseGrad(GradScope& g) {
  const auto& functions = g.attrs().Get<AttrValue::Funcs>("branches");
  AttrValue::Funcs gradients;
  for (const FuncAttr& f : functions) gradients.push_back(GradientOf(f));
  return BranchGrad(g, functions, {{"branches", gradients}});
}

Status ToBool(KernelCtx& c) {
  TENSH_ASSIGN(const bool value, IsTrue(c.in(0)));
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<bool>() = value;
  return {};
}

struct IndexState : KernelState {
  int32_t index = 0;
  // Finds the index of the node's device type in the attribute device_names.
  Status Read(PrepareCtx& c) {
    const auto& names = c.attrs().Get<AttrValue::Strings>("device_names");
    if (names.size() > std::numeric_limits<int32_t>::max())
      return InvalidArgument("too many device names");
    const std::string device(c.device_name());
    const std::string type = device.find("device:") == device.npos
                                 ? "CPU"
                                 : device.substr(device.find("device:") + 7,
                                                 device.rfind(':') - device.find("device:") - 7);
    index = static_cast<int32_t>(names.size());
    for (size_t i = names.size(); i-- > 0;)
      if (names[i] == type) index = static_cast<int32_t>(i);
    return {};
  }
};

Status GiveIndex(KernelCtx& c) {
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int32_t>() = c.state<IndexState>().index;
  return {};
}

// The value of a FakeParam, which is never used: zeros with unknown extents set to zero.
struct FakeState : KernelState {
  Tensor value;
  Status Read(PrepareCtx& c) {
    Shape shape = c.attrs().Get<Shape>("shape");
    if (!shape.IsFullyKnown()) shape = Shape({0});
    TENSH_ASSIGN(value, Tensor::Make(c.attrs().Type("dtype"), shape));
    if (IsPod(value.dtype()) && value.bytes())
      std::memset(value.raw(), 0, static_cast<size_t>(value.bytes()));
    return {};
  }
};

Status GiveFake(KernelCtx& c) {
  c.SetOutput(0, c.state<FakeState>().value);
  return {};
}

Status FakeShape(ShapeCtx& c) {
  c.Set(0, c.attrs().Get<Shape>("shape"));
  return {};
}

OpSpec BranchSpec(const char* name, bool is_if, bool stateful) {
  OpSpec spec{.name = name,
              .inputs = is_if ? "cond: Tcond, input: Tin" : "branch_index: int32, input: Tin",
              .outputs = "output: Tout",
              .shape = ShapesFromAttr,
              .grad = is_if ? IfGrad : CaseGrad,
              .stateful = stateful,
              .first_call_input = 1};
  const std::string rest =
      " with input, of the types Tin. Its results have the types Tout and, if given, the shapes "
      "output_shapes.";
  if (is_if) {
    spec.attrs =
        "Tcond: type, Tin: list(type) >= 0, Tout: list(type) >= 0, then_branch: func, "
        "else_branch: func, output_shapes: list(shape) = []";
    spec.doc =
        "Calls one of two functions: then_branch if cond is true, otherwise else_branch. A scalar "
        "of type Tcond is true if it is not 0 or ''; any other tensor is true if it has elements. "
        "The function is called" +
        rest;
  } else {
    spec.attrs =
        "Tin: list(type) >= 0, Tout: list(type) >= 0, branches: list(func) >= 1, "
        "output_shapes: list(shape) = []";
    spec.doc =
        "Calls one of several functions: the element of branches at branch_index, or the last one "
        "if the index is out of range. The function is called" +
        rest;
  }
  spec.examples = {{StrCat("tf.raw_ops.", name, ".__name__"), name}};
  return spec;
}

}  // namespace

TENSH_OPS(control_function_branch) {
  r.Op(BranchSpec("If", true, true)).CpuAny(RunIf, PrepareIf);
  r.Op(BranchSpec("StatelessIf", true, false)).CpuAny(RunIf, PrepareIf);
  r.Op(BranchSpec("Case", false, true)).CpuAny(RunCase, PrepareCase);
  r.Op(BranchSpec("StatelessCase", false, false)).CpuAny(RunCase, PrepareCase);
  r.Op({.name = "ToBool",
        .inputs = "input: T",
        .outputs = "output: bool",
        .attrs = "T: type",
        .doc = "True if input, of type T, is a scalar other than 0 or '', or another tensor that "
               "has elements.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ToBool(input=0.5)", "True"},
                     {"tf.raw_ops.ToBool(input=tf.zeros([0]))", "False"}}})
      .CpuAny(ToBool);
  r.Op({.name = "DeviceIndex",
        .outputs = "index: int32",
        .attrs = "device_names: list(string)",
        .doc = "The position of this device's type in device_names, or their number if it is not "
               "among them.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.DeviceIndex(device_names=['GPU', 'CPU'])", "1"}}})
      .CpuAny(GiveIndex, PrepareFrom<IndexState>);
  r.Op({.name = "FakeParam",
        .outputs = "output: dtype",
        .attrs = "dtype: type, shape: shape",
        .doc = "A placeholder tensor of type dtype that is never used, for a value that only the "
               "other branch of an If has. shape is the known part of its shape.",
        .shape = FakeShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.FakeParam(dtype=tf.float32, shape=[2])", "[0. 0.]"}}})
      .CpuAny(GiveFake, PrepareFrom<FakeState>);
}

}  // namespace tensh::ops
