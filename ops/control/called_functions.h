#pragma once
// Helpers shared by the ops that call functions: lookup, calls, shapes and gradients.
#include "runtime/core/function.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// The functions that an op calls, in the order in which Prepare looked them up.
struct CallState : KernelState {
  std::vector<CalledFunction*> functions;
};

// Returns FailedPrecondition outside of a session, and NotFound if the function does not exist.
Result<CalledFunction*> FindFunction(PrepareCtx& c, const FuncAttr& function);
// Looks up the functions named by the given attributes. An attribute holds one function or a list.
Result<std::unique_ptr<KernelState>> PrepareFunctions(PrepareCtx& c,
                                                      std::initializer_list<const char*> attrs);
// Calls the function with inputs [first, …) and stores its results as the outputs.
Status CallFunction(KernelCtx& c, CalledFunction& function, int first);
// Stores the results of a call as outputs. Returns InvalidArgument if a type does not match.
Status GiveResults(KernelCtx& c, const CalledFunction& function, std::span<Tensor> results);
// Returns the truth value by TensorFlow's rule: a scalar is true unless it is 0 or the empty
// string, and any other tensor is true unless it is empty.
Result<bool> IsTrue(const Tensor& t);

// Shape function: uses the attribute output_shapes, if it is set. It must have one entry per
// output.
Status ShapesFromAttr(ShapeCtx& c);

// ---- gradients ----

// Returns {SymbolicGradient, f: function}, the function that computes the gradients of `function`.
FuncAttr GradientOf(const FuncAttr& function);
// Returns the types of the gradients of x(first), x(first + 1), ….
AttrValue::Types GradientTypes(GradScope& g, int first, std::span<const FuncAttr> functions);
// Returns the inputs of a gradient function: x(first), …, then one gradient per output. Appends
// their types to *types.
std::vector<Out> GradientInputs(GradScope& g, int first, AttrValue::Types* types);
// Returns the outputs of `call` as the gradients of the inputs from `first` on. Inputs that carry
// no gradient get none.
Status ReturnFrom(GradScope& g, Out call, int first, std::span<const FuncAttr> functions);

}  // namespace tensh::ops
