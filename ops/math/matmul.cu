#include "devices/cuda/cuda_kernel.h"
#include "ops/support/matmul_op.h"

namespace tensh::cuda {
namespace {

struct MatMul {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const ops::GemmDims d, ops::MatMulDims(c));
    TENSH_OUTPUT(y, c.Output(0, Shape({d.m, d.n})));
    if (d.m == 0 || d.n == 0) return {};
    if (d.k == 0) {
      const auto out = Out<T>(y);
      return ForEach(c, d.m * d.n, [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); });
    }
    return Gemm<T>(c, d.transpose_a, d.transpose_b, d.m, d.n, d.k, c.in(0).raw(), c.in(1).raw(),
                   y->raw());
  }
};

// One call where each matrix of a batch meets its own or all meet one; else a call a product.
struct BatchMatMul {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &x = c.in(0), &y = c.in(1);
    TENSH_ASSIGN(const ops::BatchMatMulDims d, ops::BatchMatMulDimsOf(c, x, y));
    TENSH_OUTPUT(z, c.Output(0, d.out));
    if (!z->num_elements()) return {};
    const ops::GemmDims& g = d.each;
    if (g.k == 0) {
      const auto out = Out<T>(z);
      return ForEach(c, z->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); });
    }
    Status status;
    ForEachRow(d.plan, 0, d.plan.rows, [&](int64_t i, int64_t j, int64_t k) {
      if (!status.ok()) return;
      Status next =
          Gemm<T>(c, g.transpose_a, g.transpose_b, g.m, g.n, g.k, x.data<T>() + i * g.m * g.k,
                  y.data<T>() + j * g.k * g.n, z->data<T>() + k * g.m * g.n, d.plan.row,
                  d.step_x ? g.m * g.k : 0, d.step_y ? g.k * g.n : 0);
      std::swap(status, next);
    });
    return status;
  }
};

}  // namespace

TENSH_CUDA_KERNELS(math_matmul) {
  r.Add<float, double, Half, Bfloat16>("MatMul", MatMul{}, {.prepare = ops::PrepareMatMul});
  for (const char* op : {"BatchMatMul", "BatchMatMulV2"})
    r.Add<float, double, Half, Bfloat16>(op, BatchMatMul{}, {.prepare = ops::PrepareBatchMatMul});
}

}  // namespace tensh::cuda
