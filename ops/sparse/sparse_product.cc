#include "ops/sparse/sparse_product.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

struct ProductState : KernelState {
  bool adjoint_a = false, adjoint_b = false;
  void Read(PrepareCtx& c) {
    adjoint_a = c.attrs().Bool("adjoint_a");
    adjoint_b = c.attrs().Bool("adjoint_b");
  }
};

}  // namespace

Result<std::unique_ptr<KernelState>> PrepareSparseProduct(PrepareCtx& c) {
  return PrepareFrom<ProductState>(c);
}

Result<SparseProduct> SparseProductOf(KernelCtx& c) {
  const Tensor &indices = c.in(0), &values = c.in(1), &shape = c.in(2), &b = c.in(3);
  if (shape.rank() != 1 || shape.num_elements() != 2)
    return InvalidArgument("Tensor 'a_shape' must have 2 elements");
  if (indices.dim(0) != values.num_elements())
    return InvalidArgument(
        "Number of rows of a_indices does not match number of entries in "
        "a_values");
  if (indices.dim(1) != 2)
    return InvalidArgument(
        "Number of columns of a_indices does not match number of entries in "
        "a_shape");
  const auto& state = c.state<ProductState>();
  SparseProduct p;
  p.row = state.adjoint_a ? 1 : 0;
  p.column = 1 - p.row;
  p.adjoint_b = state.adjoint_b;
  p.left = shape.data<int64_t>()[p.row];
  p.inner = shape.data<int64_t>()[p.column];
  p.right = b.dim(p.adjoint_b ? 0 : 1);
  if (p.left < 0 || p.inner != b.dim(p.adjoint_b ? 1 : 0))
    return InvalidArgument("Cannot multiply A and B because inner dimension does not match: ",
                           p.inner, " vs. ", b.dim(p.adjoint_b ? 1 : 0));
  const int64_t dims[] = {p.left, p.right};
  TENSH_RETURN_IF_ERROR(Shape::Make(dims, true).status());
  return p;
}

}  // namespace tensh::ops
