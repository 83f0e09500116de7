#pragma once
// What MatMul and BatchMatMul read and check before they compute: the same on every device.
// Stateless.
#include "ops/support/broadcast.h"
#include "ops/support/gemm.h"

namespace tensh::ops {

Result<std::unique_ptr<KernelState>> PrepareMatMul(PrepareCtx& c);
// InvalidArgument when the inner sizes of the node's matrices differ.
Result<GemmDims> MatMulDims(KernelCtx& c);

// BatchMatMul: the last two dimensions are matrices, those before are broadcast.
struct BatchMatMulState : KernelState {
  bool adj_x, adj_y;
};
Result<std::unique_ptr<KernelState>> PrepareBatchMatMul(PrepareCtx& c);
Shape BatchDims(const Shape& s);
// Shapes of both inputs must have rank >= 2; extents may be unknown.
Result<Shape> BatchProductShape(const Shape& x, const Shape& y, bool adj_x, bool adj_y);
// Of a node with these inputs: the output, each product, and which matrix meets which.
struct BatchMatMulDims {
  Shape out;
  GemmDims each;
  BroadcastPlan plan;
  bool step_x, step_y;  // along a row of the plan
};
Result<BatchMatMulDims> BatchMatMulDimsOf(KernelCtx& c, const Tensor& x, const Tensor& y);

}  // namespace tensh::ops
