#pragma once
// Einstein's summation on any device: what moves elements is the same everywhere (array_copy.h),
// sums and products are the device's.
#include "ops/support/gemm.h"
#include "runtime/core/kernel.h"

namespace tensh::ops {

struct EinsumMaths {
  // to[i] = the sum of run number i, of `run` elements.
  Status (*sum)(KernelCtx& c, const Tensor& from, int64_t run, const Tensor& to);
  // `batch` products of matrices that lie behind one another; there is an element in `to`.
  Status (*multiply)(KernelCtx& c, const GemmDims& each, int64_t batch, const Tensor& a,
                     const Tensor& b, const Tensor& to);
};

Result<std::unique_ptr<KernelState>> PrepareEinsum(PrepareCtx& c);
Status RunEinsum(KernelCtx& c, const EinsumMaths& maths);

}  // namespace tensh::ops
