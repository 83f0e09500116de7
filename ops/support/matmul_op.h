#pragma once
// What MatMul reads and checks before it computes: the same on every device. Stateless.
#include "ops/support/gemm.h"

namespace tensh::ops {

Result<std::unique_ptr<KernelState>> PrepareMatMul(PrepareCtx& c);
// InvalidArgument when the inner sizes of the node's matrices differ.
Result<GemmDims> MatMulDims(KernelCtx& c);

}  // namespace tensh::ops
