#include "devices/cuda/cuda_kernel.h"
#include "ops/support/matmul_op.h"

namespace tensh::cuda {
namespace {

struct MatMul {
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

}  // namespace

TENSH_CUDA_KERNELS(math_matmul) {
  r.Add<float, double>("MatMul", MatMul{}, {.prepare = ops::PrepareMatMul});
}

}  // namespace tensh::cuda
