#include "ops/math/matmul/matmul_dims.h"
#include "ops/support/prepare.h"
#include "runtime/core/joined.h"

namespace tensh::ops {
namespace {

struct MatMulState : JoinedState {
  bool transpose_a, transpose_b;
  void Read(PrepareCtx& c) {
    transpose_a = c.attrs().Bool("transpose_a");
    transpose_b = c.attrs().Bool("transpose_b");
    in_parts = true;
  }
};

}  // namespace

Result<std::unique_ptr<KernelState>> PrepareMatMul(PrepareCtx& c) {
  return PrepareFrom<MatMulState>(c);
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

Result<std::unique_ptr<KernelState>> PrepareBatchMatMul(PrepareCtx& c) {
  auto state = std::make_unique<BatchMatMulState>();
  state->adj_x = c.attrs().Bool("adj_x");
  state->adj_y = c.attrs().Bool("adj_y");
  return {std::move(state)};
}

Shape BatchDims(const Shape& s) { return Shape(s.dims().first(static_cast<size_t>(s.rank() - 2))); }

Result<Shape> BatchProductShape(const Shape& x, const Shape& y, bool adj_x, bool adj_y) {
  const int last_x = x.rank() - 1, last_y = y.rank() - 1;
  const int64_t inner_x = x[last_x - adj_x], inner_y = y[last_y - !adj_y];
  if (inner_x >= 0 && inner_y >= 0 && inner_x != inner_y)
    return InvalidArgument("Matrix size-incompatible: In[0]: ", x, ", In[1]: ", y);
  Result<Shape> batch = BroadcastShapes(BatchDims(x), BatchDims(y));
  if (!batch.ok())
    return InvalidArgument("In[0] and In[1] must have compatible batch dimensions: ", x, " vs. ",
                           y);
  Shape out = *batch;
  out.Append(x[last_x - !adj_x]);
  out.Append(y[last_y - adj_y]);
  return out;
}

Result<BatchMatMulDims> BatchMatMulDimsOf(KernelCtx& c, const Tensor& x, const Tensor& y) {
  const auto& s = c.state<BatchMatMulState>();
  BatchMatMulDims d;
  TENSH_ASSIGN(d.out, BatchProductShape(x.shape(), y.shape(), s.adj_x, s.adj_y));
  const int rank = d.out.rank();
  d.each = {s.adj_x, s.adj_y, d.out[rank - 2], d.out[rank - 1], x.dim(x.rank() - 1 - s.adj_x)};
  TENSH_RETURN_IF_ERROR(MakeBroadcastPlan(BatchDims(x.shape()), BatchDims(y.shape()), d.plan));
  d.step_x = d.plan.kind != RowKind::kScalarA;
  d.step_y = d.plan.kind != RowKind::kScalarB;
  return d;
}

}  // namespace tensh::ops
