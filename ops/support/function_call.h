#pragma once
// What ops that call functions share.
#include "runtime/core/function.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// The functions an op calls, in the order its Prepare looked them up.
struct CallState : KernelState {
  std::vector<CalledFunction*> functions;
};

// FailedPrecondition outside of a session, NotFound when there is no such function.
Result<CalledFunction*> FindFunction(PrepareCtx& c, const FuncAttr& function);
// Looks up one attribute, or several, each a function.
Result<std::unique_ptr<KernelState>> PrepareFunctions(PrepareCtx& c,
                                                      std::initializer_list<const char*> attrs);
// Inputs [first, …) go to the function, what it gives becomes the outputs.
Status CallFunction(KernelCtx& c, CalledFunction& function, int first);
// Results of a call as outputs; InvalidArgument when one has another type.
Status GiveResults(KernelCtx& c, const CalledFunction& function, std::span<Tensor> results);
// TensorFlow's truth: a scalar that is not 0 or "", or any elements at all.
Result<bool> IsTrue(const Tensor& t);

// The shapes in attribute output_shapes where it has one for each output.
Status ShapesFromAttr(ShapeCtx& c);

// ---- gradients ----

// {SymbolicGradient, f: function}: the function that gives the gradients of `function`.
FuncAttr GradientOf(const FuncAttr& function);
// The types of x(first), x(first + 1), … as gradients of them have them.
AttrValue::Types GradientTypes(GradScope& g, int first, std::span<const FuncAttr> functions);
// x(first) …, then a gradient for each output: what a gradient function takes. types: of them.
std::vector<Out> GradientInputs(GradScope& g, int first, AttrValue::Types* types);
// The outputs of `call` for inputs from `first` on; nothing for what carries no gradient.
Status ReturnFrom(GradScope& g, Out call, int first, std::span<const FuncAttr> functions);

}  // namespace tensh::ops
