#pragma once
// The product of a sparse and a dense matrix: extents and input checks, shared by the kernels of
// all devices. Plain values; the attributes are in the node's state.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// The product [left, inner] · [inner, right]. `row` and `column` select the coordinates of a sparse
// value.
struct SparseProduct {
  int64_t left = 0, inner = 0, right = 0;
  int row = 0, column = 1;  // exchanged if the adjoint of the sparse factor is used
  bool adjoint_b = false;
  // Returns the offset of element (k, j) of the dense factor.
  constexpr int64_t PlaceInB(int64_t k, int64_t j) const {
    return adjoint_b ? j * inner + k : k * right + j;
  }
};

Result<std::unique_ptr<KernelState>> PrepareSparseProduct(PrepareCtx& c);
// Reads the inputs (indices, values, shape, b) of a prepared node. Does not check the indices'
// values, which may be in GPU memory.
Result<SparseProduct> SparseProductOf(KernelCtx& c);

}  // namespace tensh::ops
