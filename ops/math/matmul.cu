#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {
namespace {

struct MatMulState : KernelState {
  bool transpose_a, transpose_b;
};

Result<std::unique_ptr<KernelState>> PrepareMatMul(PrepareCtx& c) {
  auto state = std::make_unique<MatMulState>();
  state->transpose_a = c.attrs().Bool("transpose_a");
  state->transpose_b = c.attrs().Bool("transpose_b");
  return {std::move(state)};
}

struct MatMul {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<MatMulState>();
    const Tensor &a = c.in(0), &b = c.in(1);
    for (int i = 0; i < 2; ++i)
      if (c.in(i).rank() != 2)
        return InvalidArgument("In[", i, "] is not a matrix. Instead it has shape ",
                               c.in(i).shape());
    const int64_t m = a.dim(s.transpose_a), k = a.dim(!s.transpose_a), n = b.dim(!s.transpose_b);
    if (b.dim(s.transpose_b) != k)
      return InvalidArgument("Matrix size-incompatible: In[0]: ", a.shape(),
                             ", In[1]: ", b.shape());
    TENSH_OUTPUT(y, c.Output(0, Shape({m, n})));
    if (m == 0 || n == 0) return {};
    if (k == 0) {
      const auto out = Out<T>(y);
      return ForEach(c, m * n, [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); });
    }
    return Gemm<T>(c, s.transpose_a, s.transpose_b, m, n, k, a.raw(), b.raw(), y->raw());
  }
};

}  // namespace

TENSH_CUDA_KERNELS(math_matmul) {
  r.Add<float, double>("MatMul", MatMul{}, {.prepare = PrepareMatMul});
}

}  // namespace tensh::cuda
