#pragma once
// Small graph-building helpers that several gradients share.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Returns true if the shapes of both inputs and of the gradient are fully known and equal. Nothing
// was broadcast then, and the gradient needs no reduction.
inline bool NothingBroadcast(GradScope& g) {
  const Shape x = g.shape(g.x(0));
  return x.IsFullyKnown() && x == g.shape(g.x(1)) && x == g.shape(g.dy());
}

// Arithmetic on graph values. The node names are those of TensorFlow's Python gradients, where
// a * b creates a node named mul.
inline Out GradAdd(GradScope& g, Out a, Out b) { return g.Op("AddV2", {a, b}, {}, "add"); }
inline Out GradSub(GradScope& g, Out a, Out b) { return g.Op("Sub", {a, b}, {}, "sub"); }
inline Out GradDiv(GradScope& g, Out a, Out b) { return g.Op("RealDiv", {a, b}, {}, "truediv"); }
// GradZerosLike returns zeros of t's shape.
inline Out GradZerosLike(GradScope& g, Out t) { return g.Op("ZerosLike", {t}, {}, "zeros_like"); }
inline Out GradCast(GradScope& g, Out t, DType to) { return g.Op("Cast", {t}, {{"DstT", to}}); }
// Multiplies row i of `mat` by entry i of `vec`.
inline Out GradScaleRows(GradScope& g, Out vec, Out mat) {
  Out last = g.Const(Tensor::Scalar<int32_t>(-1), "ExpandDims/dim");
  return g.Mul(g.Op("ExpandDims", {vec, last}), mat);
}

}  // namespace tensh::ops
