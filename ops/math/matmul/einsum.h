#pragma once
// Einsum for any device. Moving elements is common to all (array_copy.h); each device supplies the
// sums and products.
#include "ops/math/matmul/gemm.h"
#include "runtime/core/kernel.h"

namespace tensh::ops {

struct EinsumMaths {
  // to[i] = the sum of run i of `from`; a run has `run` elements.
  Status (*sum)(KernelCtx& c, const Tensor& from, int64_t run, const Tensor& to);
  // `batch` products of matrices stored one after the other. `to` has at least one element.
  Status (*multiply)(KernelCtx& c, const GemmDims& each, int64_t batch, const Tensor& a,
                     const Tensor& b, const Tensor& to);
};

Result<std::unique_ptr<KernelState>> PrepareEinsum(PrepareCtx& c);
Status RunEinsum(KernelCtx& c, const EinsumMaths& maths);

}  // namespace tensh::ops
