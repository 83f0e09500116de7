#include "ops/support/matmul_op.h"

namespace tensh::ops {
namespace {

struct MatMulState : KernelState {
  bool transpose_a, transpose_b;
};

}  // namespace

Result<std::unique_ptr<KernelState>> PrepareMatMul(PrepareCtx& c) {
  auto state = std::make_unique<MatMulState>();
  state->transpose_a = c.attrs().Bool("transpose_a");
  state->transpose_b = c.attrs().Bool("transpose_b");
  return {std::move(state)};
}

Result<GemmDims> MatMulDims(KernelCtx& c) {
  const auto& s = c.state<MatMulState>();
  const Tensor &a = c.in(0), &b = c.in(1);
  const GemmDims d{s.transpose_a, s.transpose_b, a.dim(s.transpose_a), b.dim(!s.transpose_b),
                   a.dim(!s.transpose_a)};
  if (b.dim(s.transpose_b) != d.k)
    return InvalidArgument("Matrix size-incompatible: In[0]: ", a.shape(), ", In[1]: ", b.shape());
  return d;
}

}  // namespace tensh::ops
