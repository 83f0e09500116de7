#pragma once
// Input checks of MatMul and BatchMatMul, shared by the kernels of all devices. Stateless.
#include "ops/math/matmul/gemm.h"
#include "ops/support/broadcast.h"

namespace tensh::ops {

Result<std::unique_ptr<KernelState>> PrepareMatMul(PrepareCtx& c);
// Returns InvalidArgument if the inner extents of the node's matrices differ.
Result<GemmDims> MatMulDims(KernelCtx& c);

// BatchMatMul: the last two dimensions are matrices, the leading ones are broadcast.
struct BatchMatMulState : KernelState {
  bool adj_x, adj_y, is_input_x, is_input_y;  // as in GemmDims
};
Result<std::unique_ptr<KernelState>> PrepareBatchMatMul(PrepareCtx& c);
Shape BatchDims(const Shape& s);
// Both shapes must have rank >= 2; extents may be unknown.
Result<Shape> BatchProductShape(const Shape& x, const Shape& y, bool adj_x, bool adj_y);
// The dimensions of a BatchMatMul node: the shape of the output, the sizes of each product, and the
// pairing of the matrices.
struct BatchMatMulDims {
  Shape out;
  GemmDims each;
  BroadcastPlan plan;
  bool step_x, step_y;  // true if that operand advances along a row of the plan
};
Result<BatchMatMulDims> BatchMatMulDimsOf(KernelCtx& c, const Tensor& x, const Tensor& y);

}  // namespace tensh::ops
