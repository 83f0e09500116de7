#pragma once
// Products and adjoints of batches of matrices, for the gradients of linear algebra.
#include <vector>

#include "ops/support/complex_types.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {

// Returns a * b, with the adjoint of either on request. Single matrices use MatMul, which
// transposes but does not conjugate.
inline Out MatrixProduct(GradScope& g, Out a, Out b, bool adj_x = false, bool adj_y = false) {
  const Shape x = g.shape(a), y = g.shape(b);
  if (x.rank() == 2 && y.rank() == 2)
    return g.Op("MatMul", {adj_x ? Conj(g, a) : a, adj_y ? Conj(g, b) : b},
                {{"transpose_a", adj_x}, {"transpose_b", adj_y}});
  return g.Op("BatchMatMulV2", {a, b}, {{"adj_x", adj_x}, {"adj_y", adj_y}}, "MatMul");
}

inline Out MatrixEye(GradScope& g, Out like) {
  return g.Op("MatrixDiag", {g.Op("OnesLike", {g.Op("MatrixDiagPart", {like})})});
}

inline Out MatrixAdjoint(GradScope& g, Out a) {
  const Shape s = g.shape(a);
  // The rank is unknown, so the permutation for Transpose is unknown too. A product with the
  // identity gives the adjoint without it.
  if (!s.has_rank()) return MatrixProduct(g, a, MatrixEye(g, a), true, false);
  std::vector<int64_t> order(static_cast<size_t>(s.rank()));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return g.Op("Transpose",
              {Conj(g, a), g.Const(IndexVector(DType::kInt32, order), "transpose/perm")}, {},
              "transpose");
}

}  // namespace tensh::ops
