#pragma once
// Helpers shared by the activation ops: registrations for a function and its gradient, the loop
// over two tensors of equal shape, and the second gradient of functions whose slope changes at
// zero. Stateless.
#include "ops/support/elementwise.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Checks that `gradient` and `features`, the inputs of every activation gradient, have equal
// shapes.
inline Status CheckSameShape(KernelCtx& c) {
  if (c.in(0).shape() == c.in(1).shape()) return {};
  return InvalidArgument("inputs must have the same shape: ", c.in(0).shape(), " vs. ",
                         c.in(1).shape());
}

// The state of LeakyRelu and its gradient.
struct AlphaState : KernelState {
  float alpha = 0;
  void Read(PrepareCtx& c);
};

// MapBinary for gradients, whose inputs do not broadcast.
template <class T, class Fn>
Status MapGradient(KernelCtx& c, Fn fn) {
  TENSH_RETURN_IF_ERROR(CheckSameShape(c));
  return MapBinary<T>(c, fn);
}

// Returns gradients * dy where the activation's output is below zero, and 0 elsewhere. This is the
// second gradient of a function whose slope depends on its value only below zero.
Out WhereBelowZero(GradScope& g);

// Return the registrations of a function of `features` and of its gradient. The gradient op also
// takes an input called `second`.
OpSpec ActivationSpec(OpText name, OpText attrs, std::string doc, GradFn grad, Example example);
OpSpec ActivationGradSpec(OpText name, OpText attrs, OpText doc, OpText second, GradFn grad,
                          Example example);

}  // namespace tensh::ops
