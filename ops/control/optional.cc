// Optionals: variants that hold the components of a dataset element, or nothing.
#include "ops/control/optional_value.h"
#include "ops/op_file.h"
#include "ops/support/list_variant.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

constexpr char kMake[] = "tf.raw_ops.OptionalFromValue(components=[1., 2])";

Status FromValue(KernelCtx& c) {
  std::vector<Tensor> components;
  for (int i = 0; i < c.num_inputs(); ++i) components.push_back(c.in(i));
  c.SetOutput(0, VariantTensor(std::make_shared<OptionalValue>(true, std::move(components))));
  return {};
}

Status None(KernelCtx& c) {
  c.SetOutput(0, VariantTensor(std::make_shared<OptionalValue>(false, std::vector<Tensor>())));
  return {};
}

Result<const OptionalValue*> OptionalIn(KernelCtx& c) {
  if (c.in(0).num_elements() != 1)
    return InvalidArgument("optional must be a scalar, but has shape ", c.in(0).shape());
  const auto* value = dynamic_cast<const OptionalValue*>(c.in(0).data<Variant>()->value.get());
  if (!value) return InvalidArgument("The input must be an optional");
  return value;
}

Status HasValue(KernelCtx& c) {
  TENSH_ASSIGN(const OptionalValue* value, OptionalIn(c));
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<bool>() = value->has_value;
  return {};
}

struct ValueState : KernelState {
  AttrValue::Shapes shapes;
  Status Read(PrepareCtx& c) {
    shapes = c.attrs().Get<AttrValue::Shapes>("output_shapes");
    if (shapes.size() != static_cast<size_t>(c.num_outputs()))
      return InvalidArgument("output_types and output_shapes must be same length, got:\n",
                             c.num_outputs(), " and ", shapes.size());
    return {};
  }
};

Status GetValue(KernelCtx& c) {
  TENSH_ASSIGN(const OptionalValue* value, OptionalIn(c));
  if (!value->has_value) return InvalidArgument("The given optional does not have a value.");
  const std::vector<Tensor> components = value->components;
  if (components.size() != static_cast<size_t>(c.num_outputs()))
    return InvalidArgument("The given optional has ", components.size(), " components, expected ",
                           c.num_outputs(), ".");
  for (int i = 0; i < c.num_outputs(); ++i) {
    const Tensor& t = components[static_cast<size_t>(i)];
    if (t.dtype() != c.out_dtype(i))
      return InvalidArgument("The given optional does not match the expected type for component ",
                             i, ". Expected: ", Name(c.out_dtype(i)), ". Actual: ", Name(t.dtype()),
                             ".");
    const Shape& shape = c.state<ValueState>().shapes[static_cast<size_t>(i)];
    if (!shape.IsCompatibleWith(t.shape()))
      return InvalidArgument("The given optional does not match the expected shape for component ",
                             i, ". Expected: ", shape, ". Actual: ", t.shape(), ".");
    c.SetOutput(i, t);
  }
  return {};
}

Status ValueShape(ShapeCtx& c) {
  const auto& shapes = c.attrs().Get<AttrValue::Shapes>("output_shapes");
  for (size_t i = 0; i < shapes.size() && static_cast<int>(i) < c.num_outputs(); ++i)
    c.Set(static_cast<int>(i), shapes[i]);
  return {};
}

Status FromValueGrad(GradScope& g) {
  AttrValue::Types types;
  AttrValue::Shapes shapes;
  for (int i = 0; i < g.num_inputs(); ++i) {
    types.push_back(g.dtype(g.x(i)));
    shapes.push_back(g.shape(g.x(i)));
  }
  const Out values =
      g.Op("OptionalGetValue", {g.dy(0)}, {{"output_types", types}, {"output_shapes", shapes}});
  std::vector<Out> dxs;
  for (int i = 0; i < g.num_inputs(); ++i) dxs.push_back(g.Output(values, i));
  return g.Return(std::move(dxs));
}

Status GetValueGrad(GradScope& g) {
  std::vector<Out> values;
  for (int i = 0; i < g.num_outputs(); ++i)
    values.push_back(g.dy(i) ? g.dy(i) : g.Op("ZerosLike", {g.y(i)}, {}, "zeros_like"));
  return g.Return({g.OpN("OptionalFromValue", values)});
}

}  // namespace

TENSH_OPS(control_optional) {
  AddVariantReader(OptionalValue::kTypeName, OptionalValue::Read);
  r.Op({.name = "OptionalFromValue",
        .inputs = "components: Toutput_types",
        .outputs = "optional: variant",
        .attrs = "Toutput_types: list(type) >= 1",
        .doc = "An optional that contains components, of the types Toutput_types.",
        .shape = HandleShape,
        .grad = FromValueGrad,
        .examples = {{StrCat("tf.raw_ops.OptionalHasValue(optional=", kMake, ")"), "True"}}})
      .CpuAny(FromValue);
  r.Op({.name = "OptionalNone",
        .outputs = "optional: variant",
        .doc = "An empty optional.",
        .shape = HandleShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.OptionalHasValue(optional=tf.raw_ops.OptionalNone())", "False"}}})
      .CpuAny(None);
  r.Op({.name = "OptionalHasValue",
        .inputs = "optional: variant",
        .outputs = "has_value: bool",
        .doc = "True if optional contains a value.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.OptionalHasValue(optional=", kMake, ")"), "True"}}})
      .CpuAny(HasValue);
  r.Op({.name = "OptionalGetValue",
        .inputs = "optional: variant",
        .outputs = "components: output_types",
        .attrs = "output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        .doc = "The value in optional, of the types output_types and the shapes output_shapes.",
        .shape = ValueShape,
        .grad = GetValueGrad,
        .examples = {{StrCat("tf.raw_ops.OptionalGetValue(optional=", kMake,
                             ", output_types=[tf.float32, tf.int32], output_shapes=[[], []])[1]"),
                      "2"}}})
      .CpuAny(GetValue, PrepareFrom<ValueState>);
}

}  // namespace tensh::ops
