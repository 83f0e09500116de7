#pragma once
// The product of a sparse matrix and a dense one, as far as it is the same on every device: its
// extents and checks. Plain values; the attributes live in a node's state.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// [left, inner] · [inner, right]. row, column: which of the two indices of a value is which.
struct SparseProduct {
  int64_t left = 0, inner = 0, right = 0;
  int row = 0, column = 1;  // row 1: the sparse factor's adjoint
  bool adjoint_b = false;
  // Element (k, j) of the dense factor.
  constexpr int64_t PlaceInB(int64_t k, int64_t j) const {
    return adjoint_b ? j * inner + k : k * right + j;
  }
};

Result<std::unique_ptr<KernelState>> PrepareSparseProduct(PrepareCtx& c);
// Of inputs (indices, values, shape, b), prepared so; of the indices no element is looked at.
Result<SparseProduct> SparseProductOf(KernelCtx& c);

}  // namespace tensh::ops
