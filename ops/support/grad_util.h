#pragma once
// Small helpers that several gradients share.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Are both inputs' shapes and the gradient's fully known and equal? Then nothing was broadcast and
// the gradient needs no Sum and Reshape.
inline bool NothingBroadcast(GradScope& g) {
  const Shape x = g.shape(g.x(0));
  return x.IsFullyKnown() && x == g.shape(g.x(1)) && x == g.shape(g.dy());
}

// The gradients of a broadcasting binary op: as they are, or summed to the inputs' shapes.
inline Status ReturnBinary(GradScope& g, Out dx, Out dy) {
  if (NothingBroadcast(g)) return g.Return({dx, dy});
  return g.ReturnBroadcast(dx, dy);
}

}  // namespace tensh::ops
