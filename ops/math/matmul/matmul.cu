// MatMul and BatchMatMul with cuBLAS, and the products of Einsum.
#include "devices/cuda/cuda_complex.h"
#include "devices/cuda/cuda_reduce.h"
#include "ops/math/matmul/einsum.h"
#include "ops/math/matmul/matmul_dims.h"
#include "ops/support/array_copy.h"

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
      ops::ZeroElements(c, y->dtype(), y->raw(), y->num_elements());
      return {};
    }
    return Gemm<T>(c, d.transpose_a, d.transpose_b, d.m, d.n, d.k, c.in(0).raw(), c.in(1).raw(),
                   y->raw());
  }
};

// Uses one strided call if the matrices of both batches are paired one by one, or if one side is a
// single matrix; otherwise one call per product.
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
      ops::ZeroElements(c, z->dtype(), z->raw(), z->num_elements());
      return {};
    }
    Status status;
    ForEachRow(d.plan, 0, d.plan.rows, [&](int64_t i, int64_t j, int64_t k) {
      if (!status.ok()) return;
      Status next =
          Gemm<T>(c, g.transpose_a, g.transpose_b, g.m, g.n, g.k, x.data<T>() + i * g.m * g.k,
                  y.data<T>() + j * g.k * g.n, z->data<T>() + k * g.m * g.n, d.plan.row,
                  d.step_x ? g.m * g.k : 0, d.step_y ? g.k * g.n : 0, true);
      std::swap(status, next);
    });
    return status;
  }
};

struct Einsum {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ops::RunEinsum(c, {Sum<T>, Multiply<T>});
  }

  template <class T>
  static Status Sum(KernelCtx& c, const Tensor& from, int64_t run, const Tensor& to) {
    using S = Seen<T>;
    using Total = Computed<S>;
    const auto in = In<S>(from);
    const auto out = Out<S>(to);
    return ReduceRows<4>(
        c, to.num_elements(), run, Total(0),
        [=] TENSH_DEVICE(int64_t o, int64_t k) { return static_cast<Total>(in[o * run + k]); },
        [] TENSH_DEVICE(Total a, Total b) { return a + b; },
        [=] TENSH_DEVICE(int64_t o, Total sum) { out[o] = static_cast<S>(sum); });
  }
  template <class T>
  static Status Multiply(KernelCtx& c, const ops::GemmDims& d, int64_t batch, const Tensor& a,
                         const Tensor& b, const Tensor& to) {
    if (d.k == 0) {
      ops::ZeroElements(c, to.dtype(), to.raw(), to.num_elements());
      return {};
    }
    return Gemm<T>(c, d.transpose_a, d.transpose_b, d.m, d.n, d.k, a.raw(), b.raw(), to.raw(),
                   batch, d.m * d.k, d.k * d.n);
  }
};

}  // namespace

TENSH_CUDA_KERNELS(math_matmul_matmul) {
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  r.Add<float, double, Half, Bfloat16, C64, C128>("MatMul", MatMul{},
                                                  {.prepare = ops::PrepareMatMul});
  for (const char* op : {"BatchMatMul", "BatchMatMulV2"})
    r.Add<float, double, Half, Bfloat16, C64, C128>(op, BatchMatMul{},
                                                    {.prepare = ops::PrepareBatchMatMul});
  r.Add<float, double, Half, Bfloat16, C64, C128>("Einsum", Einsum{},
                                                  {.prepare = ops::PrepareEinsum});
}

}  // namespace tensh::cuda
