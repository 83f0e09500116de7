#pragma once
// Parts of the patterns that integer_conv.cc matches. `made` receives the inner values.
#include "ops/nn/conv/window.h"

namespace tensh::ops {

inline bool IsOp(const NodesBefore& g, uint32_t v, std::string_view name) {
  const OpDef* op = g.OpOf(v);
  return op && op->name == name;
}

inline bool IsScalar(const NodesBefore& g, uint32_t v, float wanted) {
  const Tensor* t = g.ConstantOf(v);
  return t && t->dtype() == DType::kFloat && t->num_elements() == 1 &&
         t->data<float>()[0] == wanted;
}

// Bytes minus a zero point, as floats. Returns the bytes, or UINT32_MAX.
inline uint32_t MatchBytes(const NodesBefore& g, uint32_t v, int64_t& zero, JoinedKernel& made) {
  if (!IsOp(g, v, "Cast") || g.TypeOf(v) != DType::kFloat) return UINT32_MAX;
  made.inner.push_back(v);
  v = g.InputOf(v, 0);
  zero = 0;
  if (IsOp(g, v, "Sub")) {
    const Tensor* t = g.ConstantOf(g.InputOf(v, 1));
    if (!t || t->dtype() != DType::kInt32 || t->num_elements() != 1 || t->rank()) return UINT32_MAX;
    zero = t->data<int32_t>()[0];
    made.inner.push_back(v);
    v = g.InputOf(v, 0);
  }
  if (g.TypeOf(v) == DType::kInt32) {
    if (!IsOp(g, v, "Cast")) return UINT32_MAX;
    made.inner.push_back(v);
    v = g.InputOf(v, 0);
  }
  return g.TypeOf(v) == DType::kInt8 || g.TypeOf(v) == DType::kUint8 ? v : UINT32_MAX;
}

}  // namespace tensh::ops
