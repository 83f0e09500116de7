#include "ops/math/matmul/matmul_dims.h"
#include "ops/support/prepare.h"
#include "runtime/core/joined.h"
#include "runtime/core/transposed_inputs.h"

namespace tensh::ops {
namespace {

struct MatMulState : JoinedState {
  bool transpose_a, transpose_b, is_input_a, is_input_b;
  void Read(PrepareCtx& c) {
    is_input_a = IsTransposed(c, 0);
    is_input_b = IsTransposed(c, 1);
    transpose_a = c.attrs().Bool("transpose_a") != is_input_a;
    transpose_b = c.attrs().Bool("transpose_b") != is_input_b;
    in_parts = true;
  }
};

// Returns the shape with its last two dimensions exchanged if `exchange` is set.
Shape Transposed(Shape s, bool exchange) {
  if (!exchange) return s;
  const int last = s.rank() - 1;
  const int64_t columns = s[last];
  s.set_dim(last, s[last - 1]);
  s.set_dim(last - 1, columns);
  return s;
}

}  // namespace

Result<std::unique_ptr<KernelState>> PrepareMatMul(PrepareCtx& c) {
  return PrepareFrom<MatMulState>(c);
}

Result<GemmDims> MatMulDims(KernelCtx& c) {
  const auto& s = c.state<MatMulState>();
  const Tensor &a = c.in(0), &b = c.in(1);
  const GemmDims d{.transpose_a = s.transpose_a,
                   .transpose_b = s.transpose_b,
                   .m = a.dim(s.transpose_a),
                   .n = b.dim(!s.transpose_b),
                   .k = a.dim(!s.transpose_a),
                   .is_input_a = s.is_input_a,
                   .is_input_b = s.is_input_b};
  if (b.dim(s.transpose_b) != d.k)
    return InvalidArgument("Matrix size-incompatible: In[0]: ", Transposed(a.shape(), s.is_input_a),
                           ", In[1]: ", Transposed(b.shape(), s.is_input_b));
  return d;
}

Result<std::unique_ptr<KernelState>> PrepareBatchMatMul(PrepareCtx& c) {
  auto state = std::make_unique<BatchMatMulState>();
  state->is_input_x = IsTransposed(c, 0);
  state->is_input_y = IsTransposed(c, 1);
  state->adj_x = c.attrs().Bool("adj_x") != state->is_input_x;
  state->adj_y = c.attrs().Bool("adj_y") != state->is_input_y;
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
  TENSH_ASSIGN(d.out, BatchProductShape(Transposed(x.shape(), s.is_input_x),
                                        Transposed(y.shape(), s.is_input_y),
                                        s.adj_x != s.is_input_x, s.adj_y != s.is_input_y));
  const int rank = d.out.rank();
  d.each = {.transpose_a = s.adj_x,
            .transpose_b = s.adj_y,
            .m = d.out[rank - 2],
            .n = d.out[rank - 1],
            .k = x.dim(x.rank() - 1 - s.adj_x),
            .is_input_a = s.is_input_x,
            .is_input_b = s.is_input_y};
  TENSH_RETURN_IF_ERROR(MakeBroadcastPlan(BatchDims(x.shape()), BatchDims(y.shape()), d.plan));
  d.step_x = d.plan.kind != RowKind::kScalarA;
  d.step_y = d.plan.kind != RowKind::kScalarB;
  return d;
}

}  // namespace tensh::ops
