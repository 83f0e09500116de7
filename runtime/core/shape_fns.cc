// Shape functions that many ops share, and the gradient of broadcasting.
#include "runtime/core/half.h"
#include "runtime/core/op_registry.h"

namespace tensh {

Status ShapeCtx::WithRank(int i, int rank) const {
  if (in(i).has_rank() && in(i).rank() != rank)
    return InvalidArgument("Shape must be rank ", rank, " but is rank ", in(i).rank(),
                           " for input ", i, ", which has shape ", in(i));
  return {};
}

Status ShapeCtx::WithRankAtLeast(int i, int rank) const {
  if (in(i).has_rank() && in(i).rank() < rank)
    return InvalidArgument("Shape must be at least rank ", rank, " but is rank ", in(i).rank(),
                           " for input ", i, ", which has shape ", in(i));
  return {};
}

Status BroadcastInputs(ShapeCtx& c) {
  TENSH_ASSIGN(Shape shape, BroadcastShapes(c.in(0), c.in(1)));
  for (int o = 0; o < c.num_outputs(); ++o) c.Set(o, shape);
  return {};
}

Status ScalarOutput(ShapeCtx& c) {
  for (int o = 0; o < c.num_outputs(); ++o) c.Set(o, Shape());
  return {};
}

Status NoOutputs(ShapeCtx&) { return {}; }
Status UnknownOutputs(ShapeCtx&) { return {}; }

FuncAttr GradScope::DefineFunction(std::string_view, const FunctionSpec&) { return {}; }
DType GradScope::HandleType(const FuncAttr&, int) const { return DType::kInvalid; }

namespace {

template <class T>
T MakeElement(double value) {
  if constexpr (kIsHalf<T>)
    return T(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <class... Ts>
Tensor ScalarOf(DType type, double value) {
  Tensor made;
  ((type == kDTypeOf<Ts> ? void(made = Tensor::Scalar<Ts>(MakeElement<Ts>(value))) : void()), ...);
  return made;
}

}  // namespace

Out GradScope::Like(double value, Out t, std::string_view name) {
  const DType type = BaseType(dtype(t));
  Tensor made = ScalarOf<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t,
                         std::complex<float>, std::complex<double>>(type, value);
  return Const(made ? std::move(made) : Tensor::Scalar<float>(static_cast<float>(value)), name);
}

Status GradScope::ReturnBroadcast(Out gradient0, Out gradient1) {
  // As in TensorFlow's math_ops, nothing is summed if both shapes are fully known and equal.
  Shape s0 = shape(x(0)), s1 = shape(x(1));
  if (s0.IsFullyKnown() && s1.IsFullyKnown() && s0 == s1) return Return({gradient0, gradient1});
  Out shape0 = Op("Shape", {x(0)}), shape1 = Op("Shape", {x(1)});
  Out axes = Op("BroadcastGradientArgs", {shape0, shape1});
  auto reduce = [&](Out gradient, int side, Out to) {
    if (!gradient) return gradient;
    return Op("Reshape", {Op("Sum", {gradient, Output(axes, side)}), to});
  };
  return Return({reduce(gradient0, 0, shape0), reduce(gradient1, 1, shape1)});
}

}  // namespace tensh
