#pragma once
// What the files of activations share: rows for a function and its gradient, the loop over two
// tensors that must agree, and the second gradient of functions that bend at zero. Stateless.
#include "ops/support/elementwise.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Gradients take (gradient, features) and must agree in shape.
inline Status CheckSameShape(KernelCtx& c) {
  if (c.in(0).shape() == c.in(1).shape()) return {};
  return InvalidArgument("inputs must have the same shape: ", c.in(0).shape(), " vs. ",
                         c.in(1).shape());
}

// The state of LeakyRelu and its gradient.
struct AlphaState : KernelState {
  float alpha = 0;
};
Result<std::unique_ptr<KernelState>> PrepareAlpha(PrepareCtx& c);

template <class T, class Fn>
Status MapGradient(KernelCtx& c, Fn fn) {
  TENSH_RETURN_IF_ERROR(CheckSameShape(c));
  return MapBinary<T>(c, fn);
}

// gradients * dy where the output is below zero, where the slope changes.
Out WhereBelowZero(GradScope& g);

// The row of a function of features, and of its gradient, which takes `second` too.
OpSpec ActivationSpec(std::string name, std::string attrs, std::string doc, GradFn grad,
                      Example example);
OpSpec ActivationGradSpec(std::string name, std::string attrs, std::string doc, std::string second,
                          GradFn grad, Example example);

}  // namespace tensh::ops
