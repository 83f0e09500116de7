#include "ops/control/called_functions.h"

#include <algorithm>

namespace tensh::ops {
namespace {

bool CarriesGradient(DType t) { return IsFloating(t) || IsComplex(t) || t == DType::kVariant; }

// Returns the type of the gradient of input i, or kInvalid for a handle that has no gradient.
DType GradientType(GradScope& g, int i, int first, std::span<const FuncAttr> functions) {
  const DType type = g.dtype(g.x(i));
  if (type != DType::kResource) return type;
  for (const FuncAttr& f : functions)
    if (DType t = g.HandleType(f, i - first); t != DType::kInvalid) return t;
  return DType::kInvalid;
}

}  // namespace

Result<CalledFunction*> FindFunction(PrepareCtx& c, const FuncAttr& function) {
  if (!c.functions())
    return FailedPrecondition("function ", function.name, " can only be called in a session");
  return c.functions()->Find(function, c.device_name());
}

Result<std::unique_ptr<KernelState>> PrepareFunctions(PrepareCtx& c,
                                                      std::initializer_list<const char*> attrs) {
  auto state = std::make_unique<CallState>();
  for (const char* attr : attrs) {
    TENSH_ASSIGN(CalledFunction * f, FindFunction(c, c.attrs().Func(attr)));
    state->functions.push_back(f);
  }
  return std::unique_ptr<KernelState>(std::move(state));
}

Status CallFunction(KernelCtx& c, CalledFunction& function, int first) {
  std::vector<Tensor> args, results(static_cast<size_t>(c.num_outputs()));
  args.reserve(static_cast<size_t>(c.num_inputs() - first));
  for (int i = first; i < c.num_inputs(); ++i) args.push_back(c.TakeInput(i));
  TENSH_RETURN_IF_ERROR(function.Run(c, args, results));
  return GiveResults(c, function, results);
}

Status GiveResults(KernelCtx& c, const CalledFunction& function, std::span<Tensor> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const DType wanted = c.out_dtype(static_cast<int>(i));
    if (results[i].dtype() != wanted)
      return InvalidArgument("result ", i, " of function ", function.name(), " is ",
                             Name(results[i].dtype()), ", expected ", Name(wanted));
    c.SetOutput(static_cast<int>(i), std::move(results[i]));
  }
  return {};
}

Result<bool> IsTrue(const Tensor& given) {
  if (given.rank() != 0) return given.num_elements() > 0;
  TENSH_ASSIGN(const Tensor t, given.CopyTo(HostAllocator()));
  if (t.dtype() == DType::kBool) return *t.data<bool>();
  if (t.dtype() == DType::kString) return !t.data<std::string>()->empty();
  if (t.dtype() == DType::kFloat) return *t.data<float>() != 0;
  if (t.dtype() == DType::kDouble) return *t.data<double>() != 0;
  if (!IsPod(t.dtype()))
    return InvalidArgument("a scalar of type ", Name(t.dtype()), " is neither true nor false");
  // -0. is the only number that equals 0 and has a non-zero byte.
  std::string bytes(static_cast<const char*>(t.raw()), static_cast<size_t>(t.bytes()));
  if (IsFloating(t.dtype())) bytes.back() = static_cast<char>(bytes.back() & 0x7f);
  return std::any_of(bytes.begin(), bytes.end(), [](char b) { return b != 0; });
}

Status ShapesFromAttr(ShapeCtx& c) {
  const AttrValue* attr = c.attrs().Find("output_shapes");
  const auto* shapes = attr ? attr->Find<AttrValue::Shapes>() : nullptr;
  if (!shapes || shapes->empty()) return {};
  if (shapes->size() != static_cast<size_t>(c.num_outputs()))
    return InvalidArgument("`output_shapes` must be the same length as num outputs (",
                           shapes->size(), " vs. ", c.num_outputs(), ")");
  for (int i = 0; i < c.num_outputs(); ++i) c.Set(i, (*shapes)[static_cast<size_t>(i)]);
  return {};
}

FuncAttr GradientOf(const FuncAttr& function) {
  return {"SymbolicGradient", std::make_shared<const std::vector<NamedAttr>>(
                                  std::vector<NamedAttr>{{"f", AttrValue(function)}})};
}

AttrValue::Types GradientTypes(GradScope& g, int first, std::span<const FuncAttr> functions) {
  AttrValue::Types types;
  for (int i = first; i < g.num_inputs(); ++i) {
    const DType type = GradientType(g, i, first, functions);
    types.push_back(type == DType::kInvalid ? DType::kFloat : type);
  }
  return types;
}

std::vector<Out> GradientInputs(GradScope& g, int first, AttrValue::Types* types) {
  std::vector<Out> inputs;
  auto add = [&](Out value) {
    inputs.push_back(value);
    types->push_back(g.dtype(value));
  };
  for (int i = first; i < g.num_inputs(); ++i) add(g.x(i));
  for (int i = 0; i < g.num_outputs(); ++i) {
    Out dy = g.dy(i);
    // The gradient function takes one input per result, but uses only those that carry a gradient.
    // The others are filled with zeros or with the result itself.
    const DType type = g.dtype(g.y(i));
    if (!dy)
      dy = IsPod(type) || type == DType::kVariant ? g.Op("ZerosLike", {g.y(i)}, {}, "zeros_like")
                                                  : g.y(i);
    add(dy);
  }
  return inputs;
}

Status ReturnFrom(GradScope& g, Out call, int first, std::span<const FuncAttr> functions) {
  std::vector<Out> dxs(static_cast<size_t>(first));
  for (int i = first; i < g.num_inputs(); ++i) {
    const DType type = GradientType(g, i, first, functions);
    const bool flows = call && type != DType::kInvalid && CarriesGradient(type);
    dxs.push_back(flows ? g.Output(call, i - first) : Out());
  }
  return g.Return(std::move(dxs));
}

}  // namespace tensh::ops
