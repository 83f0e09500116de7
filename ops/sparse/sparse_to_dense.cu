// SparseTensorDenseMatMul on GPUs. As on TensorFlow's GPUs, values with an index out of range are
// skipped.
#include "devices/cuda/cuda_kernel.h"
#include "ops/sparse/sparse_product.h"

namespace tensh::cuda {
namespace {

struct SparseDenseMatMul {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const ops::SparseProduct p, ops::SparseProductOf(c));
    TENSH_OUTPUT(y, c.Output(0, {p.left, p.right}));
    const auto out = Out<T>(y);
    TENSH_RETURN_IF_ERROR(
        ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); }));
    return c.in(0).dtype() == DType::kInt32 ? Add<T, int32_t>(c, p, y) : Add<T, int64_t>(c, p, y);
  }
  template <class T, class I>
  static Status Add(KernelCtx& c, const ops::SparseProduct& p, Tensor* y) {
    const auto index = In<I>(c.in(0));
    const auto a = In<T>(c.in(1)), b = In<T>(c.in(3));
    const auto out = Out<T>(y);
    return ForEach(c, c.in(1).num_elements() * p.right, [=] TENSH_DEVICE(int64_t i) {
      const int64_t value = i / p.right, j = i % p.right;
      const int64_t m = index[2 * value + p.row], k = index[2 * value + p.column];
      if (m < 0 || m >= p.left || k < 0 || k >= p.inner) return;
      AtomicAdd(&out[m * p.right + j], a[value] * b[p.PlaceInB(k, j)]);
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(sparse_sparse_to_dense) {
  r.Add<float, double>("SparseTensorDenseMatMul", SparseDenseMatMul(),
                       {.host = "a_shape", .prepare = ops::PrepareSparseProduct});
}

}  // namespace tensh::cuda
